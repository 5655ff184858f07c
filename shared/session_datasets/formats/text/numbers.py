"""When a text may become a number: only if the number says the same.

The checks of whole columns look at all texts of a block at once: what a sum or a few gathered bytes can prove is
not asked of every text.
"""

from __future__ import annotations

import re
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
_POWERS_OF_TEN = np.array([10**digits for digits in range(19)], np.int64)
# The powers of ten that are doubles, in two parts whose products with another number's parts are exact.
_TENS = np.array([float(f"1e{digits}") for digits in range(23)])
# Integers that fit an int64 with a margin.
_PRODUCT_END = 1e18
_HALVES = 2.0**27 + 1


def double_says(text: str) -> bool:
    """Whether the nearest double, printed with as many digits as ``text`` has, is ``text`` again.

    True of "0.1", of a double printed with 17 digits, and of one printed with "%.18e"; false of an integer
    beyond 2^53, of "0.1234567890123456789" and of "1e400". ``text`` is a JSON number.
    """
    if isfinite(float(text)) and not any(mark in text for mark in ".eE"):
        return abs(int(text)) <= EXACT_INTEGER_MAX
    return prints_back(text)


def prints_back(text: str) -> bool:
    """``double_says`` of a decimal number however it is written: of "+007.50" as well, and of 2^53 + 2, but not of
    2^53 + 1. Zeros at the end behind the point say nothing: "1.0000000000000000e-5" is 1e-5."""
    number = float(text)
    if not isfinite(number):
        return False
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return False
    digits = max(1, len(exact.as_tuple().digits) - _zeros_at_the_end(text))
    return digits <= _DIGITS_MAX and Decimal(format(number, f".{digits - 1}e")) == exact


def _zeros_at_the_end(text: str) -> int:
    """Behind the point of a decimal number, and before its exponent."""
    mantissa = re.split("[eE]", text.strip(), maxsplit=1)[0]
    return len(mantissa) - len(mantissa.rstrip("0")) if "." in mantissa else 0


def exact_range(low: Any, high: Any) -> bool:
    """Whether every integer from ``low`` to ``high`` is exact in a double."""
    return bool(low >= -EXACT_INTEGER_MAX and high <= EXACT_INTEGER_MAX)


def _parted(numbers: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Each number as a sum of two with half of its digits (Veltkamp)."""
    scaled = _HALVES * numbers
    high = scaled - (scaled - numbers)
    return high, numbers - high


_TENS_HIGH, _TENS_LOW = _parted(_TENS)


class Spans:
    """Where the texts of an array lie that are neither null nor empty: bytes of ``content`` from ``starts``.

    ``held`` tells them among all of the array, None if they are all of it. ``empty`` says that some text is empty.
    """

    __slots__ = ("_content", "data", "empty", "held", "lengths", "starts")

    def __init__(self, texts: pa.Array) -> None:
        """Of a string array whose nulls take no bytes, as Arrow's own kernels and readers write them."""
        _, offsets, content = texts.buffers()
        bounds = np.frombuffer(offsets, np.int32, len(texts) + 1, texts.offset * 4).astype(np.intp)
        first, end = int(bounds[0]), int(bounds[-1])
        self.data: bytes = b"" if content is None else content.slice(first, end - first).to_pybytes()
        self._content: npt.NDArray[np.uint8] | None = None
        self.starts: npt.NDArray[np.intp] = bounds[:-1] - first if first else bounds[:-1]
        self.lengths: npt.NDArray[np.intp] = bounds[1:] - bounds[:-1]
        self.held: npt.NDArray[np.bool_] | None = None
        count = int(np.count_nonzero(self.lengths))
        self.empty = count + texts.null_count < len(texts)
        if count < len(texts):
            held = self.lengths > 0
            self.held, self.starts, self.lengths = held, self.starts[held], self.lengths[held]

    @property
    def content(self) -> npt.NDArray[np.uint8]:
        """All bytes, and room to look behind the last text."""
        if self._content is None:
            self._content = np.frombuffer(self.data + b"\0\0\0", np.uint8)
        return self._content

    def of_values(self, numbers: pa.Array, kind: type[np.generic]) -> npt.NDArray[Any]:
        """The values of ``numbers``, converted from the array that the spans are of, where there are texts."""
        values = values_of(numbers, kind)
        return values if self.held is None else values[self.held]

    def of_one_length(self) -> npt.NDArray[np.uint8] | None:
        """The texts as rows of bytes, None unless all are equally long."""
        if not len(self.lengths) or (self.lengths != self.lengths[0]).any():
            return None
        return np.frombuffer(self.data, np.uint8).reshape(len(self.lengths), int(self.lengths[0]))


def values_of(numbers: pa.Array, kind: type[np.generic]) -> npt.NDArray[Any]:
    """The values of an array of 64-bit numbers or instants; what lies in the place of a null means nothing."""
    return np.frombuffer(numbers.buffers()[1], kind, len(numbers), numbers.offset * 8)


@dataclass(frozen=True, slots=True)
class Integers:
    """Numbers that say what their texts say, and the least and the largest of them."""

    values: pa.Array
    low: int
    high: int


def exact_integers(texts: pa.Array, spans: Spans) -> Integers | None:
    """The texts as int64, None unless every one of them prints back the same. There is one, and none is empty."""
    try:
        numbers = texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return None
    # No decimal text of an integer is shorter than the one that it prints as: equal sums prove all texts equal.
    # Hexadecimal ones can be shorter.
    if b"x" in spans.data or b"X" in spans.data:
        return None
    values = spans.of_values(numbers, np.int64)
    low, high = int(values.min()), int(values.max())
    return Integers(numbers, low, high) if len(spans.data) == _printed_length(values, low, high) else None


def _printed_length(numbers: npt.NDArray[np.int64], low: int, high: int) -> int:
    """Characters that the numbers take together."""
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


def exact_doubles(texts: pa.Array, spans: Spans) -> Doubles | None:
    """The texts as doubles, None unless a double reproduces every one of them. There is one, and none is empty."""
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    values = spans.of_values(numbers, np.float64)
    if b"e" in spans.data or b"E" in spans.data or b"+" in spans.data or not np.isfinite(values).all():
        return _judged_one_by_one(texts, numbers)
    if not _plainly_written(spans):
        return None
    measured = b"." in spans.data
    long = spans.lengths >= ALWAYS_EXACT_CHARACTERS
    if long.any() and not _all_reproduced(texts, spans, values, long):
        return None
    return Doubles(numbers, measured)


def _spread(chosen: npt.NDArray[np.bool_], held: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.bool_]:
    if held is None:
        return chosen
    result = np.zeros(len(held), np.bool_)
    result[held] = chosen
    return result


def _plainly_written(spans: Spans) -> bool:
    """Of texts that are finite numbers without an exponent: no zeros lead, no point trails."""
    content, starts = spans.content, spans.starts
    if (content[starts + spans.lengths - 1] == _POINT).any():
        return False
    first = content[starts]
    negative = first == _MINUS
    if negative.any():
        starts = starts + negative
        first = content[starts]
    leading = np.flatnonzero(first == _ZERO)
    if not len(leading):
        return True
    second = content[starts[leading] + 1]
    more = (spans.lengths - negative)[leading] > 1
    return not bool(((second >= _ZERO) & (second <= _NINE) & more).any())


def _all_reproduced(
    texts: pa.Array, spans: Spans, values: npt.NDArray[np.float64], long: npt.NDArray[np.bool_]
) -> bool:
    """Whether doubles reproduce the ``long`` ones of plain numbers."""
    unsure = _beyond_half_a_digit(spans, values) if np.count_nonzero(long) > len(long) // 2 else None
    if unsure is None:
        chosen = texts.filter(pa.array(_spread(long, spans.held)))
        unsure = _beyond_half_a_digit(Spans(chosen), values[long])
        if unsure is None:
            return _print_back(chosen)
        return all(double_says(text) for text in chosen.filter(pa.array(unsure)).to_pylist())
    unsure &= long
    return not unsure.any() or all(
        double_says(text) for text in texts.filter(pa.array(_spread(unsure, spans.held))).to_pylist()
    )


def _beyond_half_a_digit(spans: Spans, values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_] | None:
    """Which of the values, each nearest to its text, are not surely within half of the text's last digit.

    None if that can not be computed of all of them: each must have a point and fit an int64 without it. A text that
    is a power of ten is left unsure: a value below it has one digit more behind the point.
    """
    points = np.flatnonzero(spans.content == _POINT)
    if len(points) != len(values):
        return None
    places = spans.starts + spans.lengths - 1 - points
    sizes = np.abs(values)
    if int(places.max()) >= len(_TENS) or float((sizes * _TENS[places]).max()) >= _PRODUCT_END:
        return None
    wanted = _without_points(spans, spans.lengths - 1 - (values < 0))
    if wanted is None:
        return None
    unsure: npt.NDArray[np.bool_] = np.abs(_away(sizes, places, wanted)) >= 0.5
    # The larger powers of ten end in many zero bits.
    perhaps = np.flatnonzero(((wanted & 255) == 0) | (wanted < 10**8))
    unsure[perhaps] |= _are_powers_of_ten(wanted[perhaps])
    return unsure


def _are_powers_of_ten(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Of numbers below 10^18."""
    found: npt.NDArray[np.bool_] = _POWERS_OF_TEN[np.searchsorted(_POWERS_OF_TEN, numbers)] == numbers
    return found


def _without_points(spans: Spans, digits: npt.NDArray[np.intp]) -> npt.NDArray[np.int64] | None:
    """The digits of each text as one integer; None where a negative zero hides how many there are."""
    bounds = np.zeros(len(digits) + 1, np.int32)
    np.cumsum(digits, out=bounds[1:])
    plain = spans.data.translate(None, b".-")
    if len(plain) != bounds[-1]:
        return None
    texts = pa.StringArray.from_buffers(len(digits), pa.py_buffer(bounds), pa.py_buffer(plain))
    return values_of(texts.cast(pa.int64()), np.int64)


def _away(
    sizes: npt.NDArray[np.float64], places: npt.NDArray[np.intp], wanted: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """By how much ``sizes`` times ten to the ``places`` differ from ``wanted``.

    Each product is exact as a sum of two doubles (Dekker), so what is rounded is far below a half.
    """
    tens = _TENS[places]
    high, low = _parted(sizes)
    tens_high, tens_low = _TENS_HIGH[places], _TENS_LOW[places]
    product = sizes * tens
    error = ((high * tens_high - product) + high * tens_low + low * tens_high) + low * tens_low
    whole = np.trunc(product)
    difference: npt.NDArray[np.float64] = (whole.astype(np.int64) - wanted) + (product - whole) + error
    return difference


def _print_back(texts: pa.Array) -> bool:
    """Most long texts are doubles printed by a program, which Arrow prints the same."""
    numbers = texts.cast(pa.float64())
    # Short of 17 digits an integer prints the same too, and beyond 2^53 only ``double_says`` may judge it.
    small = pc.less_equal(pc.abs(numbers), float(EXACT_INTEGER_MAX))
    sure = pc.and_(pc.equal(numbers.cast(pa.string()), texts), small)
    return all(double_says(text) for text in texts.filter(pc.invert(sure)).to_pylist())


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
