"""CSV as a table: RFC 4180 with any delimiter, read once for its types and once more for what those changed.

Quoted fields may hold delimiters, line ends and doubled quotes; lines end with LF, CRLF or CR, the last one need
not; blank lines are no rows. The first record names the columns. Nothing is dropped: a row with fewer fields than
the header has nulls for the others, a row with more keeps them in a last column, and both are counted and told. More
than a few such rows are damage, and so is a quote that never closes.

The first pass parses the text block by block, converts each block to the types that its columns have so far, and puts
it aside. Then the blocks are handed on in the final types. A type that changed late is converted from what was put
aside; only columns whose texts can not be had from that (doubles that became text, say) are parsed once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.profile import NO_HINTS, Format, JsonValue, ReadingHints
from session_datasets.formats.csv.blocks import NotUtf8, RowTooLong, Source
from session_datasets.formats.csv.dialect import Dialect, divided_below
from session_datasets.formats.csv.first_pass import FirstPass
from session_datasets.formats.csv.header import Header, read_header
from session_datasets.formats.csv.quotes import QuoteWatch
from session_datasets.formats.csv.unclosed import line_of_open_quote, open_quote
from session_datasets.formats.stream import NoTable, TableStream, damaged, distinct_names, names_in_words, title_told
from session_datasets.formats.text.hints import require_known
from session_datasets.formats.text.plain_text import SINGLE_BYTE_WORDS, single_byte_encoding, to_utf8
from session_datasets.formats.text.rules import TextRule
from session_datasets.formats.text.spool import Spool

# Bytes parsed at a time: small ones stay in the processor's cache, and each column costs something per block. A row
# must fit one block; a file with a longer row is read once more in larger ones.
_BLOCK_BYTES = 1 * MIB
_BLOCK_BYTES_PER_COLUMN = 16 * KIB
_WIDE_BLOCK_BYTES_MAX = 32 * MIB
_LARGE_BLOCK_BYTES = (16 * MIB, 128 * MIB)
# What is put around the rows of a file: see ``blocks``.
_FRAME_BYTES, _FRAME_BYTES_PER_COLUMN = 64, 8
# What is looked at to tell a title from the name of a lone column.
_HEAD_BYTES = 64 * KIB
# Beyond one row in this many that does not fit the header, the text is not what it was taken for.
_ROWS_PER_RAGGED_MIN = 10
_SURPLUS = "_surplus"
_RAGGED_ADVICE = (
    "Quote fields that contain the delimiter, give every row as many fields as the header, and register again; "
    "if another character divides the fields, name it in the hints."
)
# For a first line that is shorter than every row below it.
_TITLE_ADVICE = "If the first line is a title above the names, remove it and register again."


@dataclass(frozen=True, slots=True)
class CsvFile:
    """UTF-8 text in ``file``, written in ``dialect`` as far as its head shows; ``folder`` takes working files.

    ``encoding`` is the one that the text was written in, ``marked`` says that a byte order mark told so;
    ``encoding_certain`` that the text must not be tried in another one.
    """

    file: Path
    folder: Path
    dialect: Dialect = field(default_factory=Dialect)
    encoding: str = "utf-8"
    marked: bool = False
    encoding_certain: bool = False
    # Bytes of a block, by the number of columns when None.
    block_bytes: int | None = None


def open_csv(csv: CsvFile, columns_max: int, bytes_max: int, hints: ReadingHints = NO_HINTS) -> TableStream:
    """The rows of a CSV, after its first pass. Raises NoTable beyond ``columns_max`` columns or ``bytes_max`` bytes of
    UTF-8, Refusal when the text is damaged or does not fit the hints."""
    try:
        return _verified(csv, columns_max, hints)
    except NotUtf8:
        if csv.encoding_certain:
            raise damaged(
                f"The text is not valid {csv.encoding.upper()} throughout.",
                "Write the file again with encoding='utf-8' and register it, or name its encoding in the hints.",
            ) from None
    encoding = single_byte_encoding(csv.file)
    target = csv.folder / f"from-{encoding}"
    to_utf8(csv.file, encoding, target, bytes_max)
    return _verified(replace(csv, file=target, encoding=encoding, encoding_certain=True), columns_max, hints)


def _verified(csv: CsvFile, columns_max: int, hints: ReadingHints) -> TableStream:
    """The table in the dialect that the whole file bears out."""
    table = _read(csv, columns_max, hints)
    broken = table.broken_quotes
    if broken and 2 * broken > table.quoted_fields:
        plain = _read(replace(csv, dialect=replace(csv.dialect, quote=None)), columns_max, hints)
        if not plain.found.ragged.rows:
            return plain.stream()
    return table.stream()


def _read(csv: CsvFile, columns_max: int, hints: ReadingHints) -> _Table:
    header = read_header(csv.file, csv.dialect)
    width = len(header.names)
    if width > columns_max:
        raise NoTable(
            f"This CSV has {width:,} columns, more than the {columns_max:,} that can be paged. "
            "It can be listed and loaded."
        )
    names, remarks = distinct_names(header.names)
    require_known(hints.types, names)
    usual = csv.block_bytes or _usual_block_bytes(csv.file.stat().st_size, width)
    sizes = (usual, *(size for size in _LARGE_BLOCK_BYTES if size > usual))
    for block_bytes in sizes:
        source = Source(csv.file, header.end, csv.dialect, width, block_bytes)
        found = FirstPass(source, names, hints, Spool(csv.folder))
        try:
            found.read()
        except RowTooLong:
            continue
        return _Table(csv, header, names, remarks, found, hints)
    line = line_of_open_quote(csv.file, csv.dialect)
    if line is not None:
        raise open_quote(line)
    raise damaged(f"A row is longer than the {sizes[-1]:,} bytes that can be read.")


def _usual_block_bytes(size: int, width: int) -> int:
    """What is enough for a small file, and for the names and the last row that frame it."""
    framed = size + width * _FRAME_BYTES_PER_COLUMN + _FRAME_BYTES
    return min(framed, max(_BLOCK_BYTES, width * _BLOCK_BYTES_PER_COLUMN), _WIDE_BLOCK_BYTES_MAX)


def _head(file: Path) -> tuple[str, bool]:
    """The first lines of a UTF-8 file, and whether they are all of it."""
    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
        return head.decode("utf-8-sig", "replace"), not opened.read(1)


@dataclass(frozen=True, slots=True)
class _Table:
    """A file whose first pass is done."""

    csv: CsvFile
    header: Header
    names: list[str]
    remarks: list[str]
    found: FirstPass
    hints: ReadingHints

    @property
    def quoted_fields(self) -> int:
        return sum(watch.quotes for watch in self._quote_watches) // 2

    @property
    def broken_quotes(self) -> int:
        return sum(watch.broken for watch in self._quote_watches)

    @property
    def _quote_watches(self) -> list[QuoteWatch]:
        """What was seen of the rows, and of the header."""
        rows = self.found.lines.quotes
        if rows is None:
            return []
        header = QuoteWatch(self.csv.dialect.delimiter)
        header.see(self.header.text + b"\n")
        return [rows, header]

    def stream(self) -> TableStream:
        self._require_few_ragged()
        columns = self.found.columns
        fields = [pa.field(name, column.type) for name, column in zip(self.names, columns, strict=True)]
        rules = [str(column.rule) for column in columns]
        if self.found.ragged.surplus:
            fields.append(pa.field(self._surplus_name, pa.string()))
            rules.append(TextRule.SURPLUS)
        schema = pa.schema(fields)

        def batches() -> Iterator[pa.RecordBatch]:
            for arrays in self.found.finished():
                yield pa.RecordBatch.from_arrays(arrays, schema=schema)

        return TableStream(Format.CSV, schema, batches(), self._remarks(), rules, self._reading())

    def _require_few_ragged(self) -> None:
        ragged, rows, width = self.found.ragged, self.found.rows, len(self.names)
        few = ragged.rows * _ROWS_PER_RAGGED_MIN <= rows or (ragged.rows == 1 and rows > 1)
        if ragged.first is None or few:
            return
        number, fields = ragged.first
        raise damaged(
            f"Row {number:,} has {fields:,} fields, the header has {width:,} (the header is row 1; blank lines do not "
            f"count), and so {ragged.rows:,} of {rows:,} rows do not fit it.",
            _RAGGED_ADVICE if fields < width or ragged.rows < rows else f"{_RAGGED_ADVICE} {_TITLE_ADVICE}",
        )

    @property
    def _surplus_name(self) -> str:
        return distinct_names([*self.names, _SURPLUS])[0][-1]

    def _remarks(self) -> list[str]:
        remarks = self.remarks + self._title_told()
        if self.csv.encoding in SINGLE_BYTE_WORDS and not self.hints.encoding:
            remarks.append(f"The text is not UTF-8 and was read as {SINGLE_BYTE_WORDS[self.csv.encoding]}.")
        emptied = [
            name for name, column in zip(self.names, self.found.columns, strict=True) if column.nulls_empty_texts
        ]
        if emptied:
            remarks.append(f"Quoted empty fields were read as null in {names_in_words(emptied)}.")
        if self.found.ragged.first is not None:
            remarks.append(self._ragged_told(*self.found.ragged.first))
        if self.broken_quotes:
            remarks.append(
                f"{self.broken_quotes:,} quoted fields go on after their closing quote and were read without it."
            )
        return remarks

    def _title_told(self) -> list[str]:
        if len(self.names) > 1:
            held = [column.rule != TextRule.NO_VALUES for column in self.found.columns]
            names = [name for name, any_ in zip(self.header.names, held, strict=True) if name or any_]
            return title_told(names, "The first line")
        if self.hints.delimiter or (below := divided_below(*_head(self.csv.file))) is None:
            return []
        return [
            f"The first line has one field, most lines below have {below[1]:,}, divided by {below[0]!r}, and were read "
            "as one: if the first line is a title above the names, remove it and register again."
        ]

    def _ragged_told(self, number: int, fields: int) -> str:
        kept = f", surplus ones are kept in '{self._surplus_name}'" if self.found.ragged.surplus else ""
        return (
            f"Rows that do not have the header's {len(self.names):,} fields: {self.found.ragged.rows:,}, the first is "
            f"row {number:,} with {fields:,}. Missing fields were read as null{kept}."
        )

    def _reading(self) -> dict[str, JsonValue]:
        dialect, line_ends = self.csv.dialect, replace(self.found.lines.line_ends)
        line_ends.add(self.header.text, 0)
        return {
            "encoding": self.csv.encoding,
            "bom": self.csv.marked or self.header.marked,
            "delimiter": dialect.delimiter,
            "quote": dialect.quote,
            "line_end": line_ends.kind,
            "header": True,
            "blank_lines": self.header.blank_lines + self.found.blank_lines,
            "ragged_rows": self.found.ragged.rows,
            "nulls": list(self.hints.nulls),
        }
