"""Dates and timestamps of a CSV column: see ``csv_types`` for their rules.

Most columns are of one form: texts of one length. Arrow's own parser takes these and a few forms more, which one or
two bytes give away; other columns are asked value by value.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.numbers import Spans
from session_datasets.formats.rules import TextRule

_TIMESTAMP = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
_ZONE = r"(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
# Whole years that a timestamp in nanoseconds holds.
_NANOSECOND_YEARS = ("1678", "2261")
# Seconds of the epoch that lie in such years wherever on earth.
_NANOSECOND_SECONDS = (-9_183_024_000, 9_151_488_000)
_UNITS = ("ms", "us", "ns")
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}
_DATE_CHARACTERS = len("2024-02-29")
# Where a time of day has its first colon and where a fraction of a second has its point.
_COLON_AT, _POINT_AT = len("2024-02-29T12"), len("2024-02-29T12:00:00")


class Dates:
    rule = TextRule.DATES

    def accepts(self, values: pa.Array) -> pa.Array | None:
        lengths = pc.min_max(pc.binary_length(values))
        if lengths["min"].as_py() != _DATE_CHARACTERS or lengths["max"].as_py() != _DATE_CHARACTERS:
            return None
        try:
            return self.convert(values)
        except pa.ArrowInvalid:
            return None

    def type(self) -> pa.DataType:
        return pa.date32()

    def convert(self, values: pa.Array) -> pa.Array:
        return values.cast(pa.date32())


class Timestamps:
    """Timestamps that all name a zone (``zone`` is UTC), or of which none does."""

    def __init__(self, zone: str | None) -> None:
        self.rule = TextRule.ZONED_TIMESTAMPS if zone else TextRule.TIMESTAMPS
        self._zone = zone
        self._pattern = _TIMESTAMP + (_ZONE if zone else "$")
        self._unit = "ms"
        self._fits_nanoseconds = True

    def accepts(self, values: pa.Array) -> pa.Array | None:
        unit = self._unit_of_one_form(values) or self._unit_of_many_forms(values)
        if unit is None:
            return None
        finer = max(unit, self._unit, key=_UNITS.index)
        try:
            converted = values.cast(pa.timestamp(finer, self._zone))
        except pa.ArrowInvalid:
            return None
        self._unit = finer
        self._fits_nanoseconds = self._fits_nanoseconds and _fit_nanoseconds(values, converted)
        return None if self.type() is None else converted

    def _unit_of_one_form(self, values: pa.Array) -> str | None:
        """The unit of texts that lie alike, if Arrow can parse them; None if that is not so easily told."""
        spans = Spans.of(values)
        length = int(spans.lengths[0])
        if length <= _COLON_AT or (spans.lengths != length).any() or (spans.bytes_at(_COLON_AT) != ord(":")).any():
            return None
        zone = 0
        if self._zone:
            if (spans.last_bytes() != ord("Z")).any():
                return None
            zone = 1
        if length <= _POINT_AT + zone:
            return "ms"
        points = spans.bytes_at(_POINT_AT) == ord(".")
        return _unit_of(length - zone - _POINT_AT - 1) if points.all() else None

    def _unit_of_many_forms(self, values: pa.Array) -> str | None:
        if not pc.all(pc.match_substring_regex(values, self._pattern)).as_py():
            return None
        for unit, pattern in (("ns", r"\.[0-9]{7,}"), ("us", r"\.[0-9]{4,}")):
            if pc.any(pc.match_substring_regex(values, pattern)).as_py():
                return unit
        return "ms"

    def type(self) -> pa.DataType | None:
        if self._unit == "ns" and not self._fits_nanoseconds:
            return None
        return pa.timestamp(self._unit, self._zone)

    def convert(self, values: pa.Array) -> pa.Array:
        return values.cast(self.type())


def _unit_of(digits: int) -> str:
    return _UNITS[0 if digits <= 3 else 1 if digits <= 6 else 2]


def _fit_nanoseconds(texts: pa.Array, instants: pa.Array) -> bool:
    """Whether the years that are written are such that nanoseconds hold all of each."""
    per_second = _PER_SECOND[instants.type.unit]
    bounds = pc.min_max(instants.cast(pa.int64()))
    low, high = (bound * per_second for bound in _NANOSECOND_SECONDS)
    if low <= bounds["min"].as_py() and bounds["max"].as_py() <= high:
        return True
    years = pc.min_max(pc.utf8_slice_codeunits(texts, 0, 4))
    return bool(years["min"].as_py() >= _NANOSECOND_YEARS[0] and years["max"].as_py() <= _NANOSECOND_YEARS[1])
