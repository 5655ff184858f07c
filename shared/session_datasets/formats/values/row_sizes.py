"""What rows weigh, and slices of them that weigh little.

A few hundred bytes of Parquet can stand for a cell of many megabytes or millions of items. Such a row is never
laid out, so whoever reads rows may turn any one of them into Python objects.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from session_datasets.domain.limits import ROW_BYTES_MAX, ROW_ITEMS_MAX
from session_datasets.formats.stream import NoTable
from session_datasets.formats.values.nested import decoded_bytes, item_count, text_bytes


def batch_bytes(batch: pa.RecordBatch) -> int:
    """Bytes of the rows once decoded; see ``decoded_bytes``."""
    return sum(decoded_bytes(column) for column in batch.columns)


def batch_text_bytes(batch: pa.RecordBatch) -> int:
    """Bytes of the texts and binaries in the rows, which no spelling of them as JSON falls below."""
    return sum(text_bytes(column) for column in batch.columns)


def small_slices(batch: pa.RecordBatch, bytes_max: int) -> Iterator[pa.RecordBatch]:
    """The batch in slices of at most ``bytes_max`` decoded bytes, or of a single row."""
    if batch.num_rows <= 1 or batch_bytes(batch) <= bytes_max:
        yield batch
        return
    half = batch.num_rows // 2
    yield from small_slices(batch.slice(0, half), bytes_max)
    yield from small_slices(batch.slice(half), bytes_max)


def require_small_rows(batch: pa.RecordBatch) -> int:
    """Bytes of the rows once decoded. NoTable if a row is larger than any that is laid out."""
    size, items = batch_bytes(batch), sum(item_count(column) for column in batch.columns)
    if size <= ROW_BYTES_MAX and items <= ROW_ITEMS_MAX:
        return size
    if batch.num_rows > 1:
        half = batch.num_rows // 2
        require_small_rows(batch.slice(0, half))
        require_small_rows(batch.slice(half))
        return size
    raise too_many_items() if items > ROW_ITEMS_MAX else _too_many_bytes()


def too_many_items() -> NoTable:
    return NoTable(
        f"A row has more than {ROW_ITEMS_MAX:,} values inside its nested cells, too many to be paged. "
        "The file can be listed and loaded."
    )


def _too_many_bytes() -> NoTable:
    return NoTable(
        f"A row takes more than {ROW_BYTES_MAX:,} bytes once decoded, too many to be paged. "
        "The file can be listed and loaded."
    )


def rows_without_columns(count: int) -> pa.RecordBatch:
    """Arrow counts the rows of a batch by its columns; a struct without fields counts them alone."""
    return pa.RecordBatch.from_struct_array(pa.array([{}] * count, pa.struct([])))
