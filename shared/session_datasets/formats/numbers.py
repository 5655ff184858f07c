"""When a decimal text may become a double: only if a double says the same."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any

# Integers up to here are exact in a double, and so in the JSON of every language.
EXACT_INTEGER_MAX = 2**53
# Texts shorter than this have at most 15 significant digits, which a double always reproduces (IEEE 754),
# unless their exponent leaves its range.
ALWAYS_EXACT_CHARACTERS = 16
# A double's own decimal expansion ends before this many digits.
_DIGITS_MAX = 800


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
