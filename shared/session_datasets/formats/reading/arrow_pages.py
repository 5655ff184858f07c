"""One page as an Arrow IPC stream, its buffers compressed: as many whole rows as fit a number of bytes.

Bytes are those of base64, as which the stream travels. A value can not be cut short here, so a row that alone is
larger than the budget is refused, with what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import ARROW_PAGE_DECODED_BYTES_MAX, MIB
from session_datasets.domain.page import LimitHit, Page
from session_datasets.formats.layout.ranged_file import Reader
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.reading_ahead import batches_ahead
from session_datasets.formats.values.row_sizes import batch_bytes, rows_without_columns, small_slices

_OPTIONS = pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", compression_level=1), use_threads=False)
# Rows are tried as one batch of about so many decoded bytes: what does not fit is made anew in smaller ones.
_BATCH_BYTES = 8 * MIB
# Marks the end of a stream.
_END_BYTES = 8


def read_arrow_page(
    reader: Reader,
    table: Segments,
    *,
    offset: int,
    limit: int,
    columns: Sequence[str] | None,
    max_bytes: int,
    decoded_bytes_max: int = ARROW_PAGE_DECODED_BYTES_MAX,
) -> Page:
    """Rows from ``offset``; see ``Tables.read_rows``. Refusal too-large if the first one does not fit."""
    places = table.directory.chosen(columns)
    end = max(offset, min(offset + limit, table.total))
    schema = pa.schema([table.directory.schema.field(place) for place in places])
    stream = _Stream(schema, max_bytes, decoded_bytes_max)
    for batch in _batches(table, places, offset, end, max_bytes):
        if not all(stream.take(piece) for piece in small_slices(batch, _BATCH_BYTES)):
            break
    if stream.rows == 0 and offset < end:
        raise _one_row_too_large(offset, max_bytes)
    following = offset + stream.rows
    return Page(
        columns=tuple(table.directory.columns[place] for place in places),
        offset=offset,
        returned=stream.rows,
        total=table.total,
        limit_hit=None if following >= table.total else LimitHit.BYTES if following < end else LimitHit.ROWS,
        cost=reader.cost,
        arrow=stream.close(),
    )


def _batches(table: Segments, places: Sequence[int], begin: int, end: int, max_bytes: int) -> Iterator[pa.RecordBatch]:
    if places:
        return batches_ahead(table, places, begin, end, max_bytes)
    return iter([rows_without_columns(end - begin)])


class _Stream:
    """Record batches one after the other, while they fit."""

    def __init__(self, schema: pa.Schema, max_bytes: int, decoded_bytes_max: int) -> None:
        self.rows = 0
        self._sink = pa.BufferOutputStream()
        self._writer = pa.ipc.new_stream(self._sink, schema, options=_OPTIONS)
        self._head_bytes = int(schema.serialize().size)
        # What base64 makes of so many bytes fits.
        self._room = max_bytes // 4 * 3 - self._head_bytes - _END_BYTES
        self._left = self._room
        self._decoded_left = decoded_bytes_max

    def take(self, batch: pa.RecordBatch) -> bool:
        """Adds the rows that fit; False when that was not all of them."""
        while rows := self._fitting(batch):
            self._add(batch.slice(0, rows))
            batch = batch.slice(rows)
            # A few large rows may have kept small ones out; for little room they are not tried again.
            if not batch.num_rows or self._left < self._room // 8:
                break
        return not batch.num_rows

    def _add(self, batch: pa.RecordBatch) -> None:
        before = self._sink.tell() or self._head_bytes
        self._writer.write_batch(batch)
        self._left -= self._sink.tell() - before
        self._decoded_left -= batch_bytes(batch)
        self.rows += batch.num_rows

    def _fitting(self, batch: pa.RecordBatch) -> int:
        """Rows of ``batch`` that fit; not always the most, since what they compress to shows only when they are."""
        rows = min(int(batch.num_rows), self._within_decoded(batch))
        while rows and (needed := self._bytes_of(batch.slice(0, rows))) > self._left:
            # Some less than the proportion, for short batches compress worse; not much less, for one row may be large.
            rows = max(rows // 4, min(rows - 1, int(rows * self._left / needed * 0.97)))
        return rows

    def _within_decoded(self, batch: pa.RecordBatch) -> int:
        """Rows of ``batch``, of about equal size, that the decoded bytes allow; one at least of a whole page."""
        rows = int(batch.num_rows) * max(0, self._decoded_left) // max(1, batch_bytes(batch))
        return max(rows, 0 if self.rows else 1)

    def _bytes_of(self, batch: pa.RecordBatch) -> int:
        """Bytes that the batch takes in the stream; more than that where it fits by far."""
        # Compression makes nothing larger than this, and is not tried for a batch that fits without it.
        most = 2 * int(pa.ipc.get_record_batch_size(batch))
        if most <= self._left:
            return most
        counter = pa.MockOutputStream()
        with pa.ipc.new_stream(counter, batch.schema, options=_OPTIONS) as writer:
            writer.write_batch(batch)
            return int(counter.size()) - self._head_bytes

    def close(self) -> bytes:
        self._writer.close()
        return self._sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _one_row_too_large(offset: int, max_bytes: int) -> Refusal:
    return Refusal(
        ProblemCode.TOO_LARGE,
        f"Row {offset:,} does not fit an Arrow page of {max_bytes:,} bytes. Nothing was answered.",
        advice="Ask for it with format json, which cuts long cells short, name fewer columns, allow more max_bytes, or "
        "take the file with load_artifact.",
        retry_with={"format": "json"},
    )
