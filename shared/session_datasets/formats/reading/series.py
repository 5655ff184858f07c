"""The series of a chart: every value of a short window, and of a long one smallest and largest per bucket, or rows
that were chosen.

Buckets begin at multiples of their length, wherever the window does, so that a chart which is moved keeps its shape;
the window is widened to whole ones. Long texts can make a short window larger than any answer: reading stops there
and is refused, since a chart with a gap that nobody announced would be a lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX, SERIES_CHOSEN_VALUES_MAX
from session_datasets.domain.page import Axis, Method, Reduction, Series, SeriesColumn
from session_datasets.domain.profile import JsonValue, Order
from session_datasets.domain.quoting import on_one_line, quoted
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.pyramid import Extremes
from session_datasets.formats.measure.gaps import Gaps, present
from session_datasets.formats.measure.measure import bounds, comparable, restored
from session_datasets.formats.measure.ordering import Ordering
from session_datasets.formats.reading.downsample import chosen_rows
from session_datasets.formats.reading.series_source import SeriesSource
from session_datasets.formats.values.cell_sizes import COMMA_BYTES, cells_bytes
from session_datasets.formats.values.cells import CellRules, is_number, is_temporal
from session_datasets.formats.values.nested import is_nested
from session_datasets.formats.values.row_sizes import batch_text_bytes, small_slices

# The values of a window by the places of their columns.
_Values = dict[int | None, pa.Array]

# Bytes of JSON held of an exact series. An answer holds PAGE_BYTES_MAX, which the operation measures to the byte;
# this keeps a window of huge texts from filling the memory first.
_HELD_BYTES_MAX = 4 * PAGE_BYTES_MAX


def read_series(
    source: SeriesSource,
    *,
    columns: Sequence[str],
    offset: int,
    rows: int,
    max_points: int,
    reduction: Reduction = Reduction.AUTO,
    x: str | None = None,
    x_order: Order | None = None,
    max_bytes: int = _HELD_BYTES_MAX,
) -> Series:
    """See ``Tables.read_columns``. An exact series beyond ``max_bytes`` of JSON is a Refusal too-large."""
    places = source.directory.chosen(columns)
    x_place = None if x is None else source.directory.chosen([x])[0]
    rows = max(0, min(rows, source.total - offset))
    wanted = _Wanted(places, x_place, offset, rows)
    if rows <= max_points:
        made = _exact(source, wanted, max_bytes)
    else:
        for place in wanted.all_places:
            _require_reducible(source.directory, place, rows, max_points)
        made = (
            _min_max(source, wanted, max_points // 2, x_order)
            if reduction is Reduction.AUTO
            else _chosen(source, wanted, reduction, max_points)
        )
    return Series(
        columns=tuple(made.columns[place] for place in places),
        offset=made.offset,
        rows=made.rows,
        total=source.total,
        method=made.method,
        bucket_rows=made.bucket_rows,
        cost=source.reader.cost,
        axis=None if x_place is None else Axis(made.axis or made.columns[x_place], made.order),
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    places: Sequence[int]
    x_place: int | None
    offset: int
    rows: int

    @property
    def all_places(self) -> list[int]:
        """The columns and the axis, each once."""
        return list(dict.fromkeys([*self.places, *([] if self.x_place is None else [self.x_place])]))

    @property
    def end(self) -> int:
        return self.offset + self.rows


@dataclass(frozen=True, slots=True)
class _Made:
    """A series by the places of its columns. ``axis`` is that of the x column where it differs from its own."""

    method: Method
    offset: int
    rows: int
    columns: dict[int, SeriesColumn]
    order: Order
    bucket_rows: int = 1
    axis: SeriesColumn | None = None


# --- every value -----------------------------------------------------------------------------------------------


def _exact(source: SeriesSource, wanted: _Wanted, max_bytes: int) -> _Made:
    places = wanted.all_places
    rules = [source.directory.rules[place] for place in places]
    values: list[list[JsonValue]] = [[] for _ in places]
    gaps = [Gaps() for _ in places]
    order = _AxisOrder(wanted, places)
    seen = used = 0
    for batch in _small_pieces(source, places, wanted, max_bytes):
        seen += batch.num_rows
        if (least := batch_text_bytes(batch)) > max_bytes:
            raise _too_large(wanted, (used + least) // seen)
        for at, column in enumerate(batch.columns):
            cells = rules[at].encode(column)
            values[at] += cells
            gaps[at].see(column)
            used += cells_bytes(cells, rules[at].type) + COMMA_BYTES * len(cells)
        order.see(batch)
        if used > max_bytes:
            raise _too_large(wanted, used // seen)
    columns = {
        place: _column(source.directory, place, missing, missing.missing, values=found)
        for place, missing, found in zip(places, gaps, values, strict=True)
    }
    return _Made(Method.EXACT, wanted.offset, wanted.rows, columns, order.found)


def _small_pieces(
    source: SeriesSource, places: Sequence[int], wanted: _Wanted, max_bytes: int
) -> Iterator[pa.RecordBatch]:
    for batch in source.read(places, wanted.offset, wanted.end):
        yield from small_slices(batch, max_bytes)


def _too_large(wanted: _Wanted, row_bytes: int) -> Refusal:
    """``row_bytes``: what one row of the window takes on the average, as far as it was read."""
    detail = (
        f"The series takes more than the {PAGE_BYTES_MAX:,} bytes of JSON that an answer holds. Nothing was answered."
    )
    if wanted.rows == 1:
        return Refusal(
            ProblemCode.TOO_LARGE,
            detail,
            advice="Ask for fewer columns, read the row with read_rows, which shortens it, or use load_artifact.",
        )
    fitting = max(1, min(wanted.rows, PAGE_BYTES_MAX // row_bytes) // 2)
    return Refusal(
        ProblemCode.TOO_LARGE,
        detail,
        advice="Ask for a narrower window with offset and rows, or for fewer columns.",
        retry_with={"offset": wanted.offset, "rows": fitting},
    )


def _require_reducible(directory: Directory, place: int, rows: int, max_points: int) -> None:
    column, type_ = directory.columns[place], directory.rules[place].type
    if is_number(type_) or is_temporal(type_):
        return
    raise Refusal(
        ProblemCode.INVALID_REQUEST,
        f"Column {quoted(column.name)} is {on_one_line(column.type)}: {rows:,} rows of it can not be reduced to "
        f"{max_points:,} points.",
        advice=f"Ask for a window of at most {max_points:,} rows, for numeric or temporal columns, or use read_rows.",
        retry_with={"rows": max_points},
    )


# --- smallest and largest --------------------------------------------------------------------------------------


def _min_max(source: SeriesSource, wanted: _Wanted, buckets_max: int, x_order: Order | None) -> _Made:
    """From the pyramid what it has, and the rest from the rows, in the same buckets."""
    places = wanted.all_places
    columns: dict[int, SeriesColumn] = {}
    order = x_order or Order.UNSORTED
    if covered := source.from_pyramid(places, wanted.rows, buckets_max):
        window = source.extremes(covered, wanted.offset, wanted.rows, buckets_max)
        begin, end, bucket_rows = window.offset, window.offset + window.rows, window.bucket_rows
        for place, extremes in zip(covered, window.columns, strict=True):
            columns[place] = _of_extremes(source.directory, place, extremes)
    else:
        bucket_rows = bucket_rows_of(wanted.offset, wanted.rows, buckets_max)
        begin = wanted.offset // bucket_rows * bucket_rows
        end = min(source.total, -(-wanted.end // bucket_rows) * bucket_rows)
    if rest := [place for place in places if place not in columns]:
        measured = _AxisOrder(wanted, rest)
        columns |= _of_rows(source, rest, range(begin, end), bucket_rows, measured)
        if wanted.x_place in rest:
            order = measured.found
    return _Made(Method.MIN_MAX, begin, end - begin, columns, order, bucket_rows)


def bucket_rows_of(offset: int, rows: int, buckets_max: int) -> int:
    """The fewest rows of a bucket so that at most ``buckets_max`` (2 at least) of them touch the window."""
    fewest = -(-rows // buckets_max)
    touched = -(-(offset + rows) // fewest) - offset // fewest
    return fewest if touched <= buckets_max else -(-rows // (buckets_max - 1))


def _of_extremes(directory: Directory, place: int, found: Extremes) -> SeriesColumn:
    rules = directory.rules[place]
    missing = int(pa.compute.sum(found.gaps).as_py() or 0)
    gaps = Gaps()
    gaps.nulls = missing
    # The pyramid counts both together; a column that is finite has no NaN.
    told_apart = missing == 0 or rules.finite
    # What compares as it is needs no way back.
    plain = found.low.type == rules.type
    low, high = (
        rules.encode(values) if plain else _spelled(values.to_pylist(), rules) for values in (found.low, found.high)
    )
    column = _column(directory, place, gaps, low.count(None), min=low, max=high)
    return column if told_apart else _untold(column)


def _untold(column: SeriesColumn) -> SeriesColumn:
    return SeriesColumn(column.column, column.missing, column.gaps, None, None, min=column.min, max=column.max)


def _of_rows(
    source: SeriesSource, places: Sequence[int], window: range, bucket_rows: int, order: _AxisOrder
) -> dict[int, SeriesColumn]:
    buckets = [_Buckets(-(-len(window) // bucket_rows), bucket_rows) for _ in places]
    seen = 0
    for batch in source.read(places, window.start, window.stop):
        for column_buckets, values in zip(buckets, batch.columns, strict=True):
            column_buckets.see(values, seen)
        order.see(batch)
        seen += batch.num_rows
    made = {}
    for place, found in zip(places, buckets, strict=True):
        rules = source.directory.rules[place]
        low, high = _spelled(found.low, rules), _spelled(found.high, rules)
        made[place] = _column(source.directory, place, found.gaps, low.count(None), min=low, max=high)
    return made


def _spelled(values: list[Any], rules: CellRules) -> list[JsonValue]:
    return rules.encode(restored(values, rules.type))


class _Buckets:
    """Smallest and largest of one column per bucket of ``bucket_rows`` consecutive rows."""

    def __init__(self, count: int, bucket_rows: int) -> None:
        self.gaps = Gaps()
        self.low: list[Any] = [None] * count
        self.high: list[Any] = [None] * count
        self._bucket_rows = bucket_rows

    def see(self, values: pa.Array, begin: int) -> None:
        """``values`` are the rows of the window from ``begin`` on."""
        self.gaps.see(values)
        values = comparable(values)
        if kind.is_integer(values.type) or kind.is_floating(values.type):
            for bucket, low, high in _extremes_of(values, begin, self._bucket_rows):
                self._widen(bucket, low, high)
        else:
            self._see_each(values, begin)

    def _see_each(self, values: pa.Array, begin: int) -> None:
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


def _extremes_of(values: pa.Array, begin: int, bucket_rows: int) -> Iterator[tuple[int, Any, Any]]:
    """The buckets that have a number, null and NaN aside, with the least and the greatest; ``begin`` as above.

    All buckets at once: a short window has a thousand of few rows, and each kernel takes as long as hundreds of them.
    """
    rows = pc.indices_nonzero(present(values))
    if not len(rows):
        return
    numbers = values.take(rows).to_numpy()
    buckets = (rows.to_numpy().astype(np.int64) + begin) // bucket_rows
    first = np.flatnonzero(np.diff(buckets, prepend=-1))
    least, greatest = (extreme.reduceat(numbers, first).tolist() for extreme in (np.minimum, np.maximum))
    yield from zip(buckets[first].tolist(), least, greatest, strict=True)


# --- chosen rows -----------------------------------------------------------------------------------------------


def _chosen(source: SeriesSource, wanted: _Wanted, reduction: Reduction, max_points: int) -> _Made:
    places = wanted.all_places
    if wanted.rows * len(places) > SERIES_CHOSEN_VALUES_MAX:
        raise _too_many_to_choose(wanted, len(places))
    table = pa.Table.from_batches(source.read(places, wanted.offset, wanted.end)).combine_chunks()
    values: _Values = dict(zip(places, (column.chunk(0) for column in table.columns), strict=True))
    columns = {
        place: _chosen_column(source.directory, wanted, values, place, reduction, max_points) for place in wanted.places
    }
    order, axis = _AxisOrder(wanted, places), None
    if wanted.x_place is not None:
        order.see_values(values[wanted.x_place])
        gaps = _gaps_of(values[wanted.x_place])
        axis = _column(source.directory, wanted.x_place, gaps, gaps.missing)
    return _Made(Method(reduction.value), wanted.offset, wanted.rows, columns, order.found, axis=axis)


def _chosen_column(
    directory: Directory, wanted: _Wanted, all_values: _Values, place: int, reduction: Reduction, max_points: int
) -> SeriesColumn:
    """Each column has rows of its own, and the axis at them."""
    values, x = all_values[place], all_values.get(wanted.x_place)
    rows = chosen_rows(reduction, values, x, max_points)
    gaps = _gaps_of(values)
    return _column(
        directory,
        place,
        gaps,
        gaps.missing,
        values=directory.rules[place].encode(values.take(rows)),
        rows=[wanted.offset + row for row in rows.to_pylist()],
        x=None if wanted.x_place is None or x is None else directory.rules[wanted.x_place].encode(x.take(rows)),
    )


def _gaps_of(values: pa.Array) -> Gaps:
    gaps = Gaps()
    gaps.see(values)
    return gaps


def _too_many_to_choose(wanted: _Wanted, columns: int) -> Refusal:
    return Refusal(
        ProblemCode.TOO_LARGE,
        f"The window has {wanted.rows:,} rows of {columns:,} columns; rows are chosen among at most "
        f"{SERIES_CHOSEN_VALUES_MAX:,} values. Nothing was answered.",
        advice="Ask with method auto, which takes any window, or for a narrower window, or for fewer columns.",
        retry_with={"method": Reduction.AUTO.value},
    )


# --- what all of them share -------------------------------------------------------------------------------------


def _column(directory: Directory, place: int, found: Gaps, gaps: int, **values: Any) -> SeriesColumn:
    return SeriesColumn(directory.columns[place], found.missing, gaps, found.nulls, found.nans, **values)


class _AxisOrder:
    """Whether the values of the axis ascend or descend over the rows that were read."""

    def __init__(self, wanted: _Wanted, places: Sequence[int]) -> None:
        self._at = places.index(wanted.x_place) if wanted.x_place in places else None
        self._ordering = Ordering()

    @property
    def found(self) -> Order:
        return self._ordering.order

    def see(self, batch: pa.RecordBatch) -> None:
        self.see_values(None if self._at is None else batch.column(self._at))

    def see_values(self, values: pa.Array | None) -> None:
        if values is None:
            return
        if is_nested(values.type) or pa.types.is_null(values.type):
            self._ordering.break_off()
        else:
            self._ordering.see(comparable(values))
