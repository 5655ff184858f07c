"""A block of objects that are all written alike, read column by column, if that is proved to lose nothing.

Most files are such: a program wrote the same keys in the same order, the same spaces between them, and no brackets
inside. Then the colons outside strings tell where every value lies, and each column is a list of texts that Arrow
converts at once, several times faster than its parser reads objects.

The proof leaves no byte out. The first object is parsed as JSON. What stands before each value of every other one is
compared with what stands there in the first: the bracket or comma, the key, the colon, the spaces. What stands between
the objects was compared when the file was split. Each value is a whole one of its column's type: numbers by the rules
of ``text.numbers``, strings by the quotes, of which there are exactly two for each key and each string. Anything else
is left to the other parsers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.json.blocks import Block, Flags, Places
from session_datasets.formats.json.types import JsonType, Kind, Seen
from session_datasets.formats.text.numbers import (
    EXACT_INTEGER_MAX,
    Spans,
    exact_doubles,
    exact_integers,
)

_OPEN, _CLOSE, _COLON, _COMMA, _QUOTE, _BACKSLASH = b'{}:,"\\'
_MINUS, _ZERO, _NINE, _N = b"-09n"
_SPACE = re.compile(rb"[ \t\r\n]*")
_LEAST_IN_STRINGS = 0x20
_NULL = b"null"
_WORDS = {None, "true", "false"}
_NOT_FINITE = {"NaN", "Infinity", "-Infinity"}
# In the text of a number that is not digits, a sign and a point only.
_NOT_PLAIN = (b"e", b"E", b"N", b"I")


class _Other(Exception):
    """The objects are not alike, or a value is not of its column's type, or that is not certain."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """How the first object is written: its ``names``, what stands before each value, and what after the last one up
    to the closing bracket. Each of ``befores`` has ``spaces`` behind its colon."""

    names: list[str]
    befores: list[bytes]
    spaces: list[int]
    after: bytes


def read_alike(block: Block, types: Mapping[str, JsonType], seen: Mapping[str, Seen]) -> pa.RecordBatch | None:
    """The objects of ``block``, which is UTF-8; None unless it is certain that they have no other values, keys, types.

    The range of integers goes to ``seen``, which has all columns of ``types``.
    """
    if block.outline.depth != 1 or _has_control_characters(block):
        return None
    try:
        return _Alike(block).batch(types, seen)
    except (_Other, pa.ArrowInvalid):
        return None


class _Alike:
    """The values of a block, and where they lie. Raises _Other."""

    def __init__(self, block: Block) -> None:
        self._block = block
        self._text = block.text
        self._buffer = pa.py_buffer(block.text)
        colons = np.flatnonzero(block.outside(block.text == _COLON))
        self._pattern = _pattern(block, colons)
        size = len(self._pattern.names)
        if len(colons) != size * len(block):
            raise _Other
        # One row for each column, one number for each object.
        self._starts, self._ends = self._values(np.ascontiguousarray(colons.reshape(-1, size).T))
        self._escapes = np.flatnonzero(block.text == _BACKSLASH)
        self._strings = 0

    def _values(self, colons: Places) -> tuple[Places, Places]:
        """Where each value begins and ends, if what stands before and after it is as in the first object."""
        block, pattern = self._block, self._pattern
        befores = np.array([[len(before)] for before in pattern.befores])
        starts = colons + (np.array([[spaces] for spaces in pattern.spaces]) + 1)
        begins = starts - befores
        last = block.outline.ends[block.first : block.last] - (block.begin + len(pattern.after))
        ends = np.concatenate([begins[1:], last[None, :]])
        objects = block.outline.begins[block.first : block.last] - block.begin
        if not ((begins[0] == objects).all() and (ends > starts).all() and self._all_are(last, pattern.after)):
            raise _Other
        if not all(self._all_are(begins[at], before) for at, before in enumerate(pattern.befores)):
            raise _Other
        return starts, ends

    def _all_are(self, places: Places, what: bytes) -> bool:
        """Whether ``what`` stands at all these places."""
        windows = np.ndarray(len(self._text) - len(what) + 1, f"V{len(what)}", self._text, strides=(1,))
        return bool(windows[places].tobytes() == what * len(places))

    def batch(self, types: Mapping[str, JsonType], seen: Mapping[str, Seen]) -> pa.RecordBatch:
        """All values, in ``types``."""
        places = {name: place for place, name in enumerate(self._pattern.names)}
        if not places.keys() <= types.keys():
            raise _Other
        arrays, ranges = [], {}
        for name, type_ in types.items():
            if name not in places:
                arrays.append(pa.nulls(len(self._block), type_.type))
                continue
            array, range_ = self._column(places[name], type_)
            arrays.append(array)
            if range_:
                ranges[name] = range_
        self._require_no_other_quotes()
        for name, (low, high) in ranges.items():
            seen[name].see_range(low, high)
        return pa.RecordBatch.from_arrays(arrays, list(types))

    def _require_no_other_quotes(self) -> None:
        """Two for each key and each string; one that is escaped is none."""
        inside = self._block.in_string
        quotes = np.count_nonzero(inside[1:] != inside[:-1])
        if quotes != 2 * (len(self._block) * len(self._pattern.names) + self._strings):
            raise _Other

    def _column(self, place: int, type_: JsonType) -> tuple[pa.Array, tuple[int, int] | None]:
        """The values of one column, and their range if they are integers."""
        starts, ends = self._starts[place], self._ends[place]
        held = self._text[starts] != _N
        some = None if held.all() else held
        if some is not None:
            self._require_nulls(starts[~held], ends[~held])
            if not held.any():
                return pa.nulls(len(held), type_.type), None
        if type_.kind is Kind.STRING:
            return self._string(starts, ends, some), None
        if type_.kind not in (Kind.BOOL, Kind.INT64, Kind.UINT64, Kind.DOUBLE):
            raise _Other
        texts = self._texts(starts, ends, some)
        if type_.kind is Kind.BOOL:
            return _truths(texts), None
        if type_.kind is Kind.DOUBLE:
            return self._doubles(texts, starts if some is None else starts[some]), None
        if type_.kind is Kind.UINT64:
            return _unsigned(texts)
        if (integers := exact_integers(texts, Spans(texts))) is None:
            raise _Other
        return integers.values, (integers.low, integers.high)

    def _require_nulls(self, starts: Places, ends: Places) -> None:
        if not ((ends - starts == len(_NULL)).all() and self._all_are(starts, _NULL)):
            raise _Other

    def _texts(self, starts: Places, ends: Places, held: Flags | None) -> pa.Array:
        """The texts between these places, null where none is held."""
        bounds = np.empty((len(starts), 2), np.int32)
        bounds[:, 0], bounds[:, 1] = starts, ends
        # Every other one of those that the bounds divide the block into.
        every = pa.StringArray.from_buffers(bounds.size - 1, pa.py_buffer(bounds), self._buffer)
        valid = None if held is None else pa.py_buffer(np.packbits(held, bitorder="little"))
        which = pa.py_buffer(np.arange(0, bounds.size, 2, dtype=np.int32))
        return every.take(pa.Array.from_buffers(pa.int32(), len(starts), [valid, which]))

    def _string(self, starts: Places, ends: Places, held: Flags | None) -> pa.Array:
        quoted = (self._text[starts] == _QUOTE) & (self._text[ends - 1] == _QUOTE) & (ends - starts > 1)
        self._strings += int(np.count_nonzero(quoted))
        if not (quoted if held is None else quoted >= held).all():
            raise _Other
        texts = self._texts(starts + quoted, ends - quoted, held)
        if self._escapes.size:
            escaped = np.searchsorted(self._escapes, starts) < np.searchsorted(self._escapes, ends)
            if escaped.any():
                return pc.replace_with_mask(texts, pa.array(escaped), self._unescaped(starts[escaped], ends[escaped]))
        return texts

    def _unescaped(self, starts: Places, ends: Places) -> pa.Array:
        """Strings with escapes, parsed."""
        written = (self._text[start:end].tobytes() for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
        try:
            found = orjson.loads(b"[" + b",".join(written) + b"]")
        except orjson.JSONDecodeError as error:
            raise _Other from error
        if len(found) != len(starts):
            raise _Other
        return pa.array(found, pa.string())

    def _doubles(self, texts: pa.Array, starts: Places) -> pa.Array:
        """Numbers that doubles reproduce. The text of -0 is an integer, which has no sign."""
        spans = Spans(texts)
        doubles = _reproduced(texts, spans)
        values = spans.of_values(doubles, np.float64)
        first = self._text[starts]
        if (first == _MINUS).any():
            first = self._text[starts + (first == _MINUS)]
            if ((values == 0) & np.signbit(values) & (spans.lengths == len("-0"))).any():
                raise _Other
        finite = np.isfinite(values)
        # A fraction has a digit before the point; what begins otherwise is a word.
        if (finite != ((first >= _ZERO) & (first <= _NINE))).any():
            raise _Other
        if not finite.all() and not set(texts.drop_null().filter(pa.array(~finite)).to_pylist()) <= _NOT_FINITE:
            raise _Other
        return doubles


def _unsigned(texts: pa.Array) -> tuple[pa.Array, tuple[int, int]]:
    """Integers that an uint64 prints back, and their range."""
    numbers = texts.cast(pa.uint64())
    if not pc.all(pc.equal(numbers.cast(pa.string()), texts)).as_py():
        raise _Other
    bounds = pc.min_max(numbers).as_py()
    return numbers, (bounds["min"], bounds["max"])


def _reproduced(texts: pa.Array, spans: Spans) -> pa.Array:
    """Texts as doubles that say the same."""
    if not any(mark in spans.data for mark in _NOT_PLAIN):
        found = exact_doubles(texts, spans)
        if found is None:
            raise _Other
        return found.values
    # A few exponents or words among many numbers: most were printed by a program as Arrow prints them, but beyond 2^53
    # integers may print the same, too.
    doubles = texts.cast(pa.float64())
    small = pc.less_equal(pc.abs(doubles), float(EXACT_INTEGER_MAX))
    rest = texts.filter(pc.invert(pc.and_(pc.equal(doubles.cast(pa.string()), texts), small)))
    if len(rest) and exact_doubles(rest, Spans(rest)) is None:
        raise _Other
    return doubles


def _has_control_characters(block: Block) -> bool:
    """Whether a string has one that JSON wants escaped."""
    if block.text.min() >= _LEAST_IN_STRINGS:
        return False
    return bool(((block.text < _LEAST_IN_STRINGS) & block.in_string).any())


def _truths(texts: pa.Array) -> pa.Array:
    if not set(pc.unique(texts).to_pylist()) <= _WORDS:
        raise _Other
    return pc.equal(texts, "true")


def _pattern(block: Block, colons: Places) -> _Pattern:
    """How the first object of a block is written, which has no brackets inside."""
    size = int(block.outline.ends[block.first]) - block.begin
    text = block.text[:size].tobytes()
    places = colons[: np.searchsorted(colons, size)].tolist()
    commas = np.flatnonzero((block.text[:size] == _COMMA) & ~block.in_string[:size]).tolist()
    try:
        names = list(json.loads(text.decode()))  # orjson does not know NaN
    except ValueError as error:
        raise _Other from error
    # Fewer names than colons: a key that occurs twice.
    if not names or len(names) != len(places):
        raise _Other
    starts = [_SPACE.match(text, colon + 1).end() for colon in places]  # type: ignore[union-attr]
    spaces = [start - colon - 1 for start, colon in zip(starts, places, strict=True)]
    befores = [text[begin:start] for begin, start in zip([0, *commas], starts, strict=True)]
    return _Pattern(names, befores, spaces, text[len(text[:-1].rstrip(b" \t\r\n")) :])
