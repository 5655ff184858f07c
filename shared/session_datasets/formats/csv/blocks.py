"""The rows of a CSV as texts, a block at a time, each row of the width of the header.

Arrow's streaming parser divides the file: blocks end where rows do, quoted line ends or not, and every reading of the
same file with the same block size has the same blocks. Rows that do not fit the header come back repaired, in their
place: missing fields are null, surplus ones stay together, as they were written, in one column more.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from session_datasets.domain.limits import KIB, MIB
from session_datasets.formats.csv.dialect import Dialect
from session_datasets.formats.csv.unclosed import line_of_open_quote, open_quote
from session_datasets.formats.stream import damaged

_READ_BYTES = 1 * MIB
# Bytes looked at together while they pass, few enough for the processor's cache.
_WATCHED_BYTES = 64 * KIB
# Stands for one more row after the last: it comes back whole only if no quote was left open before it. The second one
# where the first has the delimiter among its characters; the same goes for names of columns.
_ENDS = ("\x1aend of rows\x1a", "\x1bEND-OF-ROWS\x1b")
_NAME_CHARACTERS = ("c0123456789", "KABCDEFGHIJ")
_OTHER_NAME = str.maketrans(*_NAME_CHARACTERS)
_MISFIT_KEPT = re.compile(r"CSV parse error: (?:Row #[0-9]+: )?Expected")
# The header is row 1.
_FIRST_ROW = 2

Watch = Callable[[bytes], None]


class RowTooLong(Exception):
    """Asks for larger blocks."""


class NotUtf8(Exception):
    """The text is in another encoding."""


@dataclass(frozen=True, slots=True)
class Source:
    """UTF-8 text whose rows begin after ``start`` bytes of names, and how it is cut into fields and blocks.

    A row must fit ``block_bytes``.
    """

    file: Path
    start: int
    dialect: Dialect
    width: int
    block_bytes: int

    @property
    def end(self) -> str:
        """What is put behind the last row."""
        return _ENDS[self.dialect.delimiter in _ENDS[0]]

    def name(self, place: int) -> str:
        """Our own name of a column: those of the file may be equal, and take any number of lines."""
        name = f"c{place}"
        return name.translate(_OTHER_NAME) if self.dialect.delimiter in _NAME_CHARACTERS[0] else name


@dataclass(slots=True)
class Ragged:
    """Rows that do not fit the header. ``first`` is the row's number and its fields; the header is row 1."""

    rows: int = 0
    surplus: bool = False
    first: tuple[int, int] | None = None


@dataclass(slots=True)
class _Misfits:
    """Rows that the parser left out and that were not put back yet."""

    rows: list[arrow_csv.InvalidRow] = field(default_factory=list)

    def __call__(self, row: arrow_csv.InvalidRow) -> str:
        self.rows.append(row)
        return "skip"


def text_blocks(
    source: Source, ragged: Ragged, places: Sequence[int] | None = None, watch: Watch | None = None
) -> Iterator[pa.RecordBatch]:
    """All rows as texts, null where a field is empty and not quoted.

    The columns are those at ``places``, or all of them; then, where rows of the block have surplus fields and all
    columns were asked for, these. ``watch`` sees the bytes of all rows. Raises RowTooLong, NotUtf8, and Refusal for
    a quote that never closes.
    """
    misfits = _Misfits()
    number = _FIRST_ROW
    for batch in _without_end(source, places, misfits, watch):
        inside = _inside(misfits.rows, number, batch.num_rows)
        if inside:
            rows, misfits.rows = misfits.rows[:inside], misfits.rows[inside:]
            number += batch.num_rows + len(rows)
            yield _put_back(source, batch, rows, number - batch.num_rows - len(rows), places, ragged)
        else:
            number += batch.num_rows
            yield batch
    if misfits.rows:
        empty = _texts(b"", source, places, None)
        yield _put_back(source, empty, misfits.rows, number, places, ragged)


def _inside(misfits: Sequence[arrow_csv.InvalidRow], number: int, rows: int) -> int:
    """How many of the misfits come before the last of ``rows`` rows, the first of which is or follows ``number``."""
    count = 0
    for row in misfits:
        if row.number - number - count >= rows:
            break
        count += 1
    return count


def _without_end(
    source: Source, places: Sequence[int] | None, misfits: _Misfits, watch: Watch | None
) -> Iterator[pa.RecordBatch]:
    held = None
    try:
        with source.file.open("rb") as opened:
            opened.seek(source.start)
            for batch in _open(opened, source, places, misfits, watch):
                if batch.num_rows:
                    if held is not None:
                        yield held
                    held = batch
    except pa.ArrowInvalid as error:
        raise _explained(str(error)) from error
    if held is None or any(_swallowed_end(row, source) for row in misfits.rows):
        raise open_quote(line_of_open_quote(source.file, source.dialect))
    if places is None and not _is_end(held.slice(held.num_rows - 1), source):
        raise open_quote(line_of_open_quote(source.file, source.dialect))
    yield held.slice(0, held.num_rows - 1)


def _open(
    opened: io.BufferedReader, source: Source, places: Sequence[int] | None, misfits: _Misfits, watch: Watch | None
) -> arrow_csv.CSVStreamingReader:
    end = f"\n{source.end}{source.dialect.delimiter * (source.width - 1)}\n".encode()
    content = _Framed(_names(source), opened, end, watch)
    return arrow_csv.open_csv(
        pa.PythonFile(_Pieces(content, min(_READ_BYTES, source.block_bytes)), mode="r"),
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=source.block_bytes),
        parse_options=_parse_options(source.dialect, misfits),
        convert_options=_convert_options(source, places),
    )


def _names(source: Source) -> bytes:
    return source.dialect.delimiter.join(map(source.name, range(source.width))).encode() + b"\n"


def _parse_options(dialect: Dialect, misfits: _Misfits | None) -> arrow_csv.ParseOptions:
    return arrow_csv.ParseOptions(
        delimiter=dialect.delimiter,
        quote_char=dialect.quote or False,
        newlines_in_values=dialect.quote is not None,
        ignore_empty_lines=True,
        invalid_row_handler=misfits,
    )


def _convert_options(source: Source, places: Sequence[int] | None) -> arrow_csv.ConvertOptions:
    return arrow_csv.ConvertOptions(
        default_column_type=pa.string(),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        include_columns=None if places is None else [source.name(place) for place in places],
    )


class _Pieces(io.BufferedReader):
    """Reads that never end between CR and LF: there Arrow takes a LF for the rest of a line end, inside quotes, too,
    where it is part of a value."""

    _held = b""

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = -1 if size is None or size < 0 else size - len(self._held)
        data = self._held + super().read(wanted)
        self._held = data[-1:] if data.endswith(b"\r") and len(data) > 1 else b""
        return data[: len(data) - len(self._held)]


class _Framed(io.RawIOBase):
    """``names``, the bytes of a file, then ``end``. The watch sees the bytes of the file, closed by a line end."""

    def __init__(self, names: bytes, file: io.BufferedReader, end: bytes, watch: Watch | None) -> None:
        self._names = io.BytesIO(names)
        self._file = file
        self._end = io.BytesIO(end)
        self._watch = watch

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if count := self._names.readinto(buffer):
            return count
        count = self._file.readinto(buffer)
        if self._watch is not None:
            self._show(memoryview(buffer)[:count], self._watch)
        return count or self._end.readinto(buffer)

    def _show(self, read: memoryview, watch: Watch) -> None:
        for begin in range(0, len(read), _WATCHED_BYTES):
            watch(bytes(read[begin : begin + _WATCHED_BYTES]))
        if not len(read):
            watch(b"")
            self._watch = None


def _swallowed_end(row: arrow_csv.InvalidRow, source: Source) -> bool:
    return bool(row.text.rstrip("\r\n" + source.dialect.delimiter).endswith(source.end))


def _is_end(row: pa.RecordBatch, source: Source) -> bool:
    first, *rest = row.columns
    return first[0].as_py() == source.end and all(column.null_count for column in rest)


def _put_back(
    source: Source,
    good: pa.RecordBatch,
    misfits: Sequence[arrow_csv.InvalidRow],
    number: int,
    places: Sequence[int] | None,
    ragged: Ragged,
) -> pa.RecordBatch:
    """The rows of a block that begins with row ``number``, those that do not fit repaired in their places."""
    ragged.rows += len(misfits)
    ragged.first = ragged.first or (misfits[0].number, misfits[0].actual_columns)
    mended = [_mended(row, source) for row in misfits]
    surplus = pa.array([more for _, more in mended], pa.string())
    text = "\n".join([kept for kept, _ in mended]) + "\n"
    repaired = _texts(text.encode(), source, places, len(misfits))
    at = np.array([row.number - number - before for before, row in enumerate(misfits)])
    order = pa.array(np.insert(np.arange(good.num_rows), at, good.num_rows + np.arange(len(misfits))))
    columns = [pa.concat_arrays(pair).take(order) for pair in zip(good.columns, repaired.columns, strict=True)]
    names = list(good.schema.names)
    if places is None and surplus.null_count < len(surplus):
        ragged.surplus = True
        columns.append(pa.concat_arrays([pa.nulls(good.num_rows, pa.string()), surplus]).take(order))
        names.append("surplus")
    return pa.RecordBatch.from_arrays(columns, names)


def _mended(row: arrow_csv.InvalidRow, source: Source) -> tuple[str, str | None]:
    """A row's text with as many fields as the header has, and the text of its surplus ones."""
    dialect, width = source.dialect, source.width
    if row.actual_columns < width:
        return row.text + dialect.delimiter * (width - row.actual_columns), None
    field_ = _field(dialect)
    at = 0
    for _ in range(width):
        match = field_.match(row.text, at)
        assert match is not None
        at = match.end() + 1
    return row.text[: at - 1], row.text[at:]


def _field(dialect: Dialect) -> re.Pattern[str]:
    rest = f"[^{re.escape(dialect.delimiter)}]*"
    return re.compile(rest if dialect.quote is None else f'(?:"(?:[^"]|"")*"(?!"))?{rest}')


def _texts(data: bytes, source: Source, places: Sequence[int] | None, rows: int | None) -> pa.RecordBatch:
    table = arrow_csv.read_csv(
        pa.BufferReader(_names(source) + data),
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data) + 2**20),
        parse_options=_parse_options(source.dialect, None),
        convert_options=_convert_options(source, places),
    )
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], table.schema)


def _explained(error: str) -> Exception:
    # Rows that do not fit are skipped, unless their text could not even be handed over.
    if _MISFIT_KEPT.match(error) or "UTF8" in error:
        return NotUtf8()
    if "straddling" in error:
        return RowTooLong()
    return damaged("The file can not be parsed as CSV.")
