"""Parquet as a stream of small batches of plain columns, under a budget of decoded bytes.

Kept as they are: every flat and nested type, decimals, time zones; ``plain_values`` makes the others plain.
A footer is believed about nothing that costs memory: rows are decoded a few at a time, texts that a dictionary
repeats are counted before they are written out, and decoding stops at the budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from session_datasets.domain.limits import ROW_ITEMS_MAX
from session_datasets.domain.profile import Format
from session_datasets.formats.detect import PARQUET_MAGIC
from session_datasets.formats.stream import TableStream, damaged
from session_datasets.formats.typed.typed_rows import (
    DECLARED,
    plain_batches,
    plain_schema,
    require_few_columns,
    told_as_damage,
)
from session_datasets.formats.values.row_sizes import too_many_items

_WHAT = "this Parquet file"
# Cells and rows decoded at a time.
_BATCH_CELLS = 256 * 1024
_BATCH_ROWS_MAX = 4_096
# Levels of lists and structs; readers recurse over them.
_DEPTH_MAX = 32
_ADVICE = "Write the file again, close the writer, upload the whole of it and register it."


def open_parquet(file: Path, columns_max: int, decoded_bytes_max: int) -> TableStream:
    """Raises NoTable beyond ``columns_max`` columns, Refusal when damaged.

    The batches raise NoTable once the decoded rows are larger than ``decoded_bytes_max``.
    """
    _require_tail(file)
    with told_as_damage("The footer of this Parquet file can not be read.", _ADVICE):
        readers = _opened(file)
        found = readers.plain.schema_arrow
        require_few_columns(len(found), columns_max, _WHAT)
        schema, remarks = plain_schema(found.names, found.types)
    batches = _batches(readers, schema, decoded_bytes_max)
    return TableStream(Format.PARQUET, schema, batches, remarks, [DECLARED] * len(schema))


def _require_tail(file: Path) -> None:
    with file.open("rb") as opened:
        size = opened.seek(0, 2)
        opened.seek(max(0, size - len(PARQUET_MAGIC)))
        if size < 3 * len(PARQUET_MAGIC) or opened.read() != PARQUET_MAGIC:
            raise damaged("The file begins like Parquet but has no Parquet footer: it is cut off.", _ADVICE)


@dataclass(frozen=True, slots=True)
class _Readers:
    """Two ways to read one file: with texts left in their dictionaries, so that repeating them costs no memory yet,
    and without, for what Arrow can not read so (nested texts of which some are in a dictionary and some are not)."""

    frugal: pq.ParquetFile
    plain: pq.ParquetFile

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Raises NoTable before it decodes a row of more items than are laid out."""
        metadata = self.plain.metadata
        in_groups = sum(metadata.row_group(group).num_rows for group in range(metadata.num_row_groups))
        if metadata.num_rows != in_groups:
            raise _other_rows(metadata.num_rows, in_groups)
        for group in range(metadata.num_row_groups):
            announced = metadata.row_group(group)
            rows = 0
            for batch in self._group(group, _rows_at_a_time(announced)):
                rows += batch.num_rows
                yield batch
            if rows != announced.num_rows:
                raise _other_rows(announced.num_rows, rows)

    def _group(self, group: int, rows: int) -> Iterator[pa.RecordBatch]:
        done = 0
        try:
            for batch in self.frugal.iter_batches(rows, [group], use_threads=False):
                yield batch
                done += batch.num_rows
        except pa.ArrowNotImplementedError:
            for batch in self.plain.iter_batches(rows, [group], use_threads=False):
                yield batch.slice(min(done, batch.num_rows))
                done = max(0, done - batch.num_rows)


def _other_rows(announced: int, held: int) -> Exception:
    return damaged(f"This Parquet file announces {announced:,} rows where it holds {held:,}.", _ADVICE)


def _rows_at_a_time(group: pq.RowGroupMetaData) -> int:
    """Rows that have some ``_BATCH_CELLS`` values, those inside nested cells among them."""
    values: list[int] = [group.column(place).num_values for place in range(group.num_columns)]
    rows: int = max(1, group.num_rows)
    if max(values, default=0) > rows * ROW_ITEMS_MAX:  # so one row at least has more than its share
        raise too_many_items()
    return max(1, min(_BATCH_ROWS_MAX, _BATCH_CELLS * rows // max(1, sum(values))))


def _opened(file: Path) -> _Readers:
    metadata = pq.read_metadata(file)
    readers = [
        pq.ParquetFile(
            file,
            metadata=metadata,
            read_dictionary=in_dictionaries,
            pre_buffer=False,
            schema_depth_limit=_DEPTH_MAX,
            arrow_extensions_enabled=False,
            page_checksum_verification=True,
        )
        for in_dictionaries in (_dictionary_texts(metadata), None)
    ]
    return _Readers(*readers)


def _dictionary_texts(metadata: pq.FileMetaData) -> list[str]:
    columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    return [
        column.path
        for place, column in enumerate(columns)
        if column.physical_type == "BYTE_ARRAY" and _any_dictionary(metadata, place)
    ]


def _any_dictionary(metadata: pq.FileMetaData, place: int) -> bool:
    return any(
        any("DICTIONARY" in encoding for encoding in metadata.row_group(group).column(place).encodings)
        for group in range(metadata.num_row_groups)
    )


def _batches(readers: _Readers, schema: pa.Schema, decoded_bytes_max: int) -> Iterator[pa.RecordBatch]:
    with told_as_damage("The rows of this Parquet file can not be decoded.", _ADVICE):
        yield from plain_batches(readers.batches(), schema, decoded_bytes_max, _WHAT)
