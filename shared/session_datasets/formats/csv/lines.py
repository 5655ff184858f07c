"""What the bytes of a CSV show while they pass: how its lines end, how many there are, where quotes stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.csv.dialect import Dialect
from session_datasets.formats.csv.quotes import QuoteWatch

_LINE_END = r"\r\n|\r|\n"


@dataclass(slots=True)
class LineEnds:
    """Line ends by kind; the LF and the CR of a CRLF count as neither."""

    lf: int = 0
    cr: int = 0
    crlf: int = 0

    def add(self, text: bytes, before: int) -> None:
        """Counts those in ``text``, which follows the byte ``before``: a CRLF may lie across both."""
        lf, cr = _count(text, _LF), _count(text, _CR)
        if before == _CR and text.startswith(b"\n"):
            self.crlf += 1
            self.cr -= 1
            lf -= 1
        crlf = text.count(b"\r\n") if cr else 0
        self.lf, self.cr, self.crlf = self.lf + lf - crlf, self.cr + cr - crlf, self.crlf + crlf

    @property
    def total(self) -> int:
        return self.lf + self.cr + self.crlf

    @property
    def kind(self) -> str | None:
        """``lf``, ``cr``, ``crlf``, or ``mixed``; None without any line end."""
        kinds = [name for name, count in (("lf", self.lf), ("cr", self.cr), ("crlf", self.crlf)) if count]
        return "mixed" if len(kinds) > 1 else kinds[0] if kinds else None


_CR, _LF = b"\r\n"


def _count(text: bytes, byte: int) -> int:
    """Several times faster than ``bytes.count``, which looks at one byte after the other."""
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == byte)) if byte in text else 0


class LineWatch:
    """Call it with the bytes of all rows, piece by piece, and with none at their end."""

    def __init__(self, dialect: Dialect) -> None:
        self.line_ends = LineEnds()
        self.quotes = None if dialect.quote is None else QuoteWatch(dialect.delimiter)
        self._last = _LF

    def __call__(self, piece: bytes) -> None:
        if self.quotes is not None:
            self.quotes.see(piece or b"\n")
        if piece:
            self.line_ends.add(piece, self._last)
            self._last = piece[-1]

    @property
    def lines(self) -> int:
        """Lines of all rows, the last one with or without its end."""
        return self.line_ends.total + (self._last not in (_CR, _LF))

    @property
    def any_quote(self) -> bool:
        return self.quotes is not None and self.quotes.quotes > 0


def line_ends_inside(texts: pa.Array) -> int:
    """Line ends in the values of a block."""
    content = texts.buffers()[2]
    data = b"" if content is None else content.to_pybytes()
    if b"\n" not in data and b"\r" not in data:
        return 0
    return int(pc.sum(pc.count_substring_regex(texts, _LINE_END), min_count=0).as_py())
