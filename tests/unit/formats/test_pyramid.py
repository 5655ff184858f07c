"""The pyramid tells the smallest and largest of any window exactly, and where nothing is there."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.profile import NO_HINTS, Role
from session_datasets.formats.layout import pyramid
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.pyramid import (
    BUCKET_ROWS,
    PYRAMID_ROWS_MIN,
    Pyramid,
    PyramidWriter,
    Window,
    has_records,
)
from session_datasets.formats.measure.measure import bounds, comparable
from session_datasets.formats.tables import ArrowTables
from session_datasets.formats.values.cells import CellRules
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet
from tests.support.ranges import MemoryReader, MemoryWriter


class Built:
    """A pyramid of ``columns``, seen in pieces of ``piece`` rows."""

    def __init__(self, columns: Sequence[pa.Array], piece: int = 1_000, scratch: Path | None = None) -> None:
        self.table = pa.table(list(columns), names=[str(place) for place in range(len(columns))])
        sink = io.BytesIO()
        with PyramidWriter(self.table.schema, scratch) as writer:
            for batch in self.table.to_batches(max_chunksize=piece):
                writer.see(batch)
            more = writer.write(sink)
        rules = [CellRules(type_) for type_ in self.table.schema.types]
        directory = Directory.of(self.table.schema, rules, [self.table.num_rows], [1], more)
        self.pyramid = Pyramid.of(directory)
        self.reader = MemoryReader({Role.PYRAMID: sink.getvalue()})

    def window(self, offset: int, rows: int, buckets_max: int) -> Window:
        return self.pyramid.window(self.reader, range(self.table.num_columns), offset, rows, buckets_max)

    def expected(self, place: int, begin: int, end: int) -> tuple[Any, Any, int]:
        """Smallest, largest and gaps of these rows, as Arrow finds them."""
        values = comparable(self.table.column(place).slice(begin, end - begin).combine_chunks())
        gaps = values.null_count
        if pa.types.is_floating(values.type):
            present = values.drop_null()
            gaps += pc.sum(pc.is_nan(present)).as_py() or 0
            values = present.filter(pc.invert(pc.is_nan(present)))
        return *bounds(values), gaps


def as_rows(built: Built, window: Window) -> list[list[tuple[Any, Any, int]]]:
    return [list(zip(*(each.to_pylist() for each in column), strict=True)) for column in window.columns]


def values_of(type_: pa.DataType, rows: int, gaps: float, source: np.random.Generator) -> pa.Array:
    mask = source.random(rows) < gaps
    # Whole buckets of gaps, beside scattered ones.
    if gaps:
        mask[: rows // 3] = True
    if pa.types.is_floating(type_):
        found = source.normal(0, 1e6, rows)
        found[source.random(rows) < gaps] = np.nan
        found[source.random(rows) < gaps / 10] = np.inf
        return pa.array(found, mask=mask).cast(type_)
    width = 32 if type_ in (pa.date32(), pa.time32("s")) else 64
    if pa.types.is_integer(type_):
        limits = np.iinfo(type_.to_pandas_dtype())
        whole = source.integers(limits.min, limits.max, rows, dtype=type_.to_pandas_dtype(), endpoint=True)
        return pa.array(whole, mask=mask)
    top = 86_400 if pa.types.is_time(type_) else 10**6
    low = 0 if pa.types.is_time(type_) else -(10**6)
    whole = source.integers(low, top, rows) * (86_400_000 if type_ == pa.date64() else 1)
    return pa.array(whole, pa.int64(), mask=mask).cast(pa.int32() if width == 32 else pa.int64()).cast(type_)


TYPES = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.float16(),
    pa.float32(), pa.float64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("us"), pa.timestamp("ns", "UTC"),
    pa.timestamp("s"), pa.duration("ms"),
]  # fmt: skip


@pytest.mark.parametrize("type_", TYPES, ids=str)
@pytest.mark.parametrize("gaps", [0.0, 0.3], ids=["whole", "gaps"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_every_bucket_of_every_window_is_exact(type_: pa.DataType, gaps: float, data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 3_000))
    source = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    built = Built([values_of(type_, rows, gaps, source)], data.draw(st.integers(1, 700)))
    offset = data.draw(st.integers(0, rows - 1))
    asked, most = data.draw(st.integers(1, rows - offset)), data.draw(st.integers(1, 60))
    window = built.window(offset, asked, most)
    begins = range(window.offset, window.offset + window.rows, window.bucket_rows)
    end = window.offset + window.rows
    expected = [built.expected(0, begin, min(begin + window.bucket_rows, end)) for begin in begins]
    assert as_rows(built, window) == [expected]
    assert window.columns[0].low.type == comparable(pa.nulls(0, type_)).type


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_a_window_is_widened_to_whole_buckets_and_has_more_than_half_as_many_as_allowed(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 300_000))
    offset = data.draw(st.integers(0, rows - 1))
    asked, most = data.draw(st.integers(1, rows - offset)), data.draw(st.integers(1, 2_000))
    built = Built([pa.array(np.arange(rows))], 65_536)
    window = built.window(offset, asked, most)
    buckets = len(window.columns[0].low)
    assert window.offset <= offset < window.offset + window.bucket_rows
    assert offset + asked <= window.offset + window.rows < offset + asked + window.bucket_rows
    assert buckets <= most
    assert buckets > most / 2 or window.bucket_rows == BUCKET_ROWS
    assert window.offset % window.bucket_rows == 0
    assert window.columns[0].low.to_pylist() == [*range(window.offset, window.offset + window.rows, window.bucket_rows)]


def test_a_window_costs_one_request_per_column_of_two_records_per_bucket_at_most() -> None:
    source = np.random.default_rng(1)
    whole = pa.array(source.random(1_000_000))
    holes = pa.array(source.random(1_000_000), mask=source.random(1_000_000) < 0.1)
    built = Built([whole, holes], 65_536)
    for offset, rows in ((0, 1_000_000), (123_457, 300_000), (999_000, 1_000), (64_000, 128_064)):
        built.reader.requests.clear()
        built.window(offset, rows, 1_000)
        assert len(built.reader.requests) == 2
        assert built.reader.requests[0][2] <= 2 * 1_000 * 16
        assert built.reader.requests[1][2] <= 2 * 1_000 * 20


def test_records_take_a_third_of_a_byte_per_row_and_column() -> None:
    built = Built([pa.array(np.arange(1_000_000))], 65_536)
    assert len(built.reader.bodies[Role.PYRAMID]) / 1_000_000 < 16 / 64 * 4 / 3 + 0.001


def test_a_bucket_of_gaps_only_is_null_and_counts_its_rows() -> None:
    built = Built([pa.array([None] * 64 + [1.5] + [float("nan")] * 63 + [None] * 3, pa.float64())])
    assert as_rows(built, built.window(0, 131, 3)) == [[(None, None, 64), (1.5, 1.5, 63), (None, None, 3)]]


def test_infinities_are_values_and_no_gaps() -> None:
    built = Built([pa.array([float("-inf"), float("inf")] * 50)])
    assert as_rows(built, built.window(0, 100, 1)) == [[(float("-inf"), float("inf"), 0)]]


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 2**53 + 1])
def test_integers_are_told_to_the_last_digit(value: int) -> None:
    built = Built([pa.array([value, None] * 100, pa.int64())])
    assert as_rows(built, built.window(0, 200, 1)) == [[(value, value, 100)]]


def test_the_largest_unsigned_integer_is_told_to_the_last_digit() -> None:
    built = Built([pa.array([2**64 - 1, 0], pa.uint64())])
    assert as_rows(built, built.window(0, 2, 1)) == [[(0, 2**64 - 1, 0)]]


@pytest.mark.parametrize(
    "type_", [pa.string(), pa.bool_(), pa.decimal128(5, 2), pa.binary(), pa.list_(pa.int64()), pa.null()], ids=str
)
def test_other_types_have_no_records(type_: pa.DataType) -> None:
    assert not has_records(type_)


def test_columns_without_records_are_not_covered() -> None:
    built = Built([pa.array(["x"] * 10), pa.array(range(10)), pa.array([Decimal(1)] * 10)])
    assert [built.pyramid.covers(place) for place in range(3)] == [False, True, False]


def test_records_beyond_the_memory_bound_go_to_the_scratch_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyramid, "_HELD_BYTES_MAX", 1_000)
    monkeypatch.setattr(pyramid, "_RECORDS_AT_ONCE", 16)
    values = [random.Random(3).random() for _ in range(20_000)]
    built = Built([pa.array(values)], 999, tmp_path)
    assert as_rows(built, built.window(0, 20_000, 1)) == [[(min(values), max(values), 0)]]
    assert list(tmp_path.iterdir()) == []


def of_rows(rows: int) -> LaidOut:
    return laid_out(parquet({"n": np.arange(rows), "t": ["x"] * rows}), "rows.parquet")


def test_a_dataset_has_a_pyramid_from_the_bound_on() -> None:
    assert Role.PYRAMID not in of_rows(PYRAMID_ROWS_MIN - 1).layout.objects
    assert Role.PYRAMID in of_rows(PYRAMID_ROWS_MIN).layout.objects


def test_a_dataset_without_numbers_or_times_has_no_pyramid() -> None:
    dataset = laid_out(parquet({"t": ["x"] * PYRAMID_ROWS_MIN}), "rows.parquet")
    assert Role.PYRAMID not in dataset.layout.objects


def test_the_pyramid_of_a_laid_out_dataset_tells_its_smallest_and_largest() -> None:
    dataset = of_rows(100_001)
    directory = dataset.tables._directories.of(dataset.reader, dataset.layout)
    window = Pyramid.of(directory).window(dataset.reader, [0], 0, 100_001, 1)
    assert (window.columns[0].low[0].as_py(), window.columns[0].high[0].as_py()) == (0, 100_000)


def test_working_files_of_a_registration_lie_in_the_folder_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyramid, "_HELD_BYTES_MAX", 1)
    file = tmp_path / "original"
    file.write_text("n\n" + "1\n" * 1_000)
    # Whoever asked for the system's folder would not find it.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    table = ArrowTables(tmp_path).lay_out(file, "rows.csv", NO_HINTS, MemoryWriter())
    assert table.profile is not None
    assert table.profile.shape.rows == 1_000
    assert [path.name for path in tmp_path.iterdir()] == ["original"]
