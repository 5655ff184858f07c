"""How high a cell of a series lies, exactly: two that differ in their last digit differ in height."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

_DAY_SECONDS = 86_400
# The calendar repeats after this many years and days; it takes years beyond four digits to those that Python knows.
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
_MOMENT = re.compile(r"([+-]?\d{4,})-(\d\d)-(\d\d)(?:T(.+?)Z?)?")
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d(?:\.\d+)?)")
_DURATION = re.compile(r"(-?)PT(\d+(?:\.\d+)?)S")


def height(value: Any) -> Decimal | None:
    """Numbers as they are, moments and durations as seconds; None for null, NaN, infinities and whatever has none."""
    if value is None:
        return None
    if not isinstance(value, str):
        return Decimal(value) if isinstance(value, (int, float)) else None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return _seconds(value)
    return number if number.is_finite() else None


def _seconds(text: str) -> Decimal | None:
    if found := _MOMENT.fullmatch(text):
        year, month, day, time = found.groups()
        return _days(int(year), int(month), int(day)) * _DAY_SECONDS + (_of_day(time) or 0 if time else Decimal(0))
    if found := _DURATION.fullmatch(text):
        return Decimal(found[1] + found[2])
    return _of_day(text)


def _days(year: int, month: int, day: int) -> Decimal:
    cycles, rest = divmod(year, _CYCLE_YEARS)
    return Decimal(cycles * _CYCLE_DAYS + date(_CYCLE_YEARS + rest, month, day).toordinal())


def _of_day(text: str) -> Decimal | None:
    found = _TIME.fullmatch(text)
    return int(found[1]) * 3_600 + int(found[2]) * 60 + Decimal(found[3]) if found else None
