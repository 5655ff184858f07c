"""CSV: RFC 4180 with any of four delimiters, in two streaming passes: one decides the types, one converts.

Quoted fields may hold delimiters, line ends and doubled quotes; lines end with LF, CRLF or CR, the last one need
not; blank lines are no rows. The first record names the columns. A row with more or fewer fields than the header
is damage, and so is a quote that never closes: nothing is padded or dropped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.csv as arrow_csv

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.csv_types import ColumnTypes
from session_datasets.formats.stream import NoTable, TableStream, damaged, distinct_names, names_in_words

# Bytes parsed at a time. A row must fit one block; a file with a longer row is read once more in large ones. Wide
# tables take larger blocks, since judging a column costs per block what it costs for thousands of values.
_BLOCK_BYTES = 8 * MIB
_WIDE_BLOCK_BYTES = 32 * MIB
_WIDE_COLUMNS = 1_000
_LARGE_BLOCK_BYTES = 128 * MIB
_READ_BYTES = 1 * MIB
# The names of as many columns as page fit many times over; a longer first line is no header.
_HEADER_LINE_CHARACTERS_MAX = 8 * MIB
# Stands for one more row after the last: it comes back whole only if no quote was left open before it.
_END = "\x1aend of rows\x1a"


class _RowTooLong(Exception):
    """Asks for the next larger block."""


def open_csv(file: Path, delimiter: str, columns_max: int) -> TableStream:
    """``file`` is UTF-8. Raises NoTable beyond ``columns_max`` columns, Refusal when damaged."""
    header = _header(file, delimiter)
    if len(header) > columns_max:
        raise NoTable(
            f"This CSV has {len(header):,} columns, more than the {columns_max:,} that can be paged. "
            "It can be listed and loaded."
        )
    names, remarks = distinct_names(header)
    types, block_bytes = _decide_types(file, delimiter, len(names))
    emptied = [name for name, column in zip(names, types, strict=True) if column.nulls_empty_texts]
    if emptied:
        remarks.append(f"Quoted empty fields were read as null in {names_in_words(emptied)}.")
    schema = pa.schema([pa.field(name, column.type) for name, column in zip(names, types, strict=True)])

    def converted() -> Iterator[pa.RecordBatch]:
        for batch in _text_batches(file, delimiter, len(names), block_bytes):
            arrays = [column.convert(texts) for column, texts in zip(types, batch.columns, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return TableStream(Format.CSV, schema, converted(), remarks)


def _header(file: Path, delimiter: str) -> list[str]:
    with file.open(encoding="utf-8-sig", errors="replace", newline="") as text:
        try:
            for record in csv.reader(_lines(text), delimiter=delimiter):
                if record:
                    return record
        except csv.Error as error:
            raise damaged("The first line can not be read as the names of columns.") from error
    raise damaged("The file has no line with the names of columns.")


def _lines(text: TextIO) -> Iterator[str]:
    while line := text.readline(_HEADER_LINE_CHARACTERS_MAX + 1):
        if len(line) > _HEADER_LINE_CHARACTERS_MAX:
            raise damaged(
                f"The first line is longer than {_HEADER_LINE_CHARACTERS_MAX:,} characters; it should name the columns."
            )
        yield line


def _decide_types(file: Path, delimiter: str, width: int) -> tuple[list[ColumnTypes], int]:
    """The types of all columns after every row was seen, and the block size that holds the longest row."""
    for block_bytes in (_BLOCK_BYTES if width < _WIDE_COLUMNS else _WIDE_BLOCK_BYTES, _LARGE_BLOCK_BYTES):
        types = [ColumnTypes() for _ in range(width)]
        try:
            for batch in _text_batches(file, delimiter, width, block_bytes):
                for column, texts in zip(types, batch.columns, strict=True):
                    column.see(texts)
        except _RowTooLong:
            continue
        return types, block_bytes
    raise damaged(
        f"A row is longer than the {_LARGE_BLOCK_BYTES:,} bytes that can be read, "
        "or a quote is opened and never closed."
    )


def _text_batches(file: Path, delimiter: str, width: int, block_bytes: int) -> Iterator[pa.RecordBatch]:
    """All rows as texts, null where a field is empty and not quoted."""
    ragged: list[arrow_csv.InvalidRow] = []
    held = None
    try:
        with file.open("rb") as opened:
            for batch in _open(opened, delimiter, width, block_bytes, ragged):
                if batch.num_rows:
                    if held is not None:
                        yield held
                    held = batch
    except pa.ArrowInvalid as error:
        raise _explained(str(error), ragged, width) from error
    if held is None or not _is_end(held.slice(held.num_rows - 1)):
        raise _open_quote()
    yield held.slice(0, held.num_rows - 1)


def _open(
    opened: io.FileIO | io.BufferedReader,
    delimiter: str,
    width: int,
    block_bytes: int,
    ragged: list[arrow_csv.InvalidRow],
) -> arrow_csv.CSVStreamingReader:
    def refuse(row: arrow_csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    end = f"\n{_END}{delimiter * (width - 1)}\n".encode()
    reader = arrow_csv.open_csv(
        pa.PythonFile(io.BufferedReader(_WithEnd(opened, end), _READ_BYTES), mode="r"),
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=block_bytes),
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=True, invalid_row_handler=refuse
        ),
        convert_options=arrow_csv.ConvertOptions(
            default_column_type=pa.string(),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    if len(reader.schema) != width:
        raise damaged("The first line can not be read as the names of columns.")
    return reader


class _WithEnd(io.RawIOBase):
    """The bytes of a file, then ``end``."""

    def __init__(self, file: io.FileIO | io.BufferedReader, end: bytes) -> None:
        self._file = file
        self._end = io.BytesIO(end)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        return self._file.readinto(buffer) or self._end.readinto(buffer)


def _is_end(row: pa.RecordBatch) -> bool:
    first, *rest = row.columns
    return first[0].as_py() == _END and all(column.null_count for column in rest)


def _explained(error: str, ragged: list[arrow_csv.InvalidRow], width: int) -> Exception:
    if "straddling" in error:
        return _RowTooLong()
    if ragged:
        row = ragged[0]
        if _END in row.text:
            return _open_quote()
        return damaged(
            f"Row {row.number} has {row.actual_columns} fields, the header has {width} "
            "(the header is row 1; blank lines do not count).",
            "Quote fields that contain the delimiter, give every row as many fields as the header, and register again.",
        )
    if "UTF8" in error:
        return damaged(
            "The text is not valid UTF-8 throughout.", "Write the file again with encoding='utf-8' and register it."
        )
    return damaged("The file can not be parsed as CSV.")


def _open_quote() -> Exception:
    return damaged(
        "A quote is opened and never closed: the file may be cut off.", "Write the file again, whole, and register it."
    )
