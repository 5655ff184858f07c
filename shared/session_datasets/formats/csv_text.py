"""CSV: RFC 4180 with any of four delimiters, in two streaming passes: one decides the types, one converts.

Quoted fields may hold delimiters, line ends and doubled quotes; lines end with LF, CRLF or CR, the last one need
not; blank lines are no rows. The first record names the columns. A row with more or fewer fields than the header
is damage, and so is a quote that never closes: nothing is padded or dropped.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.detect import HEAD_BYTES
from session_datasets.formats.stream import NoTable, TableStream, damaged, distinct_names, names_in_words

# Bytes parsed at a time. A row must fit one block; a file with a longer row is read once more in large ones.
_BLOCK_BYTES = 8 * MIB
_LARGE_BLOCK_BYTES = 128 * MIB
# Stands for one more row after the last: it comes back whole only if no quote was left open before it.
_END = "\x1aend of rows\x1a"


class _RowTooLong(Exception):  # noqa: N818 - asks for the next larger block
    pass


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
        head = text.read(HEAD_BYTES)
    try:
        for record in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter):
            if record:
                return record
    except csv.Error as error:
        raise damaged("The first line can not be read as the names of columns.") from error
    raise damaged("The file has no line with the names of columns.")


def _decide_types(file: Path, delimiter: str, width: int) -> tuple[list[Any], int]:
    """The types of all columns after every row was seen, and the block size that holds the longest row."""
    for block_bytes in (_BLOCK_BYTES, _LARGE_BLOCK_BYTES):
        types = [ColumnTypes() for _ in range(width)]
        try:
            for batch in _text_batches(file, delimiter, width, block_bytes):
                for column, texts in zip(types, batch.columns, strict=True):
                    column.see(texts)
        except _RowTooLong:
            continue
        return types, block_bytes
    raise damaged(
        f"A row is longer than the {_LARGE_BLOCK_BYTES:,} bytes that can be read, or a quote is opened and never closed."
    )
