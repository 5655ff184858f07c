"""Objects that are all written alike are read column by column, and become what the exact parser makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.profile import Format
from session_datasets.formats.json import alike_parser, arrow_parser
from session_datasets.formats.json.blocks import Block
from session_datasets.formats.json.table import open_json
from session_datasets.formats.json.types import JsonRule
from tests.support.json_texts import ALIKE, FRACTIONS, STRINGS, WHOLE, WORDS, WRONG
from tests.unit.formats.test_json_blocks import array_of, bits, cut, exactly, lines_of, table

# What stands after the opening bracket, after a colon, after a comma, and before the closing bracket.
SPACES = [("", "", "", ""), ("", " ", " ", ""), ("\n  ", " ", "\n  ", "\n"), (" ", "\t", "\r\n", " \t")]
KEYS = ['"a"', '"b:,"', '"\\"\\\\c"', '"é"']
ROW = {"id": 7, "x": 0.12345678901234568, "money": 1.5, "ok": True, "none": None, "name": 'é "quoted" \\ \u0000'}


@pytest.fixture
def of_others(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many objects of each block were not read column by column, those of the first one aside."""
    sizes: list[int] = []
    read = alike_parser.read_alike

    def noted(block: Block, *others: Any) -> pa.RecordBatch | None:
        batch = read(block, *others)
        if batch is None:
            sizes.append(len(block))
        return batch

    monkeypatch.setattr(arrow_parser, "read_alike", noted)
    with cut(2_000, 5):
        yield sizes


def columns(data: bytes, folder: Path, format_: Format = Format.JSON) -> pa.Table:
    file = folder / "file"
    file.write_bytes(data)
    stream = open_json(file, format_, 100, folder)
    return pa.Table.from_batches(stream.batches, stream.schema)


def written(cells: list[tuple[str, str]], spaces: tuple[str, str, str, str]) -> str:
    begin, after_colon, after_comma, end = spaces
    return "{" + begin + f",{after_comma}".join(f"{key}:{after_colon}{cell}" for key, cell in cells) + end + "}"


@st.composite
def alike(draw: st.DrawFn) -> list[str]:
    """Objects written alike, whose columns have values of one kind each, at most one of them of another."""
    kinds = [draw(st.sampled_from(ALIKE[:-1])) for _ in range(draw(st.integers(1, 4)))]
    spaces = draw(st.sampled_from(SPACES))
    cells = [[draw(kind) for kind in kinds] for _ in range(draw(st.integers(2, 12)))]
    for row in cells:
        if not draw(st.integers(0, 3)):
            row[draw(st.integers(0, len(row) - 1))] = "null"
    if draw(st.booleans()):
        odd = draw(
            st.sampled_from(
                [*WHOLE, *FRACTIONS, *STRINGS, *WORDS, *WRONG, "{}", "[]", '"a","b"', '"a" "b"', "1 ", " 1"]
            )
        )
        cells[draw(st.integers(0, len(cells) - 1))][draw(st.integers(0, len(kinds) - 1))] = odd
    return [written(list(zip(KEYS, row, strict=False)), spaces) for row in cells]


@settings(max_examples=150, deadline=None)
@given(alike(), st.integers(1, 400), st.integers(1, 3), st.booleans())
def test_objects_written_alike_are_what_the_exact_parser_makes_of_them(
    rows: list[str], size: int, first: int, lines: bool
) -> None:
    lines = lines and not any("\n" in row for row in rows)
    data, format_ = (lines_of(rows), Format.JSON_LINES) if lines else (array_of(rows), Format.JSON)
    with cut(size, first):
        assert table(data, format_) == exactly(data, format_)


@settings(max_examples=150, deadline=None)
@given(alike(), st.floats(0, 1), st.sampled_from([*'"\\{}[],:0-e.n \n\x00é', ""]), st.booleans())
def test_a_changed_character_is_no_less_noticed_than_by_the_exact_parser(
    rows: list[str], place: float, instead: str, inserted: bool
) -> None:
    data = array_of(rows)
    at = int(place * len(data))
    data = data[:at] + instead.encode() + data[at + (not inserted) :]
    with cut(400, 1):
        assert table(data, Format.JSON) == exactly(data, Format.JSON)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("indent", [None, 2])
def test_they_need_no_other_parser_however_they_are_spaced(
    indent: int | None, separators: tuple[str, str], of_others: list[int], tmp_path: Path
) -> None:
    rows = [ROW | {"id": number} for number in range(300)]
    data = json.dumps(rows, indent=indent, separators=separators).encode()
    assert columns(data, tmp_path).to_pylist() == rows
    assert of_others == []


def test_json_lines_need_no_other_parser_either(of_others: list[int], tmp_path: Path) -> None:
    data = "".join(json.dumps(ROW, ensure_ascii=False) + "\r\n" for _ in range(300))
    assert columns(data.encode(), tmp_path, Format.JSON_LINES).to_pylist() == [ROW] * 300
    assert of_others == []


@pytest.mark.parametrize(
    "values",
    [
        ["1", "null", "-12", "9223372036854775807"],
        ["1.5", "0", "-0.0", "null", "1e5", "2.5e-3", "9007199254740992", "0.30000000000000004", "1e-7", "20.0"],
        ["0.5", "NaN", "null", "-Infinity", "Infinity", "1e-7"],
        ["18446744073709551615", "null", "0", "9223372036854775808"],
        ['"a"', "null", '""', '"\\ud83d\\ude00"', '"a:,\\"{"'],
        ["true", "false", "null"],
        ["null"],
    ],
    ids=["integers", "doubles", "words", "unsigned", "strings", "truths", "nulls"],
)
def test_values_of_one_kind_need_no_other_parser(values: list[str], of_others: list[int], tmp_path: Path) -> None:
    rows = [f'{{"v":{value},"w":1}}' for value in values * 300]
    read_integer = float if any(value in ("0.5", "1.5") for value in values) else int
    expected = [json.loads(value, parse_int=read_integer) for value in values] * 300
    found = columns(array_of(rows), tmp_path).column("v").to_pylist()
    assert list(map(bits, found)) == list(map(bits, expected))
    assert of_others == []


@pytest.mark.parametrize(
    ("usual", "odd"),
    [
        ("1", "-0"),
        ("1", "1.0"),
        ("1", "01"),
        ("1", "0x10"),
        ("1.5", "-0"),
        ("1.5", ".5"),
        ("1.5", "-.5"),
        ("1.5", "1."),
        ("1.5", "nan"),
        ("1.5", "-NaN"),
        ("1.5", "-Inf"),
        ("18446744073709551615", "01"),
        ("18446744073709551615", "0x10"),
        ("18446744073709551615", "-1"),
        ("1.5", "1e400"),
        ("1.5", "1e-400"),
        ("1.5", "9007199254740993"),
        ("1.5", "9007199254740994"),
        ("1.5", "0.1234567890123456789"),
        ("true", "True"),
        ("true", "1"),
        ("null", "1"),
        ("null", "nulll"),
        ('"a"', '"\\ud800"'),
        ('"a"', '"\\x"'),
        ('"a"', '"a" "b"'),
        ('"a"', '"a","b":"c"'),
        ('"a"', '"a\x1f"'),
        ('"a"', "[1]"),
        ('"a"', '"a"} ,{"v":"b"'),
    ],
)
def test_one_value_that_is_not_certain_leaves_its_block_to_the_others(
    usual: str, odd: str, of_others: list[int], tmp_path: Path
) -> None:
    rows = [f'{{"v":{value},"w":1}}' for value in [usual] * 300 + [odd] + [usual] * 300]
    found = table(array_of(rows), Format.JSON)
    assert of_others
    assert found == exactly(array_of(rows), Format.JSON)


@pytest.mark.parametrize(
    "odd",
    ['{"w":1,"v":1}', '{"v":1}', '{"v":1,"w":1,"x":1}', '{"v":1,"u":1}', '{"v": 1,"w":1}', '{"v":1,"w":1 }', "{}"],
)
def test_one_object_written_otherwise_leaves_its_block_to_the_others(
    odd: str, of_others: list[int], tmp_path: Path
) -> None:
    rows = ['{"v":1,"w":1}'] * 300 + [odd] + ['{"v":1,"w":1}'] * 300
    found = columns(array_of(rows), tmp_path)
    assert [row for row in found.to_pylist() if row["v"] != 1 or row["w"] != 1] == [
        row for row in [dict.fromkeys(found.column_names) | json.loads(odd)] if row["v"] != 1 or row["w"] != 1
    ]
    assert of_others


def test_keys_that_are_not_there_are_nulls_of_their_columns(of_others: list[int], tmp_path: Path) -> None:
    rows = ['{"v":1,"w":{"x":1},"y":0.5}'] + ['{"v":1}'] * 300
    found = columns(array_of(rows), tmp_path)
    assert found.column("w").to_pylist() == [{"x": 1}] + [None] * 300
    assert found.column("y").to_pylist() == [0.5] + [None] * 300


def test_the_range_of_their_integers_decides_the_type_of_their_column(tmp_path: Path) -> None:
    rows = [f'{{"v":{value}}}' for value in [1] * 300 + [2**53 + 1] + [1] * 300 + ["0.5"]]
    with cut(2_000, 5):
        _, cells, _, rules = table(array_of(rows), Format.JSON)
    assert rules == [JsonRule.WIDE_FRACTIONS]
    assert cells[300] == [("v", "9007199254740993")]


def test_only_a_block_without_brackets_inside_is_looked_at(tmp_path: Path) -> None:
    rows = [{"v": [1]}] * 300
    with cut(2_000, 5), patch.object(alike_parser, "_Alike", side_effect=AssertionError):
        assert columns(json.dumps(rows).encode(), tmp_path).to_pylist() == rows
