"""Whether quotes stand only where a reader takes them for quotes, found while the bytes of a file pass.

A quoted field begins right after a delimiter or a line end and ends right before one. What follows a closing quote
otherwise is read by most parsers as part of the field, without the quote: a change nobody would notice.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

_QUOTE = ord('"')


class QuoteWatch:
    """``see`` the bytes of a file piece by piece from the beginning of a record, the last piece ending in a line end.

    ``quotes`` counts quotes of any kind, ``broken`` the closing ones that do not end their field.
    """

    def __init__(self, delimiter: str) -> None:
        self.quotes = 0
        self.broken = 0
        self._inside = False
        # Places are counted from the first byte that was ever seen; the line end before it is none of them.
        self._begin = -1
        self._opened_at = 0
        # The byte before the first one that was not looked at yet, then that one: it needs the one after it.
        self._kept = b"\n"
        # What may lie before an opening and behind a closing quote; a quote there is one that is doubled.
        self._beside = np.zeros(256, np.bool_)
        self._beside[[ord(delimiter), *b'\r\n"']] = True
        around = re.escape(delimiter.encode())
        self._opening = re.compile(rb"(?<=[\r\n]|" + around + rb')"')
        self._ends = frozenset((ord(delimiter), *b"\r\n"))

    @property
    def open_at(self) -> int | None:
        """How many bytes lie before the quote of the field that has not ended yet; None outside of such a field."""
        return self._opened_at if self._inside else None

    def see(self, piece: bytes) -> None:
        data = self._kept + piece
        skip = 0
        if len(data) > 2:
            if data.find(b'"', 1, len(data) - 1) >= 0:
                skip = self._look(data)
            self._kept = data[-2 + skip :] if skip == 0 else data[-1:]
        else:
            self._kept = data
        self._begin += len(data) - len(self._kept)

    def _look(self, data: bytes) -> int:
        """Looks at all bytes but the first and the last one. Answers 1 if the last one belongs to them as well."""
        content = np.frombuffer(data, np.uint8)
        places = np.flatnonzero(content[1:-1] == _QUOTE) + 1
        self.quotes += len(places)
        openings = places[int(self._inside) :: 2]
        before = content[openings - 1]
        after = content[places[1 - int(self._inside) :: 2] + 1]
        # Outside a field, a quote right before the first byte was one in the middle of an unquoted field.
        odd = not self._inside and content[0] == content[1] == _QUOTE
        if not odd and self._beside.take(before).all() and self._beside.take(after).all():
            self._remember(openings[before != _QUOTE])
            return self._regular(content, places)
        return self._walk(data)

    def _remember(self, openings: npt.NDArray[np.int64]) -> None:
        """The last of these places, none of which is the second of two quotes inside of a field."""
        if len(openings):
            self._opened_at = self._begin + int(openings[-1])

    def _regular(self, content: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> int:
        self._inside ^= len(places) % 2 == 1
        doubled = not self._inside and places[-1] == len(content) - 2 and content[-1] == _QUOTE
        self._inside |= doubled
        return int(doubled)

    def _walk(self, data: bytes) -> int:
        """The same, field by field, where quotes stand in the middle of unquoted fields, too."""
        at, last = 1, len(data) - 1
        while at < last:
            if not self._inside:
                opening = self._opening.search(data, at, last)
                if opening is None:
                    return 0
                self._inside, at = True, opening.end()
                self._opened_at = self._begin + opening.start()
            at = data.find(b'"', at, last)
            if at < 0:
                return 0
            if data[at + 1] == _QUOTE:
                at += 2
                continue
            self._inside = False
            self.broken += data[at + 1] not in self._ends
            at += 1
        return int(at > last)
