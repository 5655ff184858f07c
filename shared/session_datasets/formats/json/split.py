"""A file of JSON objects, an array or JSON Lines, as blocks of whole objects: read once, little of it held at a time.

What does not look like objects with what belongs between them is left to the parser that goes through a text
character by character: it knows the words for what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.json.blocks import Block, Flags, Outline, gaps, outlined

# Bytes read at a time: the arrays that are made of them stay in the processor's cache.
BLOCK_BYTES = 2 * MIB
# Bytes of one object that are held to find its end.
_OBJECT_BYTES_MAX = 16 * MIB
_MARK = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_ARRAY_BEGIN = re.compile(rb"[ \t\r\n]*\[")
_ARRAY_END = re.compile(rb"[ \t\r\n]*\][ \t\r\n]*")
# What stands between two objects; the group is the byte that separates them.
_BETWEEN = {
    Format.JSON: re.compile(rb"[ \t\r\n]*(,)[ \t\r\n]*"),
    Format.JSON_LINES: re.compile(rb"[ \t\r]*(\n)[ \t\r\n]*"),
}


@dataclass(frozen=True, slots=True)
class Rest:
    """The end of a file from ``offset`` on, to be read character by character; ``number`` objects come before.

    In an array it begins after an object, or before the array if ``number`` is 0; in JSON Lines with a line, before
    which there are ``lines``.
    """

    offset: int
    number: int
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Where a block lies in its file, to be read again. ``size`` in bytes."""

    offset: int
    size: int
    number: int

    @classmethod
    def of(cls, block: Block) -> Span:
        """The span of a block."""
        return cls(block.offset + block.begin, block.end - block.begin, block.number)


def blocks(file: Path, format_: Format) -> Iterator[Block | Rest]:
    """All objects of ``file``, which is UTF-8; at most one Rest, the last."""
    with file.open("rb") as source:
        marked = source.read(len(_MARK)) == _MARK
        source.seek(len(_MARK) if marked else 0)
        yield from (_array_blocks if format_ is Format.JSON else _line_blocks)(source)


def block_again(source: BinaryIO, span: Span, format_: Format) -> Block:
    """The block that was at ``span``."""
    source.seek(span.offset)
    outline = outlined(source.read(span.size))
    return _block(outline, len(outline.ends), span.offset, span.number, None, format_)


def _block(outline: Outline, size: int, offset: int, number: int, lines: int | None, format_: Format) -> Block:
    """The first ``size`` objects of an outline."""
    between = gaps(outline.text, outline.ends[: size - 1], outline.begins[1:size], _BETWEEN[format_])
    return Block(outline, offset, number, lines, between.separators, 0, size)


def _array_blocks(source: BinaryIO) -> Iterator[Block | Rest]:
    held, offset, number = _after_array_begin(source)
    found = bool(held)
    while found:
        piece = source.read(max(BLOCK_BYTES, len(held)))
        held += piece
        outline = outlined(held)
        if size := len(outline.ends):
            between = gaps(outline.text, np.append(0, outline.ends[:-1]), outline.begins, _BETWEEN[Format.JSON])
            sound = min(between.sound, _objects(outline))
            if sound:
                yield Block(outline, offset, number, None, between.separators[1:], 0, sound)
                used = int(outline.ends[sound - 1])
                held, offset, number = held[used:], offset + used, number + sound
            found = sound == size
        elif not piece and number and _ARRAY_END.fullmatch(held):
            return
        else:
            found = bool(piece) and len(held) <= _OBJECT_BYTES_MAX
    yield Rest(offset if number else 0, number)


def _after_array_begin(source: BinaryIO) -> tuple[bytes, int, int]:
    """A comma for the bracket that opens the array, so that one comes before every object; nothing if there is none."""
    offset = source.tell()
    head = source.read(BLOCK_BYTES)
    if not (begin := _ARRAY_BEGIN.match(head)):
        return b"", 0, 0
    return b"," + head[begin.end() :], offset + begin.end() - 1, 0


def _objects(outline: Outline) -> int:
    """How many values are objects by their brackets, up to the first that is none."""
    return _first(
        (outline.text[outline.begins] != ord("{")) | (outline.text[outline.ends - 1] != ord("}")), outline.ends.size
    )


def _first(flags: Flags, otherwise: int) -> int:
    found = np.flatnonzero(flags)
    return int(found[0]) if found.size else otherwise


def _line_blocks(source: BinaryIO) -> Iterator[Block | Rest]:
    # Each piece begins with the line end before it; the first with one that is not there.
    held, offset, number, lines = b"\n", source.tell() - 1, 0, -1
    final = False
    while not final:
        piece = source.read(max(BLOCK_BYTES, len(held)))
        held, final = held + piece, not piece
        cut = len(held) if final else held.rfind(b"\n")
        if not cut:
            if len(held) > _OBJECT_BYTES_MAX:
                yield Rest(offset + 1, number, lines + 1)
                return
            continue
        outline = outlined(held[:cut])
        sound, rest = _sound_lines(outline)
        if sound:
            yield _block(outline, sound, offset, number, lines, Format.JSON_LINES)
            number += sound
        if rest is not None:
            yield Rest(offset + rest, number, lines + held.count(b"\n", 0, rest))
            return
        lines += held.count(b"\n", 0, cut)
        held, offset = held[cut:], offset + cut


def _sound_lines(outline: Outline) -> tuple[int, int | None]:
    """How many objects have lines of their own, and the place of the first line that is no object, None without one."""
    text, begins, ends = outline.text, outline.begins, outline.ends
    size = len(ends)
    between = gaps(text, np.append(0, ends[:-1])[:size], begins, _BETWEEN[Format.JSON_LINES])
    after = text[int(ends[-1]) if size else 0 :].tobytes()
    # The gap that is wrong: that before an object, or what follows the last one.
    wrong = size + 1 if between.sound == size and not after.strip(_SPACE) else between.sound
    sound = size
    if np.count_nonzero(text == ord("\n")) != between.line_ends + after.count(b"\n"):
        sound = _on_one_line(outline)
    # Before a wrong gap stands an object that may share its line with what is wrong.
    sound = min(sound, max(wrong - 1, 0), _objects(outline))
    if sound == size < wrong:
        return size, None
    return sound, int(begins[sound]) if wrong else 1


def _on_one_line(outline: Outline) -> int:
    """How many objects have no line end inside, up to the first that has one."""
    line_ends = np.flatnonzero(outline.text == ord("\n"))
    before_begin, before_end = np.searchsorted(line_ends, outline.begins), np.searchsorted(line_ends, outline.ends)
    return _first(before_begin != before_end, outline.ends.size)
