"""The series of a chart: every value of a short window, the smallest and largest per bucket of a long one.

Long texts can make a short window larger than any answer: reading stops there and is refused, since a chart with
a gap that nobody announced would be a lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX
from session_datasets.domain.page import Method, Series, SeriesColumn
from session_datasets.domain.profile import JsonValue
from session_datasets.formats.cells import is_number, is_temporal
from session_datasets.formats.measure import bounds, comparable, restored
from session_datasets.formats.pages import json_bytes
from session_datasets.formats.ranged_file import Reader
from session_datasets.formats.row_sizes import batch_text_bytes, small_slices
from session_datasets.formats.segments import Segments

# Bytes of JSON held of an exact series. An answer holds PAGE_BYTES_MAX, which the operation measures to the byte;
# this keeps a window of huge texts from filling the memory first.
_HELD_BYTES_MAX = 4 * PAGE_BYTES_MAX


def read_series(
    reader: Reader,
    table: Segments,
    *,
    columns: Sequence[str],
    offset: int,
    rows: int,
    max_points: int,
    max_bytes: int = _HELD_BYTES_MAX,
) -> Series:
    """See ``Tables.read_columns``. An exact series beyond ``max_bytes`` of JSON is a Refusal too-large."""
    places = table.directory.chosen(columns)
    rows = max(0, min(rows, table.total - offset))
    bucket_rows = max(1, -(-rows // max_points))
    if bucket_rows == 1:
        method, made = Method.EXACT, _exact(table, places, offset, rows, max_bytes)
    else:
        for place in places:
            _require_reducible(table, place, rows, max_points)
        method, made = Method.MIN_MAX, _reduced(table, places, offset, rows, bucket_rows)
    return Series(tuple(made), offset, rows, table.total, method, bucket_rows, reader.cost)


def _exact(table: Segments, places: Sequence[int], offset: int, rows: int, max_bytes: int) -> list[SeriesColumn]:
    values: list[list[JsonValue]] = [[] for _ in places]
    nulls = [0] * len(places)
    seen = used = 0
    for batch in _pieces(table, places, offset, rows, max_bytes):
        seen += batch.num_rows
        if (least := batch_text_bytes(batch)) > max_bytes:
            raise _too_large(offset, rows, (used + least) // seen)
        for at, (place, column) in enumerate(zip(places, batch.columns, strict=True)):
            cells = table.directory.rules[place].encode(column)
            values[at] += cells
            nulls[at] += column.null_count
            used += json_bytes(cells)
        if used > max_bytes:
            raise _too_large(offset, rows, used // seen)
    return [
        SeriesColumn(table.directory.columns[place], null_count, values=found)
        for place, null_count, found in zip(places, nulls, values, strict=True)
    ]


def _pieces(table: Segments, places: Sequence[int], offset: int, rows: int, max_bytes: int) -> Iterator[pa.RecordBatch]:
    for batch in table.read(places, offset, offset + rows):
        yield from small_slices(batch, max_bytes)


def _too_large(offset: int, rows: int, row_bytes: int) -> Refusal:
    """``row_bytes``: what one row of the window takes on the average, as far as it was read."""
    detail = (
        f"The series takes more than the {PAGE_BYTES_MAX:,} bytes of JSON that an answer holds. Nothing was answered."
    )
    if rows == 1:
        return Refusal(
            ProblemCode.TOO_LARGE,
            detail,
            advice="Ask for fewer columns, read the row with read_rows, which shortens it, or use load_artifact.",
        )
    return Refusal(
        ProblemCode.TOO_LARGE,
        detail,
        advice="Ask for a narrower window with offset and rows, or for fewer columns.",
        retry_with={"offset": offset, "rows": max(1, min(rows, PAGE_BYTES_MAX // row_bytes) // 2)},
    )


def _require_reducible(table: Segments, place: int, rows: int, max_points: int) -> None:
    column, type_ = table.directory.columns[place], table.directory.rules[place].type
    if is_number(type_) or is_temporal(type_):
        return
    raise Refusal(
        ProblemCode.INVALID_REQUEST,
        f"Column '{column.name}' is {column.type}: {rows:,} rows of it can not be reduced to {max_points:,} points.",
        advice=f"Ask for a window of at most {max_points:,} rows, for numeric or temporal columns, or use read_rows.",
        retry_with={"rows": max_points},
    )


class _Buckets:
    """Smallest and largest of one column per bucket of ``bucket_rows`` consecutive rows."""

    def __init__(self, count: int, bucket_rows: int) -> None:
        self.nulls = 0
        self.low: list[Any] = [None] * count
        self.high: list[Any] = [None] * count
        self._bucket_rows = bucket_rows

    def see(self, values: pa.Array, begin: int) -> None:
        """``values`` are the rows of the window from ``begin`` on."""
        self.nulls += values.null_count
        values = comparable(values)
        at = 0
        while at < len(values):
            bucket, inside = divmod(begin + at, self._bucket_rows)
            length = min(self._bucket_rows - inside, len(values) - at)
            self._widen(bucket, *bounds(values.slice(at, length)))
            at += length

    def _widen(self, bucket: int, low: Any, high: Any) -> None:
        if low is None:
            return
        if self.low[bucket] is None or low < self.low[bucket]:
            self.low[bucket] = low
        if self.high[bucket] is None or high > self.high[bucket]:
            self.high[bucket] = high


def _reduced(table: Segments, places: Sequence[int], offset: int, rows: int, bucket_rows: int) -> list[SeriesColumn]:
    buckets = [_Buckets(-(-rows // bucket_rows), bucket_rows) for _ in places]
    seen = 0
    for batch in table.read(places, offset, offset + rows):
        for column_buckets, values in zip(buckets, batch.columns, strict=True):
            column_buckets.see(values, seen)
        seen += batch.num_rows
    return [_series_column(table, place, found) for place, found in zip(places, buckets, strict=True)]


def _series_column(table: Segments, place: int, found: _Buckets) -> SeriesColumn:
    rules = table.directory.rules[place]
    low, high = (rules.encode(restored(values, rules.type)) for values in (found.low, found.high))
    return SeriesColumn(table.directory.columns[place], found.nulls, min=low, max=high)
