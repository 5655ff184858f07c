"""When a text may become a number: only if the number says the same.

The checks of whole columns look at all texts of a block at once: what a sum or a few gathered bytes can prove is
not asked of every text.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

# Integers up to here are exact in a double, and so in the JSON of every language.
EXACT_INTEGER_MAX = 2**53
# Texts shorter than this have at most 15 significant digits, which a double always reproduces (IEEE 754),
# unless their exponent leaves its range.
ALWAYS_EXACT_CHARACTERS = 16
# A double's own decimal expansion ends before this many digits.
_DIGITS_MAX = 800

_NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_NOT_FINITE = r"^(?:NaN|nan|-?(?:inf|Inf|Infinity))$"
_POINT_OR_SIGNED_EXPONENT = r"[.]|[eE][+-]"
_WIDE_EXPONENT = r"[eE][+-]?[0-9]{3,}$"
_ZERO, _NINE, _MINUS, _POINT = b"09-."


def double_says(text: str) -> bool:
    """Whether the nearest double, printed with as many digits as ``text`` has, is ``text`` again.

    True of "0.1", of a double printed with 17 digits, and of one printed with "%.18e"; false of an integer
    beyond 2^53, of "0.1234567890123456789" and of "1e400". ``text`` is a JSON number.
    """
    number = float(text)
    if not isfinite(number):
        return False
    if not any(mark in text for mark in ".eE"):
        return abs(int(text)) <= EXACT_INTEGER_MAX
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return False
    digits = len(exact.as_tuple().digits)
    return digits <= _DIGITS_MAX and Decimal(format(number, f".{digits - 1}e")) == exact


def exact_range(low: Any, high: Any) -> bool:
    """Whether every integer from ``low`` to ``high`` is exact in a double."""
    return bool(low >= -EXACT_INTEGER_MAX and high <= EXACT_INTEGER_MAX)


@dataclass(frozen=True, slots=True)
class Spans:
    """Where the texts of an array lie that are neither null nor empty: bytes of ``data`` from ``starts``.

    ``held`` tells them among all of the array, None if they are all of it.
    """

    data: bytes
    starts: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.int32]
    held: npt.NDArray[np.bool_] | None

    @classmethod
    def of(cls, texts: pa.Array) -> Spans:
        """Of a string array whose nulls take no bytes, as Arrow's own kernels and readers write them."""
        _, offsets, content = texts.buffers()
        bounds = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4)
        first, end = int(bounds[0]), int(bounds[-1])
        data = b"" if content is None else content.slice(first, end - first).to_pybytes()
        starts, lengths = bounds[:-1] - first, np.diff(bounds)
        held = None
        if texts.null_count:
            held = lengths > 0
            starts, lengths = starts[held], lengths[held]
        return cls(data, starts, lengths, held)

    def of_values(self, numbers: pa.Array, kind: type[np.generic]) -> npt.NDArray[Any]:
        """The values of ``numbers``, converted from the array that the spans are of, where there are texts."""
        all_values = np.frombuffer(numbers.buffers()[1], kind, len(numbers), numbers.offset * 8)
        return all_values if self.held is None else all_values[self.held]

    def bytes_at(self, place: int) -> npt.NDArray[np.uint8]:
        """The byte at ``place`` of every text; what lies there when the text is shorter is not its own."""
        content = np.frombuffer(self.data, np.uint8)
        return content[np.minimum(self.starts + place, len(content) - 1)]

    def last_bytes(self) -> npt.NDArray[np.uint8]:
        content = np.frombuffer(self.data, np.uint8)
        last: npt.NDArray[np.uint8] = content[self.starts + self.lengths - 1]
        return last


def exact_integers(texts: pa.Array) -> pa.Array | None:
    """The texts as int64, None unless every one of them prints back the same. None of them is empty."""
    try:
        numbers = texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    spans = Spans.of(texts)
    # No decimal text of an integer is shorter than the one that it prints as: equal sums prove all texts equal.
    # Hexadecimal ones can be shorter.
    if b"x" in spans.data or b"X" in spans.data:
        return None
    return numbers if len(spans.data) == _printed_length(spans.of_values(numbers, np.int64)) else None


def _printed_length(numbers: npt.NDArray[np.int64]) -> int:
    """Characters that the numbers take together."""
    if not len(numbers):
        return 0
    low, high = int(numbers.min()), int(numbers.max())
    negative = int(np.count_nonzero(numbers < 0)) if low < 0 else 0
    # The smallest int64 has no positive twin, but as an unsigned one it is its own.
    sizes = numbers if low >= 0 else np.abs(numbers).view(np.uint64)
    least, most = (low, high) if low >= 0 else (int(sizes.min()), int(sizes.max()))
    length = len(numbers) * len(str(least)) + negative
    for digits in range(len(str(least)), len(str(most))):
        length += int(np.count_nonzero(sizes >= sizes.dtype.type(10**digits)))
    return length


@dataclass(frozen=True, slots=True)
class Doubles:
    """Numbers that say what their texts say; ``measured`` if a point or a signed exponent is among them."""

    values: pa.Array
    measured: bool


def exact_doubles(texts: pa.Array) -> Doubles | None:
    """The texts as doubles, None unless a double reproduces every one of them. None of them is empty."""
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    spans = Spans.of(texts)
    values = spans.of_values(numbers, np.float64)
    if any(letter in spans.data for letter in (b"e", b"E", b"+")) or not np.isfinite(values).all():
        return _judged_one_by_one(texts, numbers)
    if not _plainly_written(spans):
        return None
    long = spans.lengths >= ALWAYS_EXACT_CHARACTERS
    if long.any():
        chosen = long if spans.held is None else _spread(long, spans.held)
        all_long = spans.held is None and bool(long.all())
        some = (texts, numbers) if all_long else (texts.filter(pa.array(chosen)), numbers.filter(pa.array(chosen)))
        if not _print_back(*some):
            return None
    return Doubles(numbers, b"." in spans.data)


def _spread(chosen: npt.NDArray[np.bool_], held: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    result = np.zeros(len(held), np.bool_)
    result[held] = chosen
    return result


def _plainly_written(spans: Spans) -> bool:
    """Of texts that are finite numbers without an exponent: no zeros lead, no point trails."""
    if not len(spans.starts):
        return True
    first, second = spans.bytes_at(0), spans.bytes_at(1)
    negative = first == _MINUS
    if negative.any():
        first, second = np.where(negative, second, first), np.where(negative, spans.bytes_at(2), second)
    zero_leads = first == _ZERO
    if zero_leads.any():
        digit_follows = (second >= _ZERO) & (second <= _NINE) & (spans.lengths - negative > 1)
        if (zero_leads & digit_follows).any():
            return False
    return not bool((spans.last_bytes() == _POINT).any())


def _print_back(texts: pa.Array, numbers: pa.Array) -> bool:
    """Of plain numbers of many characters: most are doubles printed by a program, which Arrow prints the same."""
    printed = pc.equal(numbers.cast(pa.string()), texts)
    # Short of 17 digits an integer prints the same too, and beyond 2^53 only ``double_says`` may judge it.
    small = pc.less_equal(pc.abs(numbers), float(EXACT_INTEGER_MAX))
    sure = pc.and_(printed, small)
    if pc.all(sure, min_count=0).as_py():
        return True
    return all(double_says(text) for text in texts.filter(pc.invert(sure)).drop_null().to_pylist())


def _judged_one_by_one(texts: pa.Array, numbers: pa.Array) -> Doubles | None:
    """Texts with exponents, or with words for what is no number."""
    is_number = pc.match_substring_regex(texts, _NUMBER)
    rest = texts.filter(pc.invert(is_number))
    if not pc.all(pc.match_substring_regex(rest, _NOT_FINITE), min_count=0).as_py():
        return None
    written = texts.filter(is_number)
    fractions = pc.match_substring_regex(written, _POINT_OR_SIGNED_EXPONENT)
    doubtful = pc.or_(
        pc.greater_equal(pc.binary_length(written), ALWAYS_EXACT_CHARACTERS),
        pc.match_substring_regex(written, _WIDE_EXPONENT),
    )
    unsure, whole = written.filter(doubtful), pc.invert(fractions.filter(doubtful))
    printed = pc.equal(unsure.cast(pa.float64()).cast(pa.string()), unsure)
    unsure = unsure.filter(pc.or_(pc.invert(printed), whole))
    if not all(double_says(text) for text in unsure.to_pylist()):
        return None
    return Doubles(numbers, bool(pc.any(fractions, min_count=0).as_py()))
