"""Segments fetched no further ahead than a page is likely to need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from session_datasets.domain.limits import MIB
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.segments import Segments

# A page of a few rows may lie in two segments, which one request brings.
_AHEAD_BYTES_MIN = 1 * MIB


def batches_ahead(
    table: Segments, places: Sequence[int], begin: int, end: int, ahead_bytes: int
) -> Iterator[pa.RecordBatch]:
    """The rows from ``begin`` to before ``end``, as ``Segments.read`` has them.

    Each request brings segments of about ``ahead_bytes``, one at least: whoever stops after a page of so many bytes
    has read little more than it holds.
    """
    while begin < end:
        stop = _row_within(table.directory, begin, end, max(ahead_bytes, _AHEAD_BYTES_MIN))
        yield from table.read(places, begin, stop)
        begin = stop


def _row_within(directory: Directory, begin: int, end: int, ahead_bytes: int) -> int:
    """The row to read up to, so that the segments from that of ``begin`` on stay within ``ahead_bytes``."""
    segment, last = directory.segment_of(begin), directory.segment_of(end - 1)
    first_byte = directory.bytes_of(segment)[0]
    while segment < last and directory.bytes_of(segment + 1)[1] - first_byte <= ahead_bytes:
        segment += 1
    return min(end, directory.rows_of(segment)[1])
