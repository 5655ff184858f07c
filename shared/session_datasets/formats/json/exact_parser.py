"""JSON objects, one at a time, with nothing lost on the way.

Read with these rules: an integer keeps all its digits; a fraction that no double reproduces keeps its text; NaN
and Infinity, which Python writes, are taken; a key that occurs twice in one object is damage, since any choice
would drop a value; halves of surrogate pairs, which no UTF-8 can hold, become U+FFFD, and that is said (keys that
become the same by it occur twice).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import orjson

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.json.blocks import Block
from session_datasets.formats.json.numbers import may_vanish, wide_integers
from session_datasets.formats.json.split import Rest
from session_datasets.formats.stream import damaged
from session_datasets.formats.text.numbers import ALWAYS_EXACT_CHARACTERS, double_says

# Characters of one record: what is held and parsed at once.
RECORD_CHARACTERS_MAX = 64 * MIB
_PIECE_CHARACTERS = 1 * MIB
_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")
SURROGATE_REMARK = "Texts with half a surrogate pair have U+FFFD in its place."

JsonObject = dict[str, Any]
_NESTED = (dict, list)


class ExactNumber(str):
    """The text of a number that no double reproduces."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One object and the characters its text took; ``repaired`` says that U+FFFD stands in for half a pair."""

    value: JsonObject
    characters: int
    repaired: bool


def spelled(value: Any) -> str:
    """The JSON of a value, numbers with all the digits they came with."""
    if type(value) is ExactNumber:
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spelled(str(key))}: {spelled(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(spelled(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


class _DuplicateKey(ValueError):
    pass


def block_objects(block: Block) -> tuple[list[JsonObject], bool]:
    """The objects of ``block``, in order, and whether half a surrogate pair was repaired.

    Raises Refusal unreadable-file where one is damaged.
    """
    found = _bulk_decoded(block)
    if found is not None:
        return found, False
    records = [_block_record(source, place) for place, source in block.objects()]
    return [record.value for record in records], any(record.repaired for record in records)


def _bulk_decoded(block: Block) -> list[JsonObject] | None:
    """The same objects, by a parser that is faster and takes less; None where it, or its numbers, may be wrong."""
    if block.largest > RECORD_CHARACTERS_MAX or may_vanish(block) or wide_integers(block) is None:
        return None
    array = block.separated(b",")
    array[-1] = ord("]")
    try:
        found = orjson.loads(b"[" + array.tobytes())
    except orjson.JSONDecodeError:
        return None
    # It keeps the last of equal keys.
    keys = np.count_nonzero(block.outside(block.text == ord(":")))
    return found if keys == _count_keys(found) and len(found) == len(block) else None


def _count_keys(values: list[Any]) -> int:
    """The keys of all objects, at any depth."""
    count = 0
    while values:
        objects = [value for value in values if type(value) is dict]
        arrays = [value for value in values if type(value) is list]
        count += sum(map(len, objects))
        inner = chain(chain.from_iterable(map(dict.values, objects)), chain.from_iterable(arrays))
        values = [value for value in inner if type(value) in _NESTED]
    return count


def _block_record(source: bytes, place: str) -> Record:
    try:
        text = source.decode()
    except UnicodeDecodeError as error:
        raise _not_utf8() from error
    if len(text) > RECORD_CHARACTERS_MAX:
        raise _too_long(place)
    return _record(_decoded(text, place), text, place)


def rest_records(file: Path, format_: Format, rest: Rest) -> Iterator[Record]:
    """The objects of ``rest``, in order. Raises Refusal unreadable-file where it is damaged."""
    try:
        with file.open("rb") as source:
            source.seek(rest.offset)
            with TextIOWrapper(source, "utf-8" if rest.offset else "utf-8-sig", newline="\n") as text:
                yield from (
                    _array_records(text, rest.number) if format_ is Format.JSON else _line_records(text, rest.lines)
                )
    except UnicodeDecodeError as error:
        raise _not_utf8() from error


def _not_utf8() -> Exception:
    return damaged("The text is not valid UTF-8 throughout.", "Write the file again as UTF-8.")


def _number(text: str) -> float | ExactNumber:
    number = float(text)
    if len(text) < ALWAYS_EXACT_CHARACTERS and isfinite(number) and number != 0:
        return number
    # Most long ones were printed by a program as Python prints them.
    return number if repr(number) == text or double_says(text) else ExactNumber(text)


def _object(pairs: list[tuple[str, Any]]) -> JsonObject:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKey("an object has the same key twice")
    return value


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number)


def _unreadable(error: Exception, place: str, begin: int = 0) -> Exception:
    """The refusal for what the decoder raised of a value that begins at ``begin`` of its text."""
    if isinstance(error, json.JSONDecodeError):
        return damaged(f"{place} is not valid JSON: {error.msg}, at its character {error.pos - begin + 1}.")
    if isinstance(error, RecursionError):
        return damaged(f"{place} is nested too deeply.")
    reason = str(error) if isinstance(error, _DuplicateKey) else "it has a number with too many digits"
    return damaged(f"{place} can not be read without loss: {reason}.")


def _decoded(text: str, place: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (RecursionError, ValueError) as error:
        raise _unreadable(error, place) from error


def _line_records(text: TextIO, number: int) -> Iterator[Record]:
    while line := text.readline(RECORD_CHARACTERS_MAX + 1):
        number += 1
        place = f"Line {number}"
        if len(line) > RECORD_CHARACTERS_MAX:
            raise _too_long(place)
        if stripped := line.strip(" \t\r\n"):
            yield _record(_decoded(stripped, place), stripped, place)


def _array_records(text: TextIO, number: int) -> Iterator[Record]:
    window = _Window(text)
    if not number:
        window.take("[", "The file")
    while window.peek() != "]":
        if number:
            window.take(",", f"The array after element {number}")
        number += 1
        place = f"Element {number} of the array"
        value, source = window.value(place)
        if len(source) > RECORD_CHARACTERS_MAX:
            raise _too_long(place)
        yield _record(value, source, place)
    window.take("]", "The array")
    if window.peek():
        raise damaged("Something follows the end of the JSON array.")


def _record(value: Any, source: str, place: str) -> Record:
    if not isinstance(value, dict):
        raise damaged(f"{place} is no object, so it has no columns.")
    repaired = "\\ud" in source or "\\uD" in source
    if repaired:
        try:
            whole = _without_surrogates(value)
        except _DuplicateKey as error:
            raise _unreadable(error, place) from error
        repaired, value = whole != value, whole
    return Record(value, len(source), repaired)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return type(value)(_SURROGATE.sub("\ufffd", value))
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return _object([(_without_surrogates(key), _without_surrogates(item)) for key, item in value.items()])
    return value


def _too_long(place: str) -> Exception:
    return damaged(f"{place} is longer than the {RECORD_CHARACTERS_MAX:,} characters that one record may have.")


class _Window:
    """A text read in pieces, of which only the part not yet parsed is held."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._held = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is no space, empty at the end of the text."""
        while True:
            self._at = _SPACE.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def take(self, mark: str, place: str) -> None:
        if (found := self.peek()) != mark:
            seen = f"{found!r} stands" if found else "the file ends"
            raise damaged(f"{place} is not valid JSON: {seen} where {mark!r} is expected.")
        self._at += 1

    def value(self, place: str) -> tuple[Any, str]:
        """The next value and its text. What can not be parsed yet may be cut off: more is read until it is not."""
        self.peek()
        while True:
            begin = self._at
            try:
                value, end = _DECODER.raw_decode(self._held, begin)
            except (RecursionError, ValueError) as error:
                cut_off = isinstance(error, json.JSONDecodeError)
                if cut_off and len(self._held) - begin > RECORD_CHARACTERS_MAX:
                    raise _too_long(place) from error
                if cut_off and self._more():
                    continue
                raise _unreadable(error, place, begin) from error
            source, self._at = self._held[begin:end], end
            return value, source

    def _more(self) -> bool:
        """Doubles what is held, so that a long value is parsed again a few times only."""
        rest = self._held[self._at :]
        piece = self._text.read(max(_PIECE_CHARACTERS, len(rest)))
        self._held, self._at = rest + piece, 0
        return bool(piece)
