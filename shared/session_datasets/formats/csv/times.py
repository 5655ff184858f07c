"""Dates and timestamps of a CSV column: see ``types`` for their rules.

Most columns are of one form: texts of one length. Arrow's own parser takes these and a few forms more, which one or
two bytes give away; other columns are asked value by value.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.formats.text.numbers import Spans
from session_datasets.formats.text.rules import TextRule

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

    def may_accept(self, text: str) -> bool:
        return len(text) == _DATE_CHARACTERS and text[4] == "-"

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        if (spans.lengths != _DATE_CHARACTERS).any():
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

    def may_accept(self, text: str) -> bool:
        return len(text) > _COLON_AT and text[4] == "-" and text[_COLON_AT] == ":"

    def accepts(self, values: pa.Array, spans: Spans) -> pa.Array | None:
        unit = self._unit_of_one_form(spans) or self._unit_of_many_forms(values)
        if unit is None:
            return None
        finer = max(unit, self._unit, key=_UNITS.index)
        try:
            converted = values.cast(pa.timestamp(finer, self._zone))
        except pa.ArrowInvalid:
            return None
        self._unit = finer
        self._fits_nanoseconds = self._fits_nanoseconds and _fit_nanoseconds(values, spans, converted)
        return None if self.type() is None else converted

    def _unit_of_one_form(self, spans: Spans) -> str | None:
        """The unit of texts that lie alike, if Arrow can parse them; None if that is not so easily told."""
        texts = spans.of_one_length()
        if texts is None:
            return None
        length = texts.shape[1]
        if length <= _COLON_AT or (texts[:, _COLON_AT] != ord(":")).any():
            return None
        if self._zone and (texts[:, -1] != ord("Z")).any():
            return None
        digits = length - _POINT_AT - 1 - (self._zone is not None)
        if digits < 0:
            return "ms"
        return _unit_of(digits) if (texts[:, _POINT_AT] == ord(".")).all() else None

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


def _fit_nanoseconds(texts: pa.Array, spans: Spans, instants: pa.Array) -> bool:
    """Whether the years that are written are such that nanoseconds hold all of each."""
    counts = spans.of_values(instants, np.int64)
    low, high = (bound * _PER_SECOND[instants.type.unit] for bound in _NANOSECOND_SECONDS)
    if low <= int(counts.min()) and int(counts.max()) <= high:
        return True
    years = pc.min_max(pc.utf8_slice_codeunits(texts, 0, 4))
    return bool(years["min"].as_py() >= _NANOSECOND_YEARS[0] and years["max"].as_py() <= _NANOSECOND_YEARS[1])
