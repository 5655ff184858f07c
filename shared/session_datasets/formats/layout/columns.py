"""The columns of a dataset as one ordinary Parquet file, for whoever reads few columns of many rows.

Segments are a poor column store: one column of ten million rows lies in thousands of them. This file has row groups
of a million rows, real names and Arrow's schema, so any tool reads it. Small datasets have none: a few segments serve.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import accumulate

import pyarrow as pa
import pyarrow.parquet as pq

from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.profile import JsonValue, Layout, Role
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.encodings import COMPRESSION, LeafEncoding, leaves_of, options
from session_datasets.formats.layout.held import Held
from session_datasets.formats.layout.in_order import InOrder
from session_datasets.formats.layout.ranged_file import RangedFile, Reader, Sink, coalesced
from session_datasets.formats.values.row_sizes import batch_bytes

# What the directory calls the place of the footer.
MORE = "columns"
# A table of more rows than this gets the file, or one that fills a row group with fewer: up to here some thirty
# segments are read along in a request or two.
COLUMNS_ROWS_MIN = 65_536
# Rows of a row group, each of which costs a reader of one column one request.
GROUP_ROWS_MAX = 1_000_000
# Decoded bytes of a row group, which Arrow writes from memory: a million rows of twelve common columns. Wider tables
# get fewer rows in each.
GROUP_BYTES_MAX = 136 * MIB
# Rows of so many bytes on the average never come to many, so less of them is held.
_WIDE_ROW_BYTES = 2 * KIB
_GROUP_BYTES_MAX_OF_WIDE_ROWS = 32 * MIB
# Decoded bytes gathered for the next row group while one is being written.
_GATHERED_BYTES_MAX = 16 * MIB
# Bytes fetched at a time by a reader, from several row groups at once.
_FETCH_BYTES = 32 * MIB
# Rows decoded at a time.
_BATCH_ROWS = 65_536
# Bytes of footers, as they lie in their files, kept in one process.
_HELD_BYTES_MAX = 16 * MIB
# The length of the footer and the mark of the format behind it.
_TAIL_BYTES = 8


class ColumnsWriter:
    """Gathers batches into row groups, which a thread of ``encoder`` writes; ``begin`` opens the object if there is
    to be one. Memory holds one row group and a little of the next.

    A context manager: nothing is written after it ended.
    """

    def __init__(self, begin: Callable[[], Sink], schema: pa.Schema, encoder: InOrder) -> None:
        self._begin = begin
        self._schema = schema
        self._encoder = encoder
        self._gathered: list[pa.RecordBatch] = []
        self._rows = 0
        self._bytes = 0
        self._outlet: _Outlet | None = None
        self._writer: pq.ParquetWriter | None = None
        self._under_way: Future[None] | None = None

    def __enter__(self) -> ColumnsWriter:
        return self

    def __exit__(self, *_: object) -> None:
        # Arrow closes a file that is not finished when it forgets it, and would write a footer then.
        if self._outlet is not None:
            self._outlet.drop()

    def write(self, batch: pa.RecordBatch, encodings: Sequence[LeafEncoding]) -> None:
        """``encodings`` of the leaves are those of every batch."""
        if not len(self._schema):
            return
        while self._rows + batch.num_rows > GROUP_ROWS_MAX:
            room = GROUP_ROWS_MAX - self._rows
            self._gather(batch.slice(0, room))
            self._flush(encodings)
            batch = batch.slice(room)
        self._gather(batch)
        if self._bytes >= self._bytes_max:
            self._flush(encodings)

    def close(self, encodings: Sequence[LeafEncoding]) -> dict[str, JsonValue]:
        """What the directory must remember: where the footer lies, or nothing for a table without the file."""
        if self._rows and (self._writer is not None or self._rows > COLUMNS_ROWS_MIN):
            self._flush(encodings)
        if self._writer is None or self._outlet is None:
            return {}
        self._wait()
        self._writer.close()
        length = int.from_bytes(self._outlet.tail[:4], "little") + _TAIL_BYTES
        return {MORE: {"footer_offset": self._outlet.tell() - length, "footer_bytes": length}}

    @property
    def _bytes_max(self) -> int:
        are_wide = self._bytes >= self._rows * _WIDE_ROW_BYTES
        return _GROUP_BYTES_MAX_OF_WIDE_ROWS if are_wide else GROUP_BYTES_MAX

    def _gather(self, batch: pa.RecordBatch) -> None:
        if self._bytes > _GATHERED_BYTES_MAX:
            self._wait()
        self._gathered.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch_bytes(batch)

    def _flush(self, encodings: Sequence[LeafEncoding]) -> None:
        self._wait()
        if self._writer is None:
            self._open(encodings)
        group = pa.Table.from_batches(self._gathered, self._schema)
        assert self._writer is not None
        self._under_way = self._encoder.aside(partial(self._writer.write_table, group, group.num_rows))
        self._gathered, self._rows, self._bytes = [], 0, 0

    def _wait(self) -> None:
        if self._under_way is not None:
            self._under_way.result()
            self._under_way = None

    def _open(self, encodings: Sequence[LeafEncoding]) -> None:
        self._outlet = _Outlet(self._begin())
        paths = [leaf.path for leaf in leaves_of(self._schema)]
        self._writer = pq.ParquetWriter(self._outlet, self._schema, **COMPRESSION, **options(paths, encodings))


class _Outlet(io.RawIOBase):
    """A sink as a file that pyarrow writes; ``tail`` is the end of what was written."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._dropped = False
        self.tail = b""

    def drop(self) -> None:
        """Whatever is written from now on goes nowhere."""
        self._dropped = True

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        if self._dropped:
            return len(data)
        self.tail = (self.tail + bytes(data[-_TAIL_BYTES:]))[-_TAIL_BYTES:]
        return self._sink.write(data)

    def tell(self) -> int:
        return self._sink.tell()


class Footers:
    """Footers of column files read by this process."""

    def __init__(self, bytes_max: int = _HELD_BYTES_MAX) -> None:
        self._held: Held[pq.FileMetaData] = Held(bytes_max)

    def of(self, reader: Reader, layout: Layout, directory: Directory) -> pq.FileMetaData:
        """One request for a footer that this process has not read before."""

        def read() -> tuple[pq.FileMetaData, int]:
            place = directory.more[MORE]
            data = reader.read(Role.COLUMNS, int(place["footer_offset"]), int(place["footer_bytes"]))
            return pq.read_metadata(pa.BufferReader(data)), len(data)

        return self._held.of(layout.objects[Role.COLUMNS], read)


class Columns:
    """The columns of one laid-out dataset; only where ``Columns.there(directory)``."""

    def __init__(self, reader: Reader, layout: Layout, directory: Directory, held_footers: Footers) -> None:
        self._reader = reader
        self._directory = directory
        self._metadata = held_footers.of(reader, layout, directory)
        self._size = layout.objects[Role.COLUMNS].size
        groups = (self._metadata.row_group(group).num_rows for group in range(self._metadata.num_row_groups))
        self._row_ends = list(accumulate(groups))

    @staticmethod
    def there(directory: Directory) -> bool:
        """Whether the dataset has the file: those of more than COLUMNS_ROWS_MIN rows do, and of some megabytes."""
        return MORE in directory.more

    def read(self, places: Sequence[int], begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The rows from ``begin`` to before ``end`` in order, some ten thousands at a time, columns as asked.

        Fetched as it is consumed: the columns' chunks of a few row groups, one request for each or for neighbours.
        """
        if begin >= end or not places:
            return
        leaves = self._directory.leaves(places)
        file = RangedFile(self._reader, Role.COLUMNS, self._size)
        parquet = pq.ParquetFile(file, metadata=self._metadata, pre_buffer=False)
        for groups in self._windows(leaves, begin, end):
            file.fetch(place for group in groups for place in self._chunks(group, leaves))
            at = self._row_ends[groups[0] - 1] if groups[0] else 0
            for batch in parquet.reader.iter_batches(
                _BATCH_ROWS, list(groups), column_indices=leaves, use_threads=False
            ):
                skip = max(0, begin - at)
                if skip < batch.num_rows and at < end:
                    yield self._ordered(batch.slice(skip, end - at - skip), places)
                at += batch.num_rows

    def _windows(self, leaves: Sequence[int], begin: int, end: int) -> Iterator[range]:
        """Consecutive row groups whose chunks together stay within ``_FETCH_BYTES``, one at least."""
        first, last = bisect_right(self._row_ends, begin), bisect_right(self._row_ends, end - 1)
        held = 0
        for group in range(first, last + 1):
            size = sum(chunk_end - chunk_begin for chunk_begin, chunk_end in self._chunks(group, leaves))
            if group > first and held + size > _FETCH_BYTES:
                yield range(first, group)
                first, held = group, 0
            held += size
        yield range(first, last + 1)

    def _chunks(self, group: int, leaves: Sequence[int]) -> list[tuple[int, int]]:
        """Where the leaves' chunks of a row group begin and end, neighbours made one."""
        found = self._metadata.row_group(group)
        return coalesced((_chunk(found.column(leaf)) for leaf in leaves), gap=0)

    def _ordered(self, batch: pa.RecordBatch, places: Sequence[int]) -> pa.RecordBatch:
        order = {place: at for at, place in enumerate(sorted(places))}
        arrays = [batch.column(order[place]) for place in places]
        return pa.RecordBatch.from_arrays(arrays, schema=self._directory.schema_of(places))


def _chunk(column: pq.ColumnChunkMetaData) -> tuple[int, int]:
    begin = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        begin = min(begin, column.dictionary_page_offset)
    return int(begin), int(begin + column.total_compressed_size)
