"""Where the values of a piece of JSON begin and end, found for all of them at once.

Nothing is parsed: quotes and brackets are counted. Of valid JSON the answer is right; where the text is no JSON, it is
right up to the first character that is wrong, and whoever parses the values finds that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from session_datasets.domain.limits import KIB

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

_QUOTE, _BACKSLASH, _LINE_END = b'"'[0], b"\\"[0], b"\n"[0]
# The two opening brackets, and the two closing ones, are the only ASCII characters with these three last bits that
# have all bits of _BRACKET_BITS as well.
_BRACKET_BITS, _FREE_BITS = 0x7F, 0x26
_LAST_BITS, _OPENS, _CLOSES = 7, 3, 5
# Bytes looked at together, so that what is made of them stays in the processor's nearest cache.
_STRIP = 128 * KIB
# Different gaps of one length that are looked for at once; further ones are taken one by one.
_SPELLINGS_COMPARED = 8


@dataclass(frozen=True)
class Outline:
    """The top-level values of ``text``, in order, as far as they are whole: ``begins[i]:ends[i]`` is one.

    Only values in brackets count. ``depth`` is that of the deepest bracket in any of them. ``in_string`` is true from a
    string's opening quote up to its closing one.
    """

    text: Bytes
    in_string: Flags
    begins: Places
    ends: Places
    depth: int


def outlined(data: bytes | bytearray) -> Outline:
    """``data`` begins outside any value."""
    text = np.frombuffer(data, np.uint8)
    quotes = text == _QUOTE
    if _BACKSLASH in data:
        _leave_out_escaped(quotes, text)
    in_string = _inside(quotes)
    at, opens = _brackets(text, in_string)
    depths = np.cumsum(np.where(opens, np.int8(1), np.int8(-1)), dtype=np.int32)
    if (beyond := np.flatnonzero(depths < 0)[:1]).size:
        at, opens, depths = at[: beyond[0]], opens[: beyond[0]], depths[: beyond[0]]
    ends = at[(depths == 0) & ~opens] + 1
    begins = at[(depths == 1) & opens][: ends.size]
    deepest = int(depths[: np.searchsorted(at, ends[-1])].max()) if ends.size else 0
    return Outline(text, in_string, begins, ends, deepest)


def _leave_out_escaped(quotes: Flags, text: Bytes) -> None:
    """A quote after an odd number of backslashes is part of its string."""
    backslashes = np.flatnonzero(text == _BACKSLASH)
    suspects = np.flatnonzero(quotes[1:] & (text[:-1] == _BACKSLASH)) + 1
    if not suspects.size:
        return
    order = np.arange(backslashes.size)
    begins_run = np.append(True, np.diff(backslashes) != 1)
    place_in_run = order - np.maximum.accumulate(np.where(begins_run, order, 0))
    before = np.searchsorted(backslashes, suspects - 1)
    quotes[suspects[place_in_run[before] % 2 == 0]] = False


def _inside(quotes: Flags) -> Flags:
    """For every byte whether an odd number of quotes stands up to it: a prefix sum of bits, 64 of them at a time."""
    packed = np.packbits(quotes, bitorder="little")
    words = np.zeros(-(-packed.size // 8), np.uint64)
    words.view(np.uint8)[: packed.size] = packed
    for shift in (1, 2, 4, 8, 16, 32):
        words ^= words << np.uint64(shift)
    odd = words >> np.uint64(63)
    odd_before = np.bitwise_xor.accumulate(odd) ^ odd
    words ^= np.uint64(0) - odd_before
    return np.unpackbits(words.view(np.uint8), count=quotes.size, bitorder="little").view(np.bool_)


def _brackets(text: Bytes, in_string: Flags) -> tuple[Places, Flags]:
    """Where brackets stand outside strings, and which of them open."""
    at = np.concatenate([_bracket_like(text, in_string, begin) for begin in range(0, len(text), _STRIP) or (0,)])
    last_bits = text[at] & np.uint8(_LAST_BITS)
    opens = last_bits == _OPENS
    brackets = opens | (last_bits == _CLOSES)
    return (at, opens) if brackets.all() else (at[brackets], opens[brackets])


def _bracket_like(text: Bytes, in_string: Flags, begin: int) -> Places:
    """Where a strip of the text has what may be brackets, outside strings."""
    strip = slice(begin, begin + _STRIP)
    bits = text[strip] | np.uint8(_FREE_BITS)
    like = np.equal(bits, _BRACKET_BITS, out=bits.view(np.bool_))
    return np.flatnonzero(np.greater(like, in_string[strip], out=like)) + begin


@dataclass(frozen=True)
class Block:
    """Whole objects that follow one another in a file: those of ``outline`` from ``first`` up to ``last``.

    ``offset``: where the text of the outline begins in the file, in bytes. ``number``: how many objects of the file
    come before the block. ``lines``: how many line ends come before the outline's text, None where none matter.
    ``separators`` has, for each value of the outline but the last, the place of a byte after it that separates.
    """

    outline: Outline
    offset: int
    number: int
    lines: int | None
    separators: Places
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def part(self, first: int, last: int) -> Block:
        """The objects from ``first`` up to ``last`` of this block."""
        begin = self.first + first
        return replace(self, number=self.number + first, first=begin, last=self.first + last)

    @property
    def begin(self) -> int:
        """The place of the first object's first byte in the outline's text."""
        return int(self.outline.begins[self.first])

    @property
    def end(self) -> int:
        """The place after the last object's last byte."""
        return int(self.outline.ends[self.last - 1])

    @cached_property
    def text(self) -> Bytes:
        """The bytes from the first object to the last."""
        return self.outline.text[self.begin : self.end]

    @cached_property
    def in_string(self) -> Flags:
        """Which of them are inside strings."""
        return self.outline.in_string[self.begin : self.end]

    def outside(self, flags: Flags, shift: int = 0) -> Flags:
        """Those of ``flags`` whose byte, the one ``shift`` bytes after theirs, is outside strings."""
        return np.greater(flags, self.in_string[shift : shift + len(flags)])

    @property
    def largest(self) -> int:
        """Bytes of the largest object."""
        sizes = self.outline.ends[self.first : self.last] - self.outline.begins[self.first : self.last]
        return int(sizes.max())

    def separated(self, mark: bytes) -> Bytes:
        """The text with ``mark``, one byte, between each two objects, and after the last one."""
        made = np.empty(len(self.text) + 1, np.uint8)
        made[:-1] = self.text
        made[self.separators[self.first : self.last - 1] - self.begin] = mark[0]
        made[-1] = mark[0]
        return made

    def objects(self) -> Iterator[tuple[str, bytes]]:
        """Each object's place in words, and its bytes."""
        begins, ends = self.outline.begins[self.first : self.last], self.outline.ends[self.first : self.last]
        for number, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True), start=self.number + 1):
            yield self._place(number, begin), self.outline.text[begin:end].tobytes()

    def _place(self, number: int, begin: int) -> str:
        if self.lines is None:
            return f"Element {number} of the array"
        return f"Line {self.lines + 1 + np.count_nonzero(self.outline.text[:begin] == _LINE_END)}"


@dataclass(frozen=True)
class Gaps:
    """What stands between values. ``sound`` of them are as ``pattern`` says; ``separators`` has the place of its mark.

    ``line_ends`` counts the line ends in the sound ones.
    """

    sound: int
    separators: Places
    line_ends: int


def gaps(text: Bytes, froms: Places, tos: Places, pattern: re.Pattern[bytes]) -> Gaps:
    """The texts ``text[froms[i]:tos[i]]``: ``pattern`` has one group, the byte that separates, and matches them all."""
    lengths = tos - froms
    marks = np.full(froms.size, -1, np.int64)
    line_ends = np.zeros(froms.size, np.int64)
    for length in _distinct(lengths):
        which = np.flatnonzero(lengths == length)
        found = text[froms[which][:, None] + np.arange(length)]
        for spelling, equal in _spellings(found):
            if match := pattern.fullmatch(spelling):
                marks[which[equal]] = match.start(1)
                line_ends[which[equal]] = spelling.count(b"\n")
    unsound = np.flatnonzero(marks < 0)
    sound = int(unsound[0]) if unsound.size else marks.size
    return Gaps(sound, froms[:sound] + marks[:sound], int(line_ends[:sound].sum()))


def _distinct(lengths: Places) -> list[int]:
    """Most often all are the same."""
    same = not lengths.size or (lengths == lengths[0]).all()
    distinct: list[int] = (lengths[:1] if same else np.unique(lengths)).tolist()
    return distinct


def _spellings(found: Bytes) -> Iterator[tuple[bytes, Places]]:
    """The different rows of ``found``, and where each stands. Most often all are the same."""
    left = np.arange(len(found))
    for _ in range(_SPELLINGS_COMPARED):
        if not left.size:
            return
        same = (found[left] == found[left[0]]).all(axis=1)
        yield found[left[0]].tobytes(), left[same]
        left = left[~same]
    for at in range(left.size):
        yield found[left[at]].tobytes(), left[at : at + 1]
