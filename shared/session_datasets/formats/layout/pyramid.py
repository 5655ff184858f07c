"""The pyramid: smallest and largest of every 64 rows, of every 256, of every 1,024 …, for charts of long windows.

For each column of numbers or times one run of records, level after level, the finest first. A record is the smallest
and the largest value as 8 bytes each (int64, uint64 or double; times as their integer count) and, in columns that
have any, the number of nulls and NaN as a uint32. The last record of a level stands for the rows that are left. So a
chart of any window is one short range per column, and says where data are missing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.types as kind

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import JsonValue, Role
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.ranged_file import Reader, Sink
from session_datasets.formats.measure.measure import comparable
from session_datasets.formats.values.cells import is_temporal

# What the directory calls the columns that have records.
MORE = "pyramid"
# A dataset of fewer rows has none: reading all of them takes a few segments.
PYRAMID_ROWS_MIN = 32_768
# Rows of a bucket of the finest level, and buckets that one of the next level joins. With four, some level or its
# pairs give any window between half as many buckets as asked for and all of them.
BUCKET_ROWS = 64
_STEP = 4
# Bytes of records held in memory while the pyramid is built; more go to a file.
_HELD_BYTES_MAX = 16 * MIB
# Bytes of rows held until it is known that they are enough for a pyramid; few rows of many columns cost as much.
_WAITING_BYTES_MAX = 32 * MIB
# Records of one column in memory while its levels are built; a multiple of _STEP.
_RECORDS_AT_ONCE = 1 << 18

Records = np.ndarray[Any, np.dtype[np.void]]


def has_records(type_: pa.DataType) -> bool:
    """Whether values of the type have a smallest and largest that 8 bytes hold: numbers but decimals, and times."""
    return bool(kind.is_integer(type_) or kind.is_floating(type_) or is_temporal(type_))


class PyramidWriter:
    """``see`` every batch in order, then ``write``. Memory is bounded; ``scratch`` is the folder for the rest."""

    def __init__(self, schema: pa.Schema, scratch: Path | None = None) -> None:
        self._spool = _Spool(scratch)
        self._columns = [
            _Column(place, type_, self._spool) for place, type_ in enumerate(schema.types) if has_records(type_)
        ]
        self._rows = 0
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = 0

    def __enter__(self) -> PyramidWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.close()

    def see(self, batch: pa.RecordBatch) -> None:
        self._rows += batch.num_rows
        self._waiting.append(batch)
        self._waiting_bytes += batch.get_total_buffer_size()
        if self._rows >= PYRAMID_ROWS_MIN or self._waiting_bytes > _WAITING_BYTES_MAX:
            self._see_waiting()

    def _see_waiting(self) -> None:
        for batch in self._waiting:
            for column in self._columns:
                column.see(batch.column(column.place))
        self._waiting, self._waiting_bytes = [], 0

    @property
    def is_worth_it(self) -> bool:
        """Whether the rows seen are many enough, and some column has records."""
        return self._rows >= PYRAMID_ROWS_MIN and bool(self._columns)

    def write(self, sink: Sink) -> dict[str, JsonValue]:
        """Writes all levels of all columns; answers what the directory must remember."""
        self._see_waiting()
        for column in self._columns:
            column.write(sink)
        return {
            MORE: {
                "places": [column.place for column in self._columns],
                "with_gaps": [int(column.has_gaps) for column in self._columns],
            }
        }


class _Column:
    """The records of one column."""

    def __init__(self, place: int, type_: pa.DataType, spool: _Spool) -> None:
        self.place = place
        self.has_gaps = False
        self._type = type_
        self._spool = spool
        self._finest: list[_Extent] = []
        self._left = pa.nulls(0, type_)

    def see(self, values: pa.Array) -> None:
        if len(self._left):
            values = pa.concat_arrays([self._left, values])
        whole = len(values) // BUCKET_ROWS * BUCKET_ROWS
        self._left = values.slice(whole)
        if whole:
            self._keep(values.slice(0, whole))

    def write(self, sink: Sink) -> None:
        if len(self._left):
            self._keep(self._left)
        dtype, level, count = _stored(self._type, self.has_gaps), self._finest, 0
        while True:
            next_level: list[_Extent] = []
            count = 0
            for records in self._spool.read(level, _stored(self._type)):
                count += len(records)
                sink.write(_without_padding(records, dtype))
                next_level.append(self._spool.add(_joined(records, _STEP)))
            if count == 1:
                return
            level = next_level

    def _keep(self, values: pa.Array) -> None:
        records = _finest(values, _stored(self._type))
        self.has_gaps = self.has_gaps or bool(records["gaps"].any())
        self._finest.append(self._spool.add(records))


class _Extent(NamedTuple):
    offset: int
    size: int


class _Spool:
    """Records by the extents where they lie, in memory as long as they are few."""

    def __init__(self, scratch: Path | None) -> None:
        # Closed by whoever holds the writer, which is a context manager.
        self._file = tempfile.SpooledTemporaryFile(max_size=_HELD_BYTES_MAX, dir=str(scratch) if scratch else None)  # noqa: SIM115
        self._end = 0

    def add(self, records: Records) -> _Extent:
        data = records.tobytes()
        self._file.seek(self._end)
        self._file.write(data)
        extent = _Extent(self._end, len(data))
        self._end += len(data)
        return extent

    def read(self, extents: Sequence[_Extent], dtype: np.dtype[np.void]) -> Iterator[Records]:
        """The records in order, ``_RECORDS_AT_ONCE`` in each piece but the last."""
        wanted = _RECORDS_AT_ONCE * dtype.itemsize
        held = bytearray()
        for extent in extents:
            self._file.seek(extent.offset)
            held += self._file.read(extent.size)
            while len(held) > wanted:
                yield np.frombuffer(bytes(held[:wanted]), dtype)
                del held[:wanted]
        yield np.frombuffer(bytes(held), dtype)

    def close(self) -> None:
        self._file.close()


def _stored(type_: pa.DataType, with_gaps: bool = True) -> np.dtype[np.void]:
    number = "<f8" if kind.is_floating(type_) else "<u8" if kind.is_unsigned_integer(type_) else "<i8"
    return np.dtype([("low", number), ("high", number), *([("gaps", "<u4")] if with_gaps else [])])


def _nothing(number: np.dtype[Any]) -> tuple[Any, Any]:
    """A smallest and a largest that any value replaces."""
    if number.kind == "f":
        return np.inf, -np.inf
    bounds = np.iinfo(number)
    return bounds.max, bounds.min


def _finest(values: pa.Array, dtype: np.dtype[np.void]) -> Records:
    """One record for every BUCKET_ROWS values, one for the rest."""
    plain, present = _plain(values)
    low_none, high_none = _nothing(plain.dtype)
    records = np.empty(-(-len(plain) // BUCKET_ROWS), dtype)
    if present is None:
        records["low"] = _buckets(plain, low_none).min(axis=1)
        records["high"] = _buckets(plain, high_none).max(axis=1)
        records["gaps"] = 0
        return records
    low = _buckets(np.where(present, plain, low_none), low_none).min(axis=1)
    high = _buckets(np.where(present, plain, high_none), high_none).max(axis=1)
    gaps = _buckets(~present, False).sum(axis=1)
    # What says "nothing" in a narrow type would be a value in the wide one.
    empty_low, empty_high = _nothing(dtype["low"])
    nothing = _buckets(present, False).any(axis=1) == False  # noqa: E712
    records["low"] = np.where(nothing, dtype["low"].type(empty_low), low.astype(dtype["low"]))
    records["high"] = np.where(nothing, dtype["low"].type(empty_high), high.astype(dtype["low"]))
    records["gaps"] = gaps
    return records


def _plain(values: pa.Array) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """The values as numpy has them, and where there is one: None for everywhere."""
    values = comparable(values)
    # Without the validity bits, so that integers stay integers; what lies under a null is anything.
    bare = pa.Array.from_buffers(values.type, len(values), [None, values.buffers()[1]], offset=values.offset)
    plain = bare.to_numpy(zero_copy_only=False)
    present = values.is_valid().to_numpy(zero_copy_only=False) if values.null_count else None
    if plain.dtype.kind == "f":
        missing = np.isnan(plain)
        if missing.any():
            present = ~missing if present is None else present & ~missing
    return plain, present


def _buckets(values: np.ndarray[Any, Any], padding: Any) -> np.ndarray[Any, Any]:
    """The values in rows of BUCKET_ROWS, the last one filled up."""
    missing = -len(values) % BUCKET_ROWS
    if missing:
        values = np.concatenate([values, np.full(missing, padding, values.dtype)])
    return values.reshape(-1, BUCKET_ROWS)


def _joined(records: Records, step: int) -> Records:
    """One record for every ``step`` records, one for the rest."""
    missing = -len(records) % step
    if missing:
        filling = np.zeros(missing, records.dtype)
        filling["low"], filling["high"] = _nothing(records.dtype["low"])
        records = np.concatenate([records, filling])
    rows = records.reshape(-1, step)
    joined = np.empty(len(rows), records.dtype)
    joined["low"] = rows["low"].min(axis=1)
    joined["high"] = rows["high"].max(axis=1)
    if "gaps" in (records.dtype.names or ()):
        joined["gaps"] = rows["gaps"].sum(axis=1)
    return joined


def _without_padding(records: Records, dtype: np.dtype[np.void]) -> bytes:
    if records.dtype == dtype:
        return records.tobytes()
    stored = np.empty(len(records), dtype)
    for name in dtype.names or ():
        stored[name] = records[name]
    return stored.tobytes()


class Extremes(NamedTuple):
    """One value for each bucket. ``low`` and ``high`` have the type that ``measure.comparable`` gives the column, and
    are null where the bucket has gaps only; ``gaps`` counts its nulls and NaN, as int64."""

    low: pa.Array
    high: pa.Array
    gaps: pa.Array


@dataclass(frozen=True, slots=True)
class Window:
    """``rows`` rows from ``offset`` in buckets of ``bucket_rows``, the last of which may have fewer."""

    offset: int
    rows: int
    bucket_rows: int
    columns: tuple[Extremes, ...]


class Pyramid:
    """The pyramid of one laid-out dataset, or none."""

    def __init__(self, rows: int, types: Sequence[pa.DataType], begins: dict[int, int], with_gaps: set[int]) -> None:
        self._rows = rows
        self._types = types
        self._begins = begins
        self._with_gaps = with_gaps

    @classmethod
    def of(cls, directory: Directory) -> Pyramid:
        remembered = directory.more.get(MORE, {"places": [], "with_gaps": []})
        rows = directory.row_ends[-1] if directory.row_ends else 0
        records = sum(_level_counts(rows))
        begins, with_gaps, at = {}, set(), 0
        for place, gaps in zip(remembered["places"], remembered["with_gaps"], strict=True):
            begins[place] = at
            if gaps:
                with_gaps.add(place)
            at += records * _stored(directory.schema.types[place], bool(gaps)).itemsize
        return cls(rows, directory.schema.types, begins, with_gaps)

    def covers(self, place: int) -> bool:
        """Whether the column has records."""
        return place in self._begins

    def window(self, reader: Reader, places: Sequence[int], offset: int, rows: int, buckets_max: int) -> Window:
        """The window, widened to whole buckets, in at most ``buckets_max`` of them: one request for each column.

        More than half of ``buckets_max``, unless the finest level has no more. Columns are those that ``covers``;
        ``rows`` and ``buckets_max`` are at least 1, and the window lies within the dataset.
        """
        bucket_rows = BUCKET_ROWS
        while _buckets_of(offset, rows, bucket_rows) > buckets_max:
            bucket_rows *= 2
        first = offset // bucket_rows
        count = _buckets_of(offset, rows, bucket_rows)
        begin, end = first * bucket_rows, min(self._rows, (first + count) * bucket_rows)
        level, joined = _level_of(bucket_rows)
        records = (first * joined, -(-end * joined // bucket_rows))
        data = reader.read_each(Role.PYRAMID, [self._range(place, level, *records) for place in places])
        rows_of = np.minimum(bucket_rows, end - (begin + bucket_rows * np.arange(count)))
        columns = tuple(self._extremes(place, part, joined, rows_of) for place, part in zip(places, data, strict=True))
        return Window(begin, end - begin, bucket_rows, columns)

    def _range(self, place: int, level: int, first: int, last: int) -> tuple[int, int]:
        width = self._dtype(place).itemsize
        before = sum(_level_counts(self._rows)[:level])
        return self._begins[place] + (before + first) * width, (last - first) * width

    def _dtype(self, place: int) -> np.dtype[np.void]:
        return _stored(self._types[place], place in self._with_gaps)

    def _extremes(self, place: int, data: bytes, joined: int, rows_of: np.ndarray[Any, Any]) -> Extremes:
        records = np.frombuffer(data, self._dtype(place))
        if joined > 1:
            records = _joined(records, joined)
        gaps = records["gaps"].astype(np.int64) if place in self._with_gaps else np.zeros(len(records), np.int64)
        type_ = comparable(pa.nulls(0, self._types[place])).type
        empty = gaps == rows_of
        low, high = (pa.array(np.ascontiguousarray(records[name]), mask=empty).cast(type_) for name in ("low", "high"))
        return Extremes(low, high, pa.array(gaps))


def _buckets_of(offset: int, rows: int, bucket_rows: int) -> int:
    return -(-(offset + rows) // bucket_rows) - offset // bucket_rows


def _level_of(bucket_rows: int) -> tuple[int, int]:
    """The level whose records, one or two of them joined, have so many rows."""
    level, joined = 0, bucket_rows // BUCKET_ROWS
    while joined >= _STEP:
        level, joined = level + 1, joined // _STEP
    return level, joined


def _level_counts(rows: int) -> list[int]:
    """Records of each level, down to a single one."""
    if not rows:
        return []
    counts = [-(-rows // BUCKET_ROWS)]
    while counts[-1] > 1:
        counts.append(-(-counts[-1] // _STEP))
    return counts
