"""A page fetches little more than it may need, in few requests."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest

from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading import reading_ahead
from session_datasets.formats.reading.reading_ahead import batches_ahead
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet

ROWS = 20_000


@pytest.fixture(scope="module")
def laid() -> LaidOut:
    """Some ten segments of texts that do not compress to nothing."""
    draw = random.Random(11)
    columns = {"n": pa.array(range(ROWS)), "t": [draw.randbytes(50).hex() for _ in range(ROWS)]}
    return laid_out(parquet(columns), "t.parquet")


@pytest.fixture
def dataset(laid: LaidOut, monkeypatch: pytest.MonkeyPatch) -> Iterator[LaidOut]:
    monkeypatch.setattr(reading_ahead, "_AHEAD_BYTES_MIN", 1)
    laid.reader.requests.clear()
    yield laid
    laid.reader.requests.clear()


def read(dataset: LaidOut, begin: int, end: int, ahead_bytes: int) -> Iterator[list[int]]:
    table = Segments(dataset.reader, dataset.layout, Directories())
    return (batch.column(0).to_pylist() for batch in batches_ahead(table, [0], begin, end, ahead_bytes))


@pytest.mark.parametrize("ahead_bytes", [1, 300_000, 10**9])
@pytest.mark.parametrize(("begin", "end"), [(0, ROWS), (777, 18_888), (5, 6), (9, 9)])
def test_the_rows_come_whole_and_in_order(dataset: LaidOut, ahead_bytes: int, begin: int, end: int) -> None:
    assert [row for rows in read(dataset, begin, end, ahead_bytes) for row in rows] == list(range(begin, end))


def test_requests_grow_fewer_with_the_bytes_ahead(dataset: LaidOut) -> None:
    counts = []
    for ahead_bytes in (1, 300_000, 10**9):
        dataset.reader.requests.clear()
        list(read(dataset, 0, ROWS, ahead_bytes))
        counts.append(len(dataset.reader.requests))
    segments = len(Segments(dataset.reader, dataset.layout, Directories()).directory.row_ends)
    assert counts[0] == segments > 5
    assert 1 == counts[2] < counts[1] < counts[0]


def test_whoever_stops_early_has_not_fetched_the_rest(dataset: LaidOut) -> None:
    next(read(dataset, 0, ROWS, 300_000))
    assert len(dataset.reader.requests) == 1
    assert dataset.reader.cost.bytes_read <= 300_000


def test_a_page_in_two_segments_is_one_request(laid: LaidOut) -> None:
    boundary = Segments(laid.reader, laid.layout, Directories()).directory.row_ends[2]
    laid.reader.requests.clear()
    assert laid.page(boundary - 5, 10, ["n"]).rows == [[row] for row in range(boundary - 5, boundary + 5)]
    assert len(laid.reader.requests) == 1
