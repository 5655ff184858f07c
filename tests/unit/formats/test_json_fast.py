"""What Arrow's parser is asked for, what it is kept from, and how little of a file is held and read twice."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import Refusal
from session_datasets.domain.profile import Format
from session_datasets.formats.json import exact_parser as json_text
from session_datasets.formats.json import first_pass as json_first_pass
from session_datasets.formats.json import split as json_split
from session_datasets.formats.json import table as json_table
from session_datasets.formats.json.blocks import outlined
from session_datasets.formats.json.split import Rest, blocks
from session_datasets.formats.json.table import open_json
from session_datasets.formats.json.types import DEPTH_MAX
from session_datasets.formats.text.numbers import double_says

Read = Callable[[bytes], pa.Table]


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of objects that the exact parser learned from, block by block. Blocks are small."""
    monkeypatch.setattr(json_split, "BLOCK_BYTES", 2_000)
    monkeypatch.setattr(json_first_pass, "_FIRST_OBJECTS", 5)
    learn = json_first_pass.FirstPass._learn
    sizes: list[int] = []

    def counted(self: Any, block: Any) -> None:
        sizes.append(len(block))
        learn(self, block)

    monkeypatch.setattr(json_first_pass.FirstPass, "_learn", counted)
    return sizes


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def table(data: bytes) -> pa.Table:
        file = tmp_path / "file"
        file.write_bytes(data)
        stream = open_json(file, Format.JSON if data.lstrip().startswith(b"[") else Format.JSON_LINES, 100, tmp_path)
        return pa.Table.from_batches(stream.batches, stream.schema)

    return table


ROW = {
    "id": 1234567890123456789,
    "at": "2024-01-31T12:00:00Z",
    "x": 0.12345678901234568,
    "zero": 0.0,
    "none": None,
    "ok": True,
    "name": 'é "quoted" \\ \u0000',
    "geo": {"lat": 1.5, "tags": ["a", "b"], "more": [{"n": 1}, {"n": None}, {}]},
    "deep": [[[]]],
}


@pytest.mark.parametrize("indent", [None, 2])
def test_objects_of_the_types_of_the_first_ones_are_not_read_by_the_exact_parser(
    indent: int | None, learned: list[int], read: Read
) -> None:
    rows = [ROW | {"id": n} for n in range(300)]
    assert read(json.dumps(rows, indent=indent).encode()).column("id").to_pylist() == list(range(300))
    assert learned == [5]


def test_json_lines_are_not_either(learned: list[int], read: Read) -> None:
    data = "".join(json.dumps(ROW, ensure_ascii=False) + "\r\n" for _ in range(300))
    assert read(data.encode()).num_rows == 300
    assert learned == [5]


@pytest.mark.parametrize(
    "odd",
    [
        {"new": 1},
        {"ok": None, "id": 2**63},
        {"none": 0.5},
        {"none": 1},
        {"geo": {"lat": 1.5, "new": None}},
        {"deep": [[[1]]]},
    ],
)
def test_one_odd_object_sends_only_its_block_to_the_exact_parser(
    odd: dict[str, Any], learned: list[int], read: Read
) -> None:
    rows = [ROW] * 150 + [ROW | odd] + [ROW] * 150
    read(json.dumps(rows).encode())
    assert len(learned) == 2
    assert sum(learned) < 20


@pytest.mark.parametrize(("usual", "odd"), [(7, "many"), ("text", 7.5), (True, {}), (2**60, 0.5), (-1, 2**64)])
def test_columns_with_a_few_odd_values_need_the_exact_parser_for_those_and_the_next_block(
    usual: Any, odd: Any, learned: list[int], read: Read
) -> None:
    values = [usual] * 150 + [odd] + [usual] * 1_500
    table = read(json.dumps([{"v": value, "w": "x" * 100} for value in values]).encode())
    if table.schema.field("v").type == pa.string():
        assert table.column("v").to_pylist() == [json.dumps(value) for value in values]
    else:
        assert table.column("v").to_pylist() == values
    assert len(learned) == 3


@pytest.mark.parametrize(
    ("first", "late", "cells"),
    [
        (7, "many", ["7", '"many"']),
        ("many\n", 7, ['"many\\n"', "7"]),
        (True, 7, ["true", "7"]),
        (7, 1.5, [7.0, 1.5]),
        (7, 2**64 - 1, [7, 2**64 - 1]),
        ([7], [1.5], [[7.0], [1.5]]),
        ({"a": 7}, {"a": "x", "b": 1}, [{"a": "7", "b": None}, {"a": '"x"', "b": 1}]),
        (None, {"a": 7}, [None, {"a": 7}]),
    ],
)
def test_rows_get_the_type_of_a_late_value_without_being_read_again(
    first: Any, late: Any, cells: list[Any], learned: list[int], read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(json_table, "block_objects")
    table = read(json.dumps([{"v": first}] * 500 + [{"v": late}]).encode())
    assert table.column("v").to_pylist() == [cells[0]] * 500 + [cells[1]]


@pytest.mark.parametrize(
    ("first", "late", "cells"),
    [
        (1.5, "many", ["1.5", '"many"']),
        ({"b": 1, "a": 1.50}, "many", ['{"b": 1, "a": 1.5}', '"many"']),
        ([1, None], 7, ["[1, null]", "7"]),
        ({}, {"a": 7}, [{"a": None}, {"a": 7}]),
    ],
)
def test_what_a_first_type_does_not_tell_any_more_is_read_again(
    first: Any, late: Any, cells: list[Any], learned: list[int], read: Read
) -> None:
    table = read(json.dumps([{"v": first, "w": 1}] * 500 + [{"v": late}]).encode())
    assert table.column("v").to_pylist() == [cells[0]] * 500 + [cells[1]]
    assert table.column("w").to_pylist() == [1] * 500 + [None]


LISTS, OBJECTS = "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        '{"a":[]}\n{"a":' + LISTS + "}\n",
        '{"a":{}}\n' + OBJECTS,
        '[{"a":[]},{"a":' + LISTS + "}]",
        "[null]",
        "null\n",
        '{"a":1}\nnull\n',
    ],
    ids=["lists", "objects", "lists in an array", "null in an array", "null", "null after an object"],
)
def test_what_ends_the_process_of_arrows_parser_does_not_reach_it(text: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    program = """
        import sys
        from pathlib import Path
        from session_datasets.domain.errors import Refusal
        from session_datasets.domain.profile import Format
        from session_datasets.formats.json.table import open_json
        try:
            list(open_json(Path("file"), Format(sys.argv[1]), 9, Path()).batches)
        except Refusal:
            print("refused")
    """
    format_ = Format.JSON if text.startswith("[") else Format.JSON_LINES
    arguments = [sys.executable, "-c", textwrap.dedent(program), format_.value]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n")


@pytest.mark.parametrize("levels", [DEPTH_MAX - 1, DEPTH_MAX, DEPTH_MAX + 1, 200])
def test_depth_has_the_same_bound_for_both_parsers(levels: int, learned: list[int], read: Read) -> None:
    row = '{"v":' + '{"x":' * levels + "1" + "}" * levels + "}"
    table = read("\n".join([row] * 20).encode())
    assert table.column("v").to_pylist() == table.column("v").to_pylist()[:1] * 20
    assert (learned == [5]) is (levels <= DEPTH_MAX)


def test_an_object_longer_than_a_block_is_read(learned: list[int], read: Read) -> None:
    texts = ["x" * size for size in (10, 10_000, 10, 70_000, 1)]
    for data in (
        json.dumps([{"t": text} for text in texts]),
        "".join(json.dumps({"t": text}) + "\n" for text in texts),
    ):
        assert read(data.encode()).column("t").to_pylist() == texts


@pytest.mark.parametrize("text", ['[{{"t":"a"}},{{"t":"{0}"}}]', '{{"t":"a"}}\n{{"t":"{0}"}}\n'])
def test_an_object_too_long_to_wait_for_is_left_to_the_exact_parser(
    text: str, read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_split, "BLOCK_BYTES", 100)
    monkeypatch.setattr(json_split, "_OBJECT_BYTES_MAX", 5_000)
    long = "x" * 20_000
    assert read(text.format(long).encode()).column("t").to_pylist() == ["a", long]
    found = list(blocks(tmp_path / "file", Format.JSON if text.startswith("[") else Format.JSON_LINES))
    assert isinstance(found[-1], Rest)
    monkeypatch.setattr(json_text, "RECORD_CHARACTERS_MAX", 10_000)
    with pytest.raises(Refusal) as refused:
        read(text.format(long).encode())
    assert refused.value.problem.detail.endswith("is longer than the 10,000 characters that one record may have.")


def test_rows_with_few_of_many_keys_come_in_small_batches(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_first_pass, "_CELLS_MAX", 100)
    rows = [{f"k{n % 40}": n} for n in range(400)]
    table = read(json.dumps(rows).encode())
    assert [sum(value for value in row.values() if value is not None) for row in table.to_pylist()] == list(range(400))
    assert max(len(chunk) for chunk in table.column("k0").chunks) <= 50


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('"\\{}[] a'), max_size=300))
def test_strings_are_told_from_what_is_outside_them(text: str) -> None:
    inside, escaped, expected = False, False, []
    for character in text:
        if character == '"' and not escaped:
            inside = not inside
        expected.append(inside)
        escaped = character == "\\" and not escaped
    assert outlined(text.encode()).in_string.tolist() == expected


@settings(max_examples=100, deadline=None)
@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False).map(str) | st.integers().map(str), min_size=2))
def test_numbers_become_doubles_only_if_doubles_say_the_same(numbers: list[str]) -> None:
    texts = [number.replace("E+", "e+") for number in numbers] + ["0.5"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_text("".join(f'{{"v":{text}}}\n' for text in texts))
        stream = open_json(file, Format.JSON_LINES, 9, Path(folder))
        values = [value for batch in stream.batches for value in batch.column(0).to_pylist()]
    said = all(double_says(text) or (float(text) and len(text) < 16) for text in texts)
    assert (stream.schema.types == [pa.float64()]) is said
    assert not said or values == [float(text) for text in texts]
