"""A directory says where every row lies, stays small, and comes back as it was."""

from __future__ import annotations

import base64
import io
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.formats.layout.directory import INLINE_BYTES_MAX, Directory, stored, unpacked
from session_datasets.formats.values.cells import CellRules

SCHEMA = pa.schema(
    [("n", pa.int64()), ("s", pa.struct({"x": pa.int8(), "y": pa.list_(pa.string())})), ("ä", pa.date32())]
)
RULES = [CellRules(SCHEMA.types[0], exact=False), CellRules(SCHEMA.types[1]), CellRules(SCHEMA.types[2], finite=False)]


@given(st.lists(st.tuples(st.integers(1, 2**32 - 1), st.integers(1, 2**32 - 1)), max_size=50))
def test_a_packed_directory_comes_back_as_it_was(segments: list[tuple[int, int]]) -> None:
    rows, sizes = [rows for rows, _ in segments], [size for _, size in segments]
    directory = Directory.of(SCHEMA, RULES, rows, sizes, {"columns": {"footer_offset": 2**40}})
    assert unpacked(directory.packed()) == directory


@given(st.lists(st.integers(1, 9), min_size=1, max_size=50), st.data())
def test_every_row_lies_in_the_segment_that_is_told(rows: list[int], data: st.DataObject) -> None:
    directory = Directory.of(SCHEMA, RULES, rows, [7] * len(rows), {})
    row = data.draw(st.integers(0, sum(rows) - 1))
    segment = directory.segment_of(row)
    begin, end = directory.rows_of(segment)
    assert begin <= row < end
    assert (sum(rows[:segment]), sum(rows[: segment + 1])) == (begin, end)
    assert directory.bytes_of(segment) == (7 * segment, 7 * segment + 7)


def test_leaves_of_columns_are_found_by_place() -> None:
    directory = Directory.of(SCHEMA, RULES, [1], [1], {})
    assert [directory.leaves(places) for places in ([0], [1], [2], [2, 0])] == [[0], [1, 2], [3], [0, 3]]


def test_ten_million_rows_in_four_thousand_segments_take_some_seven_kilobytes() -> None:
    sizes = [int(random.Random(place).gauss(115_000, 500)) for place in range(4_000)]
    directory = Directory.of(SCHEMA, RULES, [2_500] * 4_000, sizes, {})
    assert len(directory.packed()) < 7_200


@pytest.mark.parametrize("columns", [10, 5_000])
def test_a_small_directory_is_told_inline_and_a_large_one_by_its_place(columns: int) -> None:
    names = [base64.b64encode(random.Random(place).randbytes(12)).decode() for place in range(columns)]
    schema = pa.schema([(name, pa.int64()) for name in names])
    directory = Directory.of(schema, [CellRules(pa.int64())] * columns, [1], [1], {})
    sink = io.BytesIO()
    sink.write(b"rows")
    told = stored(directory, sink)
    if columns == 10:
        assert (unpacked(base64.b64decode(told["directory"])), sink.getvalue()) == (directory, b"rows")
        assert len(told["directory"]) <= INLINE_BYTES_MAX * 4 / 3
    else:
        begin, length = told["directory_offset"], told["directory_bytes"]
        assert (begin, length) == (4, len(sink.getvalue()) - 4)
        assert length > INLINE_BYTES_MAX
        assert unpacked(sink.getvalue()[begin:]) == directory
