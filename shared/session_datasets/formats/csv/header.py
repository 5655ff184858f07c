"""The first record of a CSV, which names its columns. A file without such a record reads as if it had one."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from session_datasets.domain.limits import MIB
from session_datasets.formats.csv.dialect import Dialect
from session_datasets.formats.csv.unclosed import line_of_open_quote, open_quote
from session_datasets.formats.stream import damaged

# The names of as many columns as page fit many times over; a longer first line is no header.
_HEADER_LINE_CHARACTERS_MAX = 8 * MIB
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Header:
    """``text`` is all bytes up to the first row, the byte order mark aside; the rows begin after ``end`` bytes."""

    names: list[str]
    text: bytes
    end: int
    marked: bool
    blank_lines: int


def read_header(file: Path, dialect: Dialect) -> Header:
    """The names in a UTF-8 file, before or after blank lines. Refusal when there are none."""
    with file.open(encoding="utf-8", errors="surrogateescape", newline="") as text:
        marked = text.read(1) == _MARK
        if not marked:
            text.seek(0)
        lines = _Lines(text)
        blank = 0
        try:
            for record in _records(lines, dialect):
                if lines.ended:
                    raise open_quote(line_of_open_quote(file, dialect))
                if record:
                    content = "".join(lines.read).encode("utf-8", "surrogateescape")
                    names = [name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in record]
                    return Header(names, content, len(content) + len(_MARK.encode()) * marked, marked, blank)
                blank += 1
        except csv.Error as error:
            raise damaged("The first line can not be read as the names of columns.") from error
    raise damaged("The file has no line with the names of columns.")


def _records(lines: Iterator[str], dialect: Dialect) -> Iterator[list[str]]:
    if dialect.quote is None:
        return csv.reader(lines, delimiter=dialect.delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=dialect.delimiter)


class _Lines:
    """The lines of a text, remembered as they are read."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self.read: list[str] = []
        # A record that asks for a line after the last one has a quoted field that goes on.
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(_HEADER_LINE_CHARACTERS_MAX + 1)
        if not line:
            self.ended = True
            raise StopIteration
        if len(line) > _HEADER_LINE_CHARACTERS_MAX:
            raise damaged(
                f"The first line is longer than {_HEADER_LINE_CHARACTERS_MAX:,} characters; it should name the columns."
            )
        self.read.append(line)
        return line
