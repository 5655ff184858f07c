"""Whether the numbers of a piece of JSON are what parsers make of them that know int64 and double only.

Such a parser rounds what it can not hold, without a word. Numbers of fewer than sixteen characters are not at risk,
unless their exponent takes them to zero, so most of the text needs no look.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.json.blocks import Block, Bytes, Flags, Places
from session_datasets.formats.text.numbers import ALWAYS_EXACT_CHARACTERS, EXACT_INTEGER_MAX, double_says, exact_range

# Of a number of ALWAYS_EXACT_CHARACTERS or more, two neighbours are among every so many-th bytes.
_STRIDE = ALWAYS_EXACT_CHARACTERS // 2
_E, _LOWER = ord("e"), np.uint8(0x20)
_MINUS, _ZERO, _DIGITS = ord("-"), np.uint8(ord("0")), 10
# Of the characters of numbers all but e and E are among so many from "+" on, with two others.
_LEAST, _RANGE = np.uint8(ord("+")), 15
_POINT, _COMMA = ord("."), ord(",")
# Pairs looked at before all others: where numbers are long, most are.
_FIRST_PAIRS = 256


def wide_integers(block: Block) -> int | None:
    """How many integers beyond 2^53 there are, which a double may not hold; each fits int64 or uint64.

    None if an integer is wider, or a fraction is not what the nearest double says.
    """
    if not _long_ones(block):
        return 0
    texts = _long_texts(block)
    content, bounds = _content(texts)
    exponents = _has(bounds, (content | _LOWER) == _E)
    fractions = _has(bounds, content == _POINT) & ~exponents
    negative = content[bounds[:-1]] == _MINUS
    whole = ~(fractions | exponents)
    try:
        if not (_reproduced(texts.filter(pa.array(fractions))) and _all_said(texts.filter(pa.array(exponents)))):
            return None
        integers = (
            texts.filter(pa.array(whole & negative)).cast(pa.int64()),
            texts.filter(pa.array(whole & ~negative)).cast(pa.uint64()),
        )
    except ValueError:  # Arrow's is one, too: what looks like a number is none
        return None
    return sum(map(beyond_doubles, integers))


def _has(bounds: Places, marks: Flags) -> Flags:
    """In which of the texts that ``bounds`` divide the content into there is a mark."""
    return np.diff(np.searchsorted(np.flatnonzero(marks), bounds)) > 0


def _reproduced(fractions: pa.Array) -> bool:
    """Whether doubles say the same. Most were printed by a program as Arrow prints them."""
    printed = pc.equal(fractions.cast(pa.float64()).cast(pa.string()), fractions)
    return _all_said(fractions.filter(pc.invert(printed)))


def _all_said(fractions: pa.Array) -> bool:
    return all(repr(float(text)) == text or double_says(text) for text in fractions.to_pylist())


def beyond_doubles(integers: pa.Array) -> int:
    """How many of them are beyond 2^53, on either side."""
    bounds = pc.min_max(integers).as_py()
    low, high = bounds["min"] or 0, bounds["max"] or 0
    if exact_range(low, high):
        return 0
    numbers = integers.drop_null().to_numpy()
    beyond = np.count_nonzero(numbers > EXACT_INTEGER_MAX)
    return int(beyond + np.count_nonzero(numbers < -EXACT_INTEGER_MAX) if low < 0 else beyond)


def _long_ones(block: Block) -> bool:
    """Whether a number may be long, told by every eighth byte and, where two neighbours may be of numbers, the rest."""
    some = np.greater(_of_numbers(block.text[::_STRIDE].copy()), block.in_string[::_STRIDE])
    pairs = np.flatnonzero(some[:-1] & some[1:]) * _STRIDE
    return any(
        bool(_of_numbers(block.text[which[:, None] + np.arange(_STRIDE)]).all(axis=1).any())
        for which in (pairs[:_FIRST_PAIRS], pairs[_FIRST_PAIRS:])
    )


def _of_numbers(text: Bytes) -> Flags:
    """Which bytes numbers have. A slash is among them, which JSON does not have outside strings."""
    flags: Flags = ((text - _LEAST < _RANGE) & (text != _COMMA)) | ((text | _LOWER) == _E)
    return flags


def _long_texts(block: Block) -> pa.Array:
    """The numbers that are not short: runs of their characters outside strings."""
    inside = np.zeros(len(block.text) + 2, np.bool_)
    np.greater(_of_numbers(block.text), block.in_string, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    edges = edges.reshape(-1, 2)[np.diff(edges)[::2] >= ALWAYS_EXACT_CHARACTERS].ravel()
    # Every other of the texts that the edges divide the block into.
    every = pa.StringArray.from_buffers(
        max(len(edges) - 1, 0), pa.py_buffer(edges.astype(np.int32)), pa.py_buffer(block.text)
    )
    return every.take(pa.array(np.arange(0, len(edges), 2)))


def _content(texts: pa.Array) -> tuple[Bytes, Places]:
    """The bytes of texts, one after the other, and where each begins and the last one ends."""
    _, offsets, content = texts.buffers()
    return np.frombuffer(content or b"", np.uint8), np.frombuffer(offsets, np.int32, len(texts) + 1)


def may_vanish(block: Block) -> bool:
    """Whether a number has a negative exponent, which may take it to zero."""
    text = block.text
    minus = np.flatnonzero(block.outside(text == _MINUS))
    minus = minus[minus > 1]
    exponents = minus[(text[minus - 1] | _LOWER) == _E]
    return bool((text[exponents - 2] - _ZERO < _DIGITS).any())


def has_negative_zero(block: Block) -> bool:
    """Whether -0 is among the integers: a double has a sign for it, an integer has none."""
    text = block.text
    at = np.flatnonzero(block.outside((text[:-2] == _MINUS) & (text[1:-1] == _ZERO)))
    after = text[at + 2]
    return bool(((after != _POINT) & ((after | _LOWER) != _E)).any())


def plain_constants(block: Block) -> bool:
    """Whether what is no number is spelled NaN, Infinity or -Infinity. Arrow takes Inf and -NaN as well."""
    text = block.text
    nans = np.flatnonzero(block.outside(text == ord("N")))
    if nans.size % 2 or not ((nans[1::2] - nans[::2] == 2) & (text[nans[::2] - 1] != _MINUS)).all():
        return False
    infinities = np.flatnonzero(block.outside(text == ord("I")))
    word = np.frombuffer(b"Infinity", np.uint8)
    if not infinities.size:
        return True
    if infinities[-1] + len(word) > len(text):
        return False
    return bool((text[infinities[:, None] + np.arange(len(word))] == word).all())
