"""Which rule decided a column's type, for the profile. docs/typing.md explains each."""

from __future__ import annotations

from enum import StrEnum


class TextRule(StrEnum):
    """The rules of formats whose values are all texts."""

    HINT = "hint"
    NO_VALUES = "no values: text"
    BOOLEANS = "all true or false"
    INTEGERS = "all integers"
    DOUBLES = "all numbers"
    DATES = "all dates"
    TIMESTAMPS = "all timestamps"
    ZONED_TIMESTAMPS = "all timestamps with a zone"
    LEADING_ZERO = "leading zero or plus kept as text"
    LONG_INTEGER = "integer beyond 64 bits kept as text"
    LONG_NUMBER = "digits beyond a double kept as text"
    EXPONENTS = "exponents alone kept as text"
    MIXED = "mixed: text"
    TEXT = "text"
    SURPLUS = "surplus fields"
