"""How Parquet is read, and how little a hostile file can take."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import Format
from tests.support.laid_out import laid_out, problem_of, understood
from tests.support.odd_files import dictionary_bomb, parquet

TEXT = pa.string()


@pytest.mark.parametrize(
    ("type_", "values", "read_as", "cells"),
    [
        (pa.dictionary(pa.int8(), TEXT), ["a", "b", None, "a"], "string", None),
        (pa.dictionary(pa.int8(), pa.int64()), [1, None, 1], "int64", None),
        (pa.list_(TEXT), [["a", "a"], None, [], [None]], "list<item: string>", None),
        (pa.list_view(TEXT), [["a"], None, ["b", "c"], []], "list<item: string>", None),
        (pa.struct([("x", pa.list_view(pa.int8()))]), [{"x": [1]}, None, {"x": [2]}], None, None),
        (pa.string_view(), ["a", None], "string", None),
        (pa.large_string(), ["a", None], "large_string", None),
        (pa.list_(TEXT, 2), [["a", "b"], None, ["c", "d"]], "fixed_size_list<item: string>[2]", None),
        (pa.map_(TEXT, pa.list_(TEXT)), [[("k", ["v", "w"])], None, []], None, [[["k", ["v", "w"]]], None, []]),
        (pa.struct([("a", TEXT), ("b", pa.list_(TEXT))]), [{"a": "x", "b": ["y"]}, None], None, None),
        (pa.null(), [None, None], "null", None),
    ],
)
def test_values_of_every_shape_come_through(
    type_: pa.DataType, values: list[Any], read_as: str | None, cells: list[Any] | None
) -> None:
    dataset = laid_out(parquet({"c": pa.array(values, type_)}), "rows.parquet")
    assert dataset.column("c") == (values if cells is None else cells)
    assert dataset.types["c"] == read_as or read_as is None


def test_an_extension_type_is_read_as_its_storage() -> None:
    storage = pa.array([b"0123456789abcdef", None], pa.binary(16))
    dataset = laid_out(parquet({"id": pa.ExtensionArray.from_storage(pa.uuid(), storage)}), "rows.parquet")
    assert dataset.types == {"id": "fixed_size_binary[16]"}
    assert dataset.column("id") == [base64.b64encode(b"0123456789abcdef").decode(), None]


def test_nested_texts_over_several_row_groups_come_through() -> None:
    values = [["same", f"{n}"] for n in range(30)]
    assert laid_out(parquet({"c": values}, row_group_size=7), "rows.parquet").column("c") == values


def test_nested_texts_that_outgrow_their_dictionary_come_through() -> None:
    values = [[f"{n}-{'x' * 50}", "same"] for n in range(3_000)]
    data = parquet({"c": values}, dictionary_pagesize_limit=10_000, data_page_size=10_000)
    assert laid_out(data, "rows.parquet").column("c") == values


def test_names_with_dots_commas_and_quotes_address_their_own_column() -> None:
    names = ["a", "a.b", "a,b", 'say "hi"', "ä", "c0", " "]
    dataset = laid_out(parquet(pa.table([[n] for n in range(len(names))], names)), "rows.parquet")
    assert dataset.page(columns=names[::-1]).rows == [list(range(len(names)))[::-1]]


def test_duplicate_names_are_renamed_and_said() -> None:
    dataset = laid_out(parquet(pa.table([[1], [2]], ["a", "a"])), "rows.parquet")
    assert (dataset.page(columns=["a", "a_2"]).rows, dataset.table.note) == (
        [[1, 2]],
        "Columns without a name of their own were renamed: 'a' is 'a_2'.",
    )


SAME_NAMES = pa.StructArray.from_arrays([pa.array([1, 3]), pa.array([2, 4])], names=["x", "x"])


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (SAME_NAMES, [{"x": 1, "x_2": 2}, {"x": 3, "x_2": 4}]),
        (pa.ListArray.from_arrays([0, 0, 2], SAME_NAMES), [[], [{"x": 1, "x_2": 2}, {"x": 3, "x_2": 4}]]),
        (pa.FixedSizeListArray.from_arrays(SAME_NAMES, 2), [[{"x": 1, "x_2": 2}, {"x": 3, "x_2": 4}]]),
        (
            pa.FixedSizeListArray.from_arrays(SAME_NAMES.take(pa.array([0, 0, 0, 1])), 2, mask=pa.array([True, False])),
            [None, [{"x": 1, "x_2": 2}, {"x": 3, "x_2": 4}]],
        ),
        (
            pa.MapArray.from_arrays([0, 1, 2], pa.array(["k", "l"]), SAME_NAMES),
            [[["k", {"x": 1, "x_2": 2}]], [["l", {"x": 3, "x_2": 4}]]],
        ),
        (
            pa.StructArray.from_arrays([SAME_NAMES, SAME_NAMES], names=["s", "s"], mask=pa.array([False, True])),
            [{"s": {"x": 1, "x_2": 2}, "s_2": {"x": 1, "x_2": 2}}, None],
        ),
        (
            pa.StructArray.from_arrays(
                [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "c"]).dictionary_encode()], names=["x", "x"]
            ),
            [{"x": "a", "x_2": "c"}, {"x": "b", "x_2": "c"}],
        ),
    ],
    ids=["struct", "list", "fixed list", "fixed list with null", "map", "struct of structs", "texts"],
)  # fmt: skip
def test_fields_of_one_name_keep_their_own_values_at_any_depth(column: pa.Array, cells: list[Any]) -> None:
    dataset = laid_out(parquet({"c": column}), "rows.parquet")
    assert dataset.column("c") == cells
    assert "'x' is 'x_2'" in (dataset.table.note or "")


def test_renamed_fields_are_said_with_their_column() -> None:
    column = pa.StructArray.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["x", "x", ""])
    assert laid_out(parquet({"c": column}), "rows.parquet").table.note == (
        "Fields inside 'c' without a name of their own were renamed: 'x' is 'x_2', '' is 'field_3'."
    )


def test_a_table_without_rows_has_its_columns() -> None:
    dataset = laid_out(parquet({"a": pa.array([], pa.int32())}), "rows.parquet")
    assert (dataset.types, dataset.profile.shape.rows, dataset.rows) == ({"a": "int32"}, 0, [])


def test_a_table_without_columns_has_none() -> None:
    dataset = laid_out(parquet(pa.table({})), "rows.parquet")
    assert (dataset.profile.shape.columns, dataset.rows) == (0, [])


@pytest.mark.parametrize("keep", [4, 8, 11, 100, -1, -9])
def test_a_file_that_is_cut_off_is_damaged(keep: int) -> None:
    problem = problem_of(parquet({"a": list(range(1_000))})[:keep], "rows.parquet")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert "Parquet" in problem.detail


def test_a_footer_of_rubbish_is_damage() -> None:
    data = parquet({"a": [1]})
    problem = problem_of(data[:-60] + bytes(range(52)) + data[-8:], "rows.parquet")
    assert (problem.code, problem.detail) == (
        ProblemCode.UNREADABLE_FILE,
        "The footer of this Parquet file can not be read.",
    )


def test_pages_of_rubbish_are_damage() -> None:
    data = parquet({"a": list(range(1_000))}, compression="zstd", use_dictionary=False)
    problem = problem_of(data[:4] + b"\xff" * 200 + data[204:], "rows.parquet")
    assert problem.code is ProblemCode.UNREADABLE_FILE
    assert problem.detail == "The rows of this Parquet file can not be decoded."


@contextmanager
def counted_memory() -> Iterator[pa.MemoryPool]:
    """Arrow's memory from here on, with a high-water mark of its own."""
    usual = pa.default_memory_pool()
    counted = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(counted)
    try:
        yield counted
    finally:
        pa.set_memory_pool(usual)


@pytest.mark.parametrize("nested", [False, True])
def test_a_text_that_a_dictionary_repeats_stops_at_the_decoded_bytes_with_memory_flat(nested: bool) -> None:
    data = dictionary_bomb(value_bytes=1_000_000, rows=2_000, nested=nested)
    assert len(data) < 100_000
    with counted_memory() as memory:
        table = understood(data, "rows.parquet", decoded_bytes_max=200_000_000)
    assert (table.format, table.layout_name) == (Format.OTHER, None)
    assert "larger than 200,000,000 bytes once decoded" in (table.note or "")
    assert 1_000_000 < memory.max_memory() < 150_000_000


def test_rows_are_laid_out_up_to_the_decoded_bytes_and_not_beyond() -> None:
    # 8 bytes a value, and one bit that says whether it is null.
    data = parquet({"a": pa.array(range(1_000), pa.int64())})
    assert understood(data, "rows.parquet", decoded_bytes_max=8_125).format is Format.PARQUET
    assert understood(data, "rows.parquet", decoded_bytes_max=8_124).format is Format.OTHER


def test_as_many_columns_as_allowed_are_paged_and_more_make_an_opaque_file() -> None:
    data = parquet({"a": [1], "b": [2]})
    assert understood(data, "rows.parquet", columns_max=2).format is Format.PARQUET
    table = understood(data, "rows.parquet", columns_max=1)
    assert (table.format, table.note) == (
        Format.OTHER,
        "This Parquet file has 2 columns, more than the 1 that can be paged. It can be listed and loaded.",
    )


@pytest.mark.parametrize(
    ("type_", "words"),
    [
        (pa.map_(TEXT, pa.int64()), "map<string, int64>"),
        (pa.map_(TEXT, pa.map_(TEXT, pa.int8())), "map<string, map<string, int8>>"),
        (pa.list_(pa.map_(TEXT, pa.int64())), "list<item: map<string, int64>>"),
        (pa.struct([("m", pa.map_(TEXT, pa.list_(TEXT)))]), "struct<m: map<string, list<item: string>>>"),
    ],
)
def test_the_type_of_a_map_is_spelled_as_arrow_spells_it(type_: pa.DataType, words: str) -> None:
    dataset = laid_out(parquet({"a": [1], "c": pa.nulls(1, type_)}), "rows.parquet")
    assert dataset.types["c"] == words
    assert dataset.page().columns[1].type == words


@pytest.mark.parametrize("inside", ["maps", "maps inside lists"])
def test_maps_over_many_rows_are_counted_once(inside: str) -> None:
    maps = pa.array([[(f"k{n}", "v" * 20) for n in range(100)]] * 4_096, pa.map_(TEXT, TEXT))
    column = maps if inside == "maps" else pa.ListArray.from_arrays(range(4_097), maps)
    found = understood(parquet({"c": column}), "rows.parquet", decoded_bytes_max=2 * column.nbytes).format
    assert found is Format.PARQUET
