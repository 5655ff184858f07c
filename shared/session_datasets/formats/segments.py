"""The layout ``segments``: rows as independent small Parquet files, one after the other in one object.

A segment holds consecutive rows worth about ``SEGMENT_BYTES`` and needs nothing but its own bytes to be decoded, so a
page of any offset is one ranged request for a segment or two. Columns are named by their place inside, so that no
name can be mistaken for a path; their real names are in the directory.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.profile import JsonValue, Layout, Role
from session_datasets.formats.cells import CellRules
from session_datasets.formats.directory import INLINE_BYTES_MAX, Directories, Directory
from session_datasets.formats.ranged_file import Reader
from session_datasets.formats.row_sizes import batch_bytes

LAYOUT_NAME = "segments"
# Compressed bytes aimed at for one segment: one quick request. Each column adds its chunk's fixed cost, so wide
# tables get larger segments and fewer of them.
SEGMENT_BYTES = 180 * KIB
_SEGMENT_BYTES_PER_COLUMN = 2 * KIB
SEGMENT_ROWS_MAX = 16_384
# Decoded bytes of a segment, so that one page never decodes more for its few rows.
_SEGMENT_DECODED_BYTES_MAX = 16 * MIB
# Bytes fetched ahead when many segments are read in order.
_FETCH_BYTES = 8 * MIB
# What text compresses to before anything is known of it.
_FIRST_RATIO = 0.25


class Sink(Protocol):
    def write(self, data: bytes | memoryview) -> int: ...

    def tell(self) -> int: ...


class SegmentWriter:
    """Writes batches of ``schema`` to ``sink``. ``close`` with the cell rules of the columns."""

    def __init__(self, sink: Sink, schema: pa.Schema) -> None:
        self._sink = sink
        self._schema = schema
        self._inner = pa.schema([field.with_name(f"c{place}") for place, field in enumerate(schema)])
        self._aim = max(SEGMENT_BYTES, _SEGMENT_BYTES_PER_COLUMN * len(schema))
        self._ratio = _FIRST_RATIO
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self._segment_rows: list[int] = []
        self._segment_bytes: list[int] = []
        self.rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self.rows += batch.num_rows
        if not len(self._schema):
            return
        self._pending.append(batch.rename_columns(self._inner.names))
        self._pending_bytes += batch_bytes(batch)
        rows = sum(piece.num_rows for piece in self._pending)
        while rows and (self._pending_bytes >= self._decoded_bytes or rows >= SEGMENT_ROWS_MAX):
            rows_now = self._rows_of_a_segment(self._pending_bytes, rows)
            self._flush(rows_now)
            rows -= rows_now

    @property
    def _decoded_bytes(self) -> int:
        return int(min(_SEGMENT_DECODED_BYTES_MAX, self._aim / self._ratio))

    def _rows_of_a_segment(self, pending: int, rows: int) -> int:
        by_bytes = rows * self._decoded_bytes // max(1, pending)
        return max(1, min(rows, SEGMENT_ROWS_MAX, by_bytes))

    def _flush(self, rows: int) -> None:
        table = pa.Table.from_batches(self._pending, self._inner)
        rest = table.slice(rows)
        self._pending = rest.to_batches() if rest.num_rows else []
        rest_bytes = sum(batch_bytes(piece) for piece in self._pending)
        segment = _segment(table.slice(0, rows))
        self._sink.write(segment)
        self._segment_rows.append(rows)
        self._segment_bytes.append(len(segment))
        self._ratio = max(0.01, len(segment) / max(1, self._pending_bytes - rest_bytes))
        self._pending_bytes = rest_bytes

    def close(self, rules: Sequence[CellRules]) -> tuple[Directory, dict[str, JsonValue]]:
        """Writes the last segment. Answers the directory and the layout's parameters."""
        if left := sum(piece.num_rows for piece in self._pending):
            self._flush(left)
        directory = Directory.of(self._schema, rules, self._segment_rows, self._segment_bytes, {})
        packed = directory.packed()
        if len(packed) <= INLINE_BYTES_MAX:
            return directory, {"rows": self.rows, "directory": base64.b64encode(packed).decode("ascii")}
        place = {"directory_offset": self._sink.tell(), "directory_bytes": len(packed)}
        self._sink.write(packed)
        return directory, {"rows": self.rows, **place}


def _segment(table: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    pq.write_table(
        table, sink, row_group_size=table.num_rows, compression="zstd", compression_level=1, write_statistics=False
    )
    return memoryview(sink.getvalue())


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
                rows = _decoded(held[starts - first : ends - first], directory.schema, places)
                row_begin, row_end = directory.rows_of(segment)
                skip = max(0, begin - row_begin)
                yield rows.slice(skip, min(end, row_end) - row_begin - skip)

    def _windows(self, first: int, last: int) -> Iterator[range]:
        """Consecutive segments that together stay within ``_FETCH_BYTES``, one at least."""
        begin = first
        for segment in range(first, last + 1):
            if segment > begin and self.directory.byte_ends[segment] - self.directory.bytes_of(begin)[0] > _FETCH_BYTES:
                yield range(begin, segment)
                begin = segment
        yield range(begin, last + 1)


def _decoded(data: memoryview, schema: pa.Schema, places: Sequence[int]) -> pa.RecordBatch:
    file = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False)
    table = file.read_row_group(0, [f"c{place}" for place in places], use_threads=False)
    chosen = table.select([f"c{place}" for place in places]).combine_chunks()
    arrays = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in chosen.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema([schema.field(place) for place in places]))
