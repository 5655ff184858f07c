"""Where the quote stands that a CSV never closes. The file is read for it only once that is known."""

from __future__ import annotations

from pathlib import Path

from session_datasets.domain.limits import MIB
from session_datasets.formats.csv.dialect import Dialect
from session_datasets.formats.csv.lines import LineEnds
from session_datasets.formats.csv.quotes import QuoteWatch
from session_datasets.formats.stream import damaged

_PIECE_BYTES = 1 * MIB
_MARK = "\ufeff".encode()


def open_quote(line: int | None) -> Exception:
    """The refusal of a text whose last quoted field, opened in that line, never ends."""
    where = "" if line is None else f" in line {line:,}"
    return damaged(
        f"A quote is opened{where} and never closed: the file may be cut off.",
        "Write the file again, whole, with the quotes inside of quoted values doubled, and register it.",
    )


def line_of_open_quote(file: Path, dialect: Dialect) -> int | None:
    """The line, from 1, blank ones and those inside of values counted, in which the quote stands; None if all are
    closed."""
    if dialect.quote is None:
        return None
    watch, skipped = QuoteWatch(dialect.delimiter), 0
    with file.open("rb") as opened:
        if opened.read(len(_MARK)) == _MARK:
            skipped = len(_MARK)
        opened.seek(skipped)
        while piece := opened.read(_PIECE_BYTES):
            watch.see(piece)
        # It looks at a byte when it has the one that follows.
        watch.see(b"\n")
    return None if watch.open_at is None else _line_at(file, skipped + watch.open_at)


def _line_at(file: Path, place: int) -> int:
    """The line in which the byte at ``place`` lies."""
    ends, last, left = LineEnds(), 0, place
    with file.open("rb") as opened:
        while left and (piece := opened.read(min(_PIECE_BYTES, left))):
            ends.add(piece, last)
            last = piece[-1]
            left -= len(piece)
    return ends.total + 1
