"""CSV with the standard library, row by row; the budget counts the bytes of the file itself.

UTF-8, lines end in CR LF, fields are quoted where they must be. Null is an empty field, an empty text is two quotes.
Other control characters stay, in quotes: that way they are values to whoever looks whether a file is text. A NUL
becomes U+FFFD, since a file with one is no text to most readers, the service among them; Parquet keeps it.
Texts that begin with ``=``, ``+``, ``-`` or ``@`` are data and stay as they are: whoever opens the file in a
spreadsheet should import it as text, since a spreadsheet takes them for formulas.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from session_datasets.materialize.cells import Cell, csv_text, without_nul
from session_datasets.materialize.refusals import BudgetTooSmallError

# At the file's beginning an unquoted mark of byte order would be taken for one, and control characters outside of
# quotes for binary data: tab, vertical tab, form feed and escape are in texts, a NUL is replaced.
_NEEDS_QUOTES = re.compile('[",\r\n\ufeff\x01-\x08\x0e-\x1a\x1c-\x1f]')
_LINE_END = b"\r\n"


class CsvFile:
    """Writes to ``file``, never more than ``max_bytes``. BudgetTooSmallError when the names alone are more."""

    def __init__(self, file: BinaryIO, columns: Sequence[str], max_bytes: int | None) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._bytes = 0
        self._rows = 0
        self._nuls = 0
        header = self._line(columns)
        if not self._fits(header):
            raise BudgetTooSmallError(
                f"The names of the columns take {len(header):,} bytes, the budget is {max_bytes:,}; no row was read.",
                "Raise the budget, or select fewer columns.",
            )
        self._write(header)

    def add(self, row: Sequence[Cell]) -> bool:
        """Whether the row was written; False when it would pass the budget."""
        line = self._line(row)
        if not self._fits(line):
            return False
        self._write(line)
        self._rows += 1
        return True

    def held(self, row: Sequence[Cell]) -> Sequence[Cell]:
        return [without_nul(cell) if isinstance(cell, str) else cell for cell in row]

    def finish(self) -> int:
        """How many of the rows that were taken the file holds: all of them."""
        self._file.flush()
        return self._rows

    def kept_rows(self) -> Iterator[Sequence[Cell]]:
        """Not needed, for none is ever dropped again."""
        return iter(())

    def _fits(self, line: bytes) -> bool:
        return self._max_bytes is None or self._bytes + len(line) <= self._max_bytes

    def _write(self, line: bytes) -> None:
        self._file.write(line)
        self._bytes += len(line)

    def _line(self, cells: Sequence[Cell]) -> bytes:
        # A blank line is no row, so a lone null is written as an empty text.
        line = ",".join(map(_field, cells)) or '""'
        if "\0" in line:
            self._nuls += 1
            line = without_nul(line)
        return line.encode() + _LINE_END

    @property
    def notes(self) -> list[str]:
        return [f"{self._nuls:,} rows had NUL characters; each is U+FFFD now."] if self._nuls else []


def _field(cell: Cell) -> str:
    text = csv_text(cell)
    if (text == "" and cell is not None) or _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
