"""Parquet as a stream of small batches of plain columns, under a budget of decoded bytes.

Kept as they are: every flat and nested type, decimals, time zones; ``plain_values`` makes the others plain.
A footer is believed about nothing that costs memory: rows are decoded a few at a time, texts that a dictionary
repeats are counted before they are written out, and decoding stops at the budget.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from session_datasets.domain.limits import MIB, ROW_ITEMS_MAX
from session_datasets.domain.profile import Format
from session_datasets.formats.detect import PARQUET_MAGIC
from session_datasets.formats.plain_values import made_plain, plain_type
from session_datasets.formats.row_sizes import batch_bytes, require_small_rows, small_slices, too_many_items
from session_datasets.formats.soundness import require_sound
from session_datasets.formats.stream import (
    NoTable,
    Renamed,
    TableStream,
    damaged,
    distinct_names,
    names_in_words,
    pairs_in_words,
)

# Cells and rows decoded at a time, and the bytes of a piece of rows that is handed on.
_BATCH_CELLS = 256 * 1024
_BATCH_ROWS_MAX = 4_096
_PIECE_BYTES = 8 * MIB
# Levels of lists and structs; readers recurse over them.
_DEPTH_MAX = 32
_ADVICE = "Write the file again, close the writer, upload the whole of it and register it."


def open_parquet(file: Path, columns_max: int, decoded_bytes_max: int) -> TableStream:
    """Raises NoTable beyond ``columns_max`` columns, Refusal when damaged.

    The batches raise NoTable once the decoded rows are larger than ``decoded_bytes_max``.
    """
    _require_tail(file)
    try:
        readers = _opened(file)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged("The footer of this Parquet file can not be read.", _ADVICE) from error
    found = readers.plain.schema_arrow
    if len(found) > columns_max:
        raise NoTable(
            f"This Parquet file has {len(found):,} columns, more than the {columns_max:,} that can be paged. "
            "It can be listed and loaded."
        )
    names, remarks = distinct_names(found.names)
    schema, renamed = _plain_schema(names, found.types)
    if renamed:
        remarks.append(_renamed_in_words(renamed))
    return TableStream(Format.PARQUET, schema, _batches(readers, schema, decoded_bytes_max), remarks)


def _plain_schema(names: Sequence[str], types: Sequence[pa.DataType]) -> tuple[pa.Schema, dict[str, list[Renamed]]]:
    """The schema of the rows, and the fields inside its columns that had to change their names."""
    renamed: dict[str, list[Renamed]] = {name: [] for name in names}
    fields = [pa.field(name, plain_type(type_, renamed[name])) for name, type_ in zip(names, types, strict=True)]
    return pa.schema(fields), {name: changed for name, changed in renamed.items() if changed}


def _renamed_in_words(renamed: Mapping[str, list[Renamed]]) -> str:
    told = pairs_in_words([pair for pairs in renamed.values() for pair in pairs])
    return f"Fields inside {names_in_words(renamed)} without a name of their own were renamed: {told}."


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
        for group in range(self.plain.num_row_groups):
            yield from self._group(group, _rows_at_a_time(self.plain.metadata.row_group(group)))

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
    decoded = 0
    try:
        for batch in readers.batches():
            for piece in small_slices(batch, _PIECE_BYTES):
                if piece.num_rows == 1:  # which may be of any size, and is not written out to find that out
                    require_small_rows(piece)
                decoded += max(batch_bytes(piece), piece.num_rows)
                if decoded > decoded_bytes_max:
                    raise NoTable(
                        f"The rows of this Parquet file are larger than {decoded_bytes_max:,} bytes once decoded, "
                        "more than can be laid out as pages. It can be listed and loaded."
                    )
                yield _made_plain(piece, schema)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise damaged("The rows of this Parquet file can not be decoded.", _ADVICE) from error


def _made_plain(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if not len(schema):
        return batch
    arrays = [made_plain(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
    for field, values in zip(schema, arrays, strict=True):
        require_sound(field.name, values)
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
