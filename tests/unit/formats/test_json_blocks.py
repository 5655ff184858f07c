"""However a file is cut into blocks, and whichever parser reads them: the table is that of the exact parser."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import Refusal
from session_datasets.domain.profile import Format
from session_datasets.formats.json import first_pass as json_first_pass
from session_datasets.formats.json import split as json_split
from session_datasets.formats.json.blocks import Block
from session_datasets.formats.json.split import Rest
from session_datasets.formats.json.table import open_json
from tests.support.json_texts import WRONG, objects, tables, values

BETWEEN = st.sampled_from(["", " ", "\n", "\r\n", "\n    ", "\t"])


@contextmanager
def cut(block_bytes: int, first_objects: int) -> Iterator[None]:
    with (
        patch.object(json_split, "BLOCK_BYTES", block_bytes),
        patch.object(json_first_pass, "_FIRST_OBJECTS", first_objects),
    ):
        yield


def bits(value: Any) -> Any:
    """A value that equals only what is the same in every bit."""
    if isinstance(value, float):
        return "NaN" if value != value else struct.pack(">d", value)
    if isinstance(value, list):
        return [bits(item) for item in value]
    if isinstance(value, dict):
        return [(key, bits(item)) for key, item in value.items()]
    return value


def table(data: bytes, format_: Format) -> Any:
    """Everything about the table, or the words of the refusal."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "file"
        file.write_bytes(data)
        try:
            stream = open_json(file, format_, 50, Path(folder))
            batches = list(stream.batches)
        except Refusal as refusal:
            return refusal.problem.detail
        assert all(batch.schema == stream.schema for batch in batches if stream.schema.names)
        rows = [bits(row) for batch in batches for row in batch.to_pylist()]
        for batch in batches:
            batch.validate(full=True)
        return str(stream.schema), rows, stream.remarks, stream.rules


def exactly(data: bytes, format_: Format) -> Any:
    """The same by the parser that goes through the text character by character."""
    with patch.object(json_first_pass, "blocks", lambda file, form: iter([Rest(0, 0)])):
        return table(data, format_)


def array_of(rows: list[str], between: str = "") -> bytes:
    return f"{between}[{between}{f'{between},{between}'.join(rows)}{between}]{between}".encode("utf-8", "surrogatepass")


def lines_of(rows: list[str], ending: str = "\n") -> bytes:
    return "".join(row + ending for row in rows).encode("utf-8", "surrogatepass")


@settings(max_examples=80, deadline=None)
@given(tables(), BETWEEN, st.integers(1, 300), st.integers(1, 4))
def test_an_array_in_blocks_is_the_array_as_a_whole(rows: list[str], between: str, size: int, first: int) -> None:
    data = array_of(rows, between)
    with cut(size, first):
        assert table(data, Format.JSON) == exactly(data, Format.JSON)


@settings(max_examples=50, deadline=None)
@given(tables(), st.sampled_from(["\n", "\r\n", " \n", "\n\n"]), st.integers(1, 300), st.integers(1, 4))
def test_json_lines_in_blocks_are_the_lines_as_a_whole(rows: list[str], ending: str, size: int, first: int) -> None:
    data = lines_of(rows, ending)
    with cut(size, first):
        assert table(data, Format.JSON_LINES) == exactly(data, Format.JSON_LINES)


@pytest.mark.parametrize("beside", [-1, 0, 1])
@pytest.mark.parametrize("format_", [Format.JSON, Format.JSON_LINES])
def test_a_block_may_end_exactly_where_an_object_does(format_: Format, beside: int, tmp_path: Path) -> None:
    rows = [f'{{"a":{number}}}' for number in range(10, 40)]
    data = array_of(rows) if format_ is Format.JSON else lines_of(rows)
    file = tmp_path / "file"
    file.write_bytes(data)
    end = data.index(b"}", 40) + 1
    with cut(end + beside, 1):
        first = next(iter(json_split.blocks(file, format_)))
        found = table(data, format_)
    assert isinstance(first, Block)
    # Of an array two pieces are read before one is looked at; of a line the end is seen with the line end behind it.
    whole = data[: 2 * (end + beside)].count(b"}") if format_ is Format.JSON else data[: end + beside].count(b"\n")
    assert len(first) == whole
    assert found == exactly(data, format_)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(objects(wrong=True) | values(wrong=True), max_size=6),
    st.sampled_from([*'"\\{}[],:0-e\n\x00é', ""]),
    st.floats(0, 1),
    st.integers(1, 100),
    st.booleans(),
)
@example([], "", 0, 1, True)
@example(['{"a":1}', '{"a":2}'], "}", 0.5, 1, False)
def test_damage_is_told_as_the_exact_parser_tells_it(
    rows: list[str], inserted: str, place: float, size: int, lines: bool
) -> None:
    data = lines_of(rows) if lines else array_of(rows)
    at = int(place * len(data))
    data = data[:at] + inserted.encode() + data[at:]
    format_ = Format.JSON_LINES if lines else Format.JSON
    with cut(size, 1):
        assert table(data, format_) == exactly(data, format_)


@pytest.mark.parametrize("before", ['{"a":1}', '{"a":1.5}', '{"a":"x"}', '{"a":null}', '{"a":[1]}', '{"a":{"b":1}}'])
@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_no_json_is_refused_after_objects_of_any_type(before: str, wrong: str) -> None:
    data = array_of([before] * 3 + [f'{{"a":{wrong}}}'] + [before])
    with cut(30, 1):
        found = table(data, Format.JSON)
    assert isinstance(found, str)
    assert found == exactly(data, Format.JSON)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=6), st.integers(0, 20), st.integers(1, 60))
def test_bytes_that_are_no_utf8_are_refused_wherever_they_stand(inserted: bytes, at: int, size: int) -> None:
    data = b'{"a":"xy"}\n' * 2
    data = data[:at] + inserted + data[at:] + b'{"a":"xy"}\n' * 5
    with cut(size, 1):
        assert table(data, Format.JSON_LINES) == exactly(data, Format.JSON_LINES)
