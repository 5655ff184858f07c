"""Dates, times, timestamps and durations of a page back as Arrow arrays, at their full precision.

Arrow reads the years 0000 to 9999 itself, all but one; a year beyond carries its sign, and is read here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.types as kind

_UNITS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY_SECONDS = 86_400
# The calendar repeats after this many years and days; it takes any year to those that Python knows.
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
# Arrow fails at the first second that nanoseconds hold, in this year: it multiplies before it adds the fraction.
_NOT_ARROWS = ("+", "-", "1677-")
_FAR = re.compile(r"([+-]?\d{4,})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z?)?")
_CLOCK = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.(\d+))?")
_DURATION = re.compile(r"(-?)PT(\d+)(?:\.(\d+))?S")


def times(cells: list[Any], type_: pa.DataType) -> pa.Array:
    """One value for each of ``cells``, texts in ISO 8601 or None, of exactly the temporal type ``type_``."""
    if kind.is_duration(type_):
        return pa.array([None if cell is None else _duration(cell) for cell in cells], pa.int64()).cast(type_)
    if kind.is_time(type_):
        counts = pa.int32() if kind.is_time32(type_) else pa.int64()
        return pa.array([None if cell is None else _of_day(cell, type_.unit) for cell in cells], counts).cast(type_)
    far = [place for place, cell in enumerate(cells) if cell is not None and cell.startswith(_NOT_ARROWS)]
    if not far:
        return _near(cells, type_)
    counts = pa.int32() if kind.is_date32(type_) else pa.int64()
    known = _near([None if place in set(far) else cell for place, cell in enumerate(cells)], type_)
    values = known.cast(counts).to_pylist()
    for place in far:
        values[place] = _far(cells[place], type_)
    return pa.array(values, counts).cast(type_)


def _near(cells: list[Any], type_: pa.DataType) -> pa.Array:
    texts = pa.array(cells, pa.string())
    if kind.is_timestamp(type_) and type_.tz is not None:
        # A page gives the instant in UTC; the zone is only how it is shown.
        return texts.cast(pa.timestamp(type_.unit, "UTC")).cast(type_)
    return texts.cast(pa.date32()).cast(type_) if kind.is_date(type_) else texts.cast(type_)


def _far(text: str, type_: pa.DataType) -> int:
    """The count of the type's units since 1970."""
    found = _FAR.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is no moment in ISO 8601")
    year, month, day, *clock = found.groups()
    days = _days(int(year), int(month), int(day)) - _days(1970, 1, 1)
    if kind.is_date(type_):
        return days if kind.is_date32(type_) else days * _DAY_SECONDS * 1_000
    return days * _DAY_SECONDS * _UNITS_PER_SECOND[type_.unit] + _of_clock(clock, type_.unit)


def _of_day(text: str, unit: str) -> int:
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is no time in ISO 8601")
    return _of_clock(found.groups(), unit)


def _of_clock(parts: Sequence[str | None], unit: str) -> int:
    """Hours, minutes, seconds and the digits of the unit's fraction, which are all there or none."""
    hours, minutes, seconds, fraction = (int(part or 0) for part in parts)
    return (hours * 3_600 + minutes * 60 + seconds) * _UNITS_PER_SECOND[unit] + fraction


def _days(year: int, month: int, day: int) -> int:
    cycles, rest = divmod(year, _CYCLE_YEARS)
    return cycles * _CYCLE_DAYS + date(_CYCLE_YEARS + rest, month, day).toordinal()


def _duration(text: str) -> int:
    """The count of the units that the fraction's digits are of."""
    found = _DURATION.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is no duration in ISO 8601")
    return int(f"{found[1]}{found[2]}{found[3] or ''}")
