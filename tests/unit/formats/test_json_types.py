"""Which type a JSON column has, and what becomes of its values."""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.formats.json.types import DEPTH_MAX, STRUCT_FIELDS_MAX
from tests.support.laid_out import LaidOut, laid_out


def column(*values: str) -> LaidOut:
    """A dataset whose column ``v`` has these JSON values, written as they stand."""
    return laid_out("[" + ",".join(f'{{"v":{value}}}' for value in values) + "]", "rows.json")


@pytest.mark.parametrize(
    ("values", "type_", "cells"),
    [
        (("true", "null"), "bool", [True, None]),
        (("1", "-2"), "int64", [1, -2]),
        (("9007199254740993", "1"), "int64", ["9007199254740993", "1"]),
        (("18446744073709551615", "0"), "uint64", ["18446744073709551615", "0"]),
        (("18446744073709551616", "-1"), "decimal128(38, 0)", ["18446744073709551616", "-1"]),
        (("1" + "0" * 38,), "string", ["1" + "0" * 38]),
        (("1", "2.5"), "double", [1.0, 2.5]),
        (("9007199254740993", "2.5"), "string", ["9007199254740993", "2.5"]),
        (("0.1", "1e400"), "string", ["0.1", "1e400"]),
        (("0.1", "0.1234567890123456789"), "string", ["0.1", "0.1234567890123456789"]),
        (("NaN", "-Infinity", "1.5"), "double", ["NaN", "-Infinity", 1.5]),
        (('"a"', '"2024-01-01"'), "string", ["a", "2024-01-01"]),
        (('"a"', "1"), "string", ['"a"', "1"]),
        (("true", "1"), "string", ["true", "1"]),
        (("[1]", "1"), "string", ["[1]", "1"]),
        (('{"x":1}', '{"y":"b"}'), "struct<x: int64, y: string>", [{"x": 1, "y": None}, {"x": None, "y": "b"}]),
        (('{"x":1}', '{"x":"b"}'), "struct<x: string>", [{"x": "1"}, {"x": '"b"'}]),
        (("[1,null]", "[2.5]", "[]", "null"), "list<item: double>", [[1.0, None], [2.5], [], None]),
        (("[[1],[]]",), "list<item: list<item: int64>>", [[[1], []]]),
        (('[{"x":1},{"x":2}]',), "list<item: struct<x: int64>>", [[{"x": 1}, {"x": 2}]]),
        (("{}", "null"), "string", ["{}", None]),
        (("null", "null"), "string", [None, None]),
        (('"\\u0000é\\ud83d\\ude00"',), "string", ["\x00é😀"]),
    ],
)
def test_the_type_of_a_column_follows_from_all_its_values(
    values: tuple[str, ...], type_: str, cells: list[Any]
) -> None:
    dataset = column(*values)
    assert (dataset.types["v"], dataset.column("v")) == (type_, cells)


def test_values_of_several_kinds_are_said_to_be_json_text() -> None:
    assert column('"a"', "1").table.note == "Values of several kinds are kept as JSON text in 'v'."


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (("1" + "0" * 38, "-7"), "Integers of more than 38 digits are kept as text, with all of them, in 'v'."),
        (("0.5", "1e400"), "Numbers that no double holds exactly are kept as text, with all their digits, in 'v'."),
        (
            ("9007199254740993", "0.5"),
            "Numbers that no double holds exactly are kept as text, with all their digits, in 'v'.",
        ),
        (("{}",), "Objects without keys are kept as JSON text in 'v'."),
        (
            ("[" * 18 + "]" * 18,),
            "Objects of too many keys, or values in too many levels, are kept as JSON text in 'v'.",
        ),
        (
            ('{"x":[0.5,1e400]}',),
            "Numbers that no double holds exactly are kept as text, with all their digits, in 'v'.",
        ),
        (
            ('{"x":1,"y":{}}', '{"x":"a"}'),
            "Values of several kinds are kept as JSON text in 'v'. Objects without keys are kept as JSON text in 'v'.",
        ),
        (("18446744073709551616", "-1"), None),
    ],
)
def test_why_values_are_kept_as_text_is_said(values: tuple[str, ...], note: str | None) -> None:
    assert column(*values).table.note == note


def test_a_mixed_leaf_leaves_the_rest_of_its_struct_as_it_is() -> None:
    dataset = column('{"x":1,"y":1}', '{"x":"a","y":2}')
    assert dataset.column("v") == [{"x": "1", "y": 1}, {"x": '"a"', "y": 2}]


def test_a_type_that_changes_in_the_last_record_holds_for_the_first() -> None:
    dataset = column(*["1"] * 20_000, "2.5")
    assert dataset.types["v"] == "double"
    assert dataset.page(0, 1).rows == [[1.0]]


def test_missing_keys_are_null_and_columns_stand_in_the_order_first_seen() -> None:
    dataset = laid_out('[{"b":1},{"a":2,"b":3},{"c":true}]', "rows.json")
    assert (list(dataset.types), dataset.rows) == (["b", "a", "c"], [[1, None, None], [3, 2, None], [None, None, True]])


def test_objects_keep_their_structure_down_to_the_deepest_level_allowed() -> None:
    value = '{"x":' * (DEPTH_MAX - 1) + "1" + "}" * (DEPTH_MAX - 1)
    assert column(value).types["v"].startswith("struct<x: struct<")
    assert column(value).table.note is None


def test_what_is_nested_deeper_is_json_text() -> None:
    levels = DEPTH_MAX + 1
    dataset = column('{"x":' * levels + "1" + "}" * levels)
    innermost = dataset.column("v")[0]
    for _ in range(DEPTH_MAX):
        innermost = innermost["x"]
    assert innermost == '{"x": 1}'


@pytest.mark.parametrize(("keys", "kept"), [(STRUCT_FIELDS_MAX, True), (STRUCT_FIELDS_MAX + 1, False)])
def test_an_object_with_more_keys_than_a_struct_has_is_json_text(keys: int, kept: bool) -> None:
    dataset = column("{" + ",".join(f'"k{n}":{n}' for n in range(keys)) + "}")
    assert dataset.types["v"].startswith("struct<") is kept
    assert (dataset.column("v")[0] if not kept else '{"k0": 0, ').startswith('{"k0": 0, ')


def test_objects_without_keys_are_rows_without_cells() -> None:
    dataset = laid_out("[{},{},{}]", "rows.json")
    assert (dataset.profile.shape.rows, dataset.profile.shape.columns) == (3, 0)
    assert dataset.page(1, 5).rows == [[], []]


def test_an_empty_array_is_a_table_without_rows_or_columns() -> None:
    dataset = laid_out("[ ]", "rows.json")
    assert (dataset.profile.shape.rows, dataset.rows) == (0, [])
