"""The layout ``segments``: rows as independent small Parquet files, one after the other in one object.

A segment holds consecutive rows worth about ``SEGMENT_BYTES`` and needs nothing but its own bytes to be decoded, so a
page of any offset is one ranged request for a segment or two. Columns are named by their place inside, so that no
name can be mistaken for a path; their real names and types are in the directory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.parquet.core import ParquetReader

from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.profile import Layout, Role
from session_datasets.formats.layout.directory import Directories, Directory
from session_datasets.formats.layout.encodings import (
    COMPRESSION,
    LeafEncoding,
    chosen,
    leaves_of,
    needs_arrow_schema,
    options,
)
from session_datasets.formats.layout.in_order import InOrder
from session_datasets.formats.layout.ranged_file import Reader, Sink
from session_datasets.formats.values.row_sizes import batch_bytes

LAYOUT_NAME = "segments"
# Compressed bytes aimed at for one segment: a page that touches two of them stays below 256 KB, and one is decoded
# in a millisecond or two.
SEGMENT_BYTES = 112 * KIB
# Every column adds some hundred bytes of its own, so wide tables get larger segments: a tenth is overhead at most.
_SEGMENT_BYTES_PER_COLUMN = 1 * KIB
SEGMENT_ROWS_MAX = 16_384
# Decoded bytes of a segment, so that one page never decodes more for its few rows.
_SEGMENT_DECODED_BYTES_MAX = 16 * MIB
# The rows that encodings and the size of segments are chosen by: four segments of a table of common width.
_SAMPLE_ROWS = 16_384
_SAMPLE_BYTES = 8 * MIB
# Part of their decoded bytes that rows take, before anything is known of them.
_FIRST_RATIO = 0.35
# Bytes fetched ahead when many segments are read in order.
_FETCH_BYTES = 8 * MIB


class SegmentWriter:
    """Writes batches of ``schema`` to ``sink``, encoded by the threads of ``encoder``.

    The first batch is the sample by which the encodings and the rows of a segment are chosen; all segments but the
    last have as many, unless they would be much larger than aimed at. After ``close`` the lists say what was written.
    """

    def __init__(self, sink: Sink, schema: pa.Schema, encoder: InOrder) -> None:
        self.encodings: tuple[LeafEncoding, ...] = ()
        self.segment_rows: list[int] = []
        self.segment_bytes: list[int] = []
        self._sink = sink
        self._schema = pa.schema([field.with_name(_inner_name(place)) for place, field in enumerate(schema)])
        self._encoder = encoder
        self._rows = 0
        self._encoded: Callable[[pa.Table], list[tuple[int, pa.Buffer]]] | None = None
        self._left = pa.Table.from_batches([], self._schema)

    def write(self, batch: pa.RecordBatch) -> None:
        if not len(self._schema) or not batch.num_rows:
            return
        table = pa.Table.from_batches([batch.rename_columns(self._schema.names)], self._schema)
        if self._encoded is None:
            self._choose(table)
        table = pa.concat_tables([self._left, table]) if self._left.num_rows else table
        whole = table.num_rows // self._rows * self._rows
        self._left = table.slice(whole)
        if whole:
            self._encode(table.slice(0, whole))

    def close(self) -> None:
        """Writes the last segment. What the threads raised is raised here at the latest."""
        if self._left.num_rows:
            self._encode(self._left)
        self._encoder.finish()

    def _choose(self, table: pa.Table) -> None:
        average = max(1, _table_bytes(table) // table.num_rows)
        aim = max(SEGMENT_BYTES, _SEGMENT_BYTES_PER_COLUMN * table.num_columns)
        sample = table.slice(0, max(1, min(_SAMPLE_ROWS, _SAMPLE_BYTES // average)))
        rows_max = max(1, min(SEGMENT_ROWS_MAX, _SEGMENT_DECODED_BYTES_MAX // average))
        rows = _within(int(aim / (average * _FIRST_RATIO)), rows_max)
        self.encodings = chosen(sample, min(rows, sample.num_rows))
        paths = [leaf.path for leaf in leaves_of(self._schema)]
        how = options(paths, self.encodings) | {"store_schema": needs_arrow_schema(self._schema)}
        for _ in range(2):  # what each column adds of its own makes the first guess too small for wide tables
            size, of_rows = _segment(sample.slice(0, rows), how).size, min(rows, sample.num_rows)
            rows = _within(of_rows * aim // size, rows_max)
        self._rows = rows
        self._encoded = partial(_segments, rows=rows, size_max=2 * aim, how=how)

    def _encode(self, table: pa.Table) -> None:
        assert self._encoded is not None
        self._encoder.do(partial(self._encoded, _telling_nulls(table)), self._store)

    def _store(self, segments: list[tuple[int, pa.Buffer]]) -> None:
        for rows, segment in segments:
            self._sink.write(memoryview(segment))
            self.segment_rows.append(rows)
            self.segment_bytes.append(segment.size)


def _telling_nulls(table: pa.Table) -> pa.Table:
    """The same, with columns that say whether they have nulls: without, less is written for each value, and read."""
    fields = zip(table.schema, table.columns, strict=True)
    schema = pa.schema([field.with_nullable(column.null_count > 0) for field, column in fields])
    return pa.Table.from_arrays(table.columns, schema=schema)


def _within(rows: int, rows_max: int) -> int:
    return max(1, min(rows, rows_max))


def _inner_name(place: int) -> str:
    return f"c{place}"


def _table_bytes(table: pa.Table) -> int:
    return sum(batch_bytes(batch) for batch in table.to_batches())


def _segments(table: pa.Table, rows: int, size_max: int, how: dict[str, Any]) -> list[tuple[int, pa.Buffer]]:
    """The rows in segments of ``rows``, each with its number of rows; halves of one that would be too large."""
    made: list[tuple[int, pa.Buffer]] = []
    for begin in range(0, table.num_rows, rows):
        made += _small_segments(table.slice(begin, rows), size_max, how)
    return made


def _small_segments(table: pa.Table, size_max: int, how: dict[str, Any]) -> list[tuple[int, pa.Buffer]]:
    rows = table.num_rows
    if rows == 1 or _table_bytes(table) <= _SEGMENT_DECODED_BYTES_MAX:
        segment = _segment(table, how)
        if rows == 1 or segment.size <= size_max:
            return [(rows, segment)]
    halves = (table.slice(0, rows // 2), table.slice(rows // 2))
    return [made for half in halves for made in _small_segments(half, size_max, how)]


def _segment(table: pa.Table, how: dict[str, Any]) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=table.num_rows, write_statistics=False, **COMPRESSION, **how)
    return sink.getvalue()


class Segments:
    """The rows of one laid-out dataset."""

    def __init__(self, reader: Reader, layout: Layout, directories: Directories) -> None:
        self.total = int(layout.parameters["rows"])
        self.directory = directories.of(reader, layout)
        self._reader = reader

    def read(self, places: Sequence[int], begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The rows from ``begin`` to before ``end`` in order, at most one segment at a time, columns as asked.

        Fetched as it is consumed, some ``_FETCH_BYTES`` ahead at most.
        """
        if begin >= end:
            return
        directory = self.directory
        for window in self._windows(directory.segment_of(begin), directory.segment_of(end - 1)):
            first, last = directory.bytes_of(window[0])[0], directory.bytes_of(window[-1])[1]
            held = memoryview(self._reader.read(Role.ROWS, first, last - first))
            for segment in window:
                starts, ends = directory.bytes_of(segment)
                row_begin, row_end = directory.rows_of(segment)
                upto = min(end, row_end) - row_begin
                rows = _decoded(held[starts - first : ends - first], directory, places, upto)
                yield rows.slice(max(0, begin - row_begin))

    def _windows(self, first: int, last: int) -> Iterator[range]:
        """Consecutive segments that together stay within ``_FETCH_BYTES``, one at least."""
        begin = first
        for segment in range(first, last + 1):
            if segment > begin and self.directory.byte_ends[segment] - self.directory.bytes_of(begin)[0] > _FETCH_BYTES:
                yield range(begin, segment)
                begin = segment
        yield range(begin, last + 1)


def _decoded(data: memoryview, directory: Directory, places: Sequence[int], upto: int) -> pa.RecordBatch:
    """The first ``upto`` rows, one at least: those behind them are not decoded."""
    reader = ParquetReader()
    # What pq.ParquetFile adds to it is for files of unknown kinds, and takes a fifth of a small file's time.
    reader.open(pa.BufferReader(data), pre_buffer=False, arrow_extensions_enabled=True)
    leaves = directory.leaves(places)
    batch = next(reader.iter_batches(upto, [0], column_indices=leaves, use_threads=False))
    if batch.num_rows < upto:  # a dictionary or text that fills a batch by itself
        table = reader.read_row_group(0, column_indices=leaves, use_threads=False).slice(0, upto)
        columns = [_whole(column) for column in table.columns]
    else:
        columns = batch.columns
    # Arrow answers columns in the order of the file.
    order = {place: at for at, place in enumerate(sorted(places))}
    return pa.RecordBatch.from_arrays([columns[order[place]] for place in places], schema=directory.schema_of(places))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
