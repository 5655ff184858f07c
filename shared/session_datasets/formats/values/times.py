"""Dates, times, timestamps and durations as ISO 8601, with all digits of their unit.

Arrow spells the years 0000 to 9999, at machine speed. Years beyond are spelled here: Arrow knows some of them only,
and leaves out the sign that ISO 8601 asks for (``+10000-01-01``). Times lie within a day: see ``soundness``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pyarrow as pa
import pyarrow.types as kind

from session_datasets.formats.values import kernels

_UNITS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_SECONDS_PER_DAY = 86_400
# Days from 1970-01-01 to 0000-01-01, and to 10000-01-01.
_FIRST_DAY, _END_DAY = -719_528, 2_932_897


def spelled(values: pa.Array) -> list[str | None]:
    """One text for each temporal value."""
    type_ = values.type
    if kind.is_duration(type_):
        counts = kernels.cast(values, pa.int64()).to_pylist()
        return [None if count is None else _duration(count, type_.unit) for count in counts]
    if kind.is_time(type_):
        return kernels.cast(values, pa.string()).to_pylist()  # type: ignore[no-any-return]
    if kind.is_timestamp(type_):
        return _timestamps(values)
    days = kernels.cast(values, pa.date32())
    return _near_or_far(days, days.view(pa.int32()), 1, _date)


def _timestamps(values: pa.Array) -> list[str | None]:
    unit, ending = values.type.unit, "" if values.type.tz is None else "Z"
    # Views, where a cast would do: each kernel that is called takes as long as some hundred values.
    instants, counts = values.view(pa.timestamp(unit)), values.view(pa.int64())
    per_day = _SECONDS_PER_DAY * _UNITS_PER_SECOND[unit]
    return _near_or_far(instants, counts, per_day, lambda count: _timestamp(count, unit) + ending, ending)


def _near_or_far(
    values: pa.Array, counts: pa.Array, per_day: int, spell: Callable[[int], str], ending: str = ""
) -> list[str | None]:
    """Arrow's texts with ``ending`` in the years of four digits, ``spell``'s of the counts beyond."""
    texts = _with_t(kernels.cast(values, pa.string()).to_pylist(), ending)
    first, end = _FIRST_DAY * per_day, _END_DAY * per_day
    numbers = counts.to_pylist()
    there = [count for count in numbers if count is not None] if values.null_count else numbers
    if not there or (first <= min(there) and max(there) < end):
        return texts
    return [
        text if count is None or first <= count < end else spell(count)
        for text, count in zip(texts, numbers, strict=True)
    ]


def _with_t(texts: list[str | None], ending: str) -> list[str | None]:
    """A T for the space between date and time, and ``ending`` behind both."""
    if None in texts:
        return [None if text is None else text.replace(" ", "T", 1) + ending for text in texts]
    # All in one go: times are spelled without a line break, and with one space at the most.
    together = "\n".join(cast("list[str]", texts)).replace(" ", "T").replace("\n", ending + "\n") + ending
    return [*together.split("\n")] if texts else []


def _date(days: int) -> str:
    year, month, day = _civil(days)
    signed = f"{year:04}" if 0 <= year <= 9_999 else f"{year:+05}"
    return f"{signed}-{month:02}-{day:02}"


def _timestamp(count: int, unit: str) -> str:
    seconds, fraction = divmod(count, _UNITS_PER_SECOND[unit])
    days, second = divmod(seconds, _SECONDS_PER_DAY)
    clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{_date(days)}T{clock}{_fraction(fraction, unit)}"


def _civil(days: int) -> tuple[int, int, int]:
    """The proleptic Gregorian date of a day counted from 1970-01-01, for any year (Hinnant's civil_from_days)."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    return year_of_era + era * 400 + (month <= 2), month, day


def _duration(count: int, unit: str) -> str:
    seconds, fraction = divmod(abs(count), _UNITS_PER_SECOND[unit])
    return f"{'-' if count < 0 else ''}PT{seconds}{_fraction(fraction, unit)}S"


def _fraction(count: int, unit: str) -> str:
    digits = len(str(_UNITS_PER_SECOND[unit])) - 1
    return f".{count:0{digits}}" if digits else ""
