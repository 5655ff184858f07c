"""What is measured of a column while its rows pass by: statistics, and what decides how its cells are spelled."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS
from session_datasets.domain.profile import ColumnStatistics, JsonValue
from session_datasets.formats.cells import CellRules, is_number, is_temporal, is_wide_integer
from session_datasets.formats.nested import is_nested, is_text, leaves
from session_datasets.formats.numbers import exact_range


def comparable(values: pa.Array) -> pa.Array:
    """The values as a type that Arrow compares and Python holds exactly: times as their integer count."""
    type_ = values.type
    if kind.is_date32(type_) or kind.is_time32(type_):
        return values.cast(pa.int32())
    if is_temporal(type_):
        return values.cast(pa.int64())
    if kind.is_float16(type_):
        return values.cast(pa.float32())
    if kind.is_decimal32(type_) or kind.is_decimal64(type_):
        return values.cast(pa.decimal128(type_.precision, type_.scale))
    return values


def restored(found: list[Any], type_: pa.DataType) -> pa.Array:
    """``found``, values that ``comparable`` made, as an array of the column's own type."""
    narrow = kind.is_date32(type_) or kind.is_time32(type_)
    if is_temporal(type_):
        return pa.array(found, pa.int32() if narrow else pa.int64()).cast(type_)
    if kind.is_float16(type_):
        return pa.array(found, pa.float32()).cast(type_)
    return pa.array(found, type_)


def bounds(values: pa.Array) -> tuple[Any, Any]:
    """The smallest and the largest of ``comparable`` values, NaN and null aside; (None, None) without any.

    Of texts no more than is ever told, which is in the same order as the whole of them.
    """
    found = pc.min_max(values)
    ends = (found["min"], found["max"])
    if is_text(values.type):
        ends = tuple(pc.utf8_slice_codeunits(end, 0, PREVIEW_CELL_CHARACTERS) for end in ends)
    low, high = (end.as_py() for end in ends)
    if low is not None and low != low:  # Arrow answers NaN where there is nothing else
        return None, None
    return low, high


class ColumnMeasure:
    """``see`` every batch of one column; then ``rules`` and ``statistics`` are known."""

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_
        self._nulls = 0
        self._nans = 0
        self._exact = True
        self._finite = True
        self._low: Any = None
        self._high: Any = None
        self._sum = 0.0
        self._numbers = 0

    def see(self, values: pa.Array) -> None:
        self._nulls += values.null_count
        if is_nested(self._type):
            self._exact = self._exact and _leaves_exact(values)
        elif is_number(self._type):
            self._see_numbers(comparable(values))
        elif is_temporal(self._type) or is_text(self._type):
            self._widen(comparable(values))

    def _see_numbers(self, values: pa.Array) -> None:
        # As doubles: the sum of 64-bit integers wraps, and a mean needs no more digits than a double has.
        total = pc.sum(values.cast(pa.float64(), safe=False)).as_py() or 0.0
        if kind.is_floating(self._type) and not isfinite(total):
            values = self._without_nans(values)
            total = pc.sum(values.cast(pa.float64())).as_py() or 0.0
        self._sum += total
        self._numbers += len(values) - values.null_count
        self._widen(values)

    def _without_nans(self, values: pa.Array) -> pa.Array:
        if pc.all(pc.is_finite(values)).as_py() is False:
            self._finite = False
        nans = pc.is_nan(values)
        self._nans += pc.sum(nans).as_py() or 0
        return values.filter(pc.invert(nans))

    def _widen(self, values: pa.Array) -> None:
        low, high = bounds(values)
        if low is None:
            return
        self._low = low if self._low is None else min(self._low, low)
        self._high = high if self._high is None else max(self._high, high)
        if is_wide_integer(self._type):
            self._exact = exact_range(self._low, self._high)

    @property
    def rules(self) -> CellRules:
        return CellRules(self._type, self._exact, self._finite)

    @property
    def statistics(self) -> ColumnStatistics:
        return ColumnStatistics(
            nulls=self._nulls, nans=self._nans, min=self._told(self._low), max=self._told(self._high), mean=self._mean
        )

    @property
    def _mean(self) -> float | None:
        if not self._numbers:
            return None
        mean = self._sum / self._numbers
        return mean if isfinite(mean) else None

    def _told(self, value: str | int | float | Decimal | None) -> JsonValue:
        if value is None:
            return None
        if isinstance(value, str):
            return value
        return self.rules.encode(restored([value], self._type))[0]


def _leaves_exact(values: pa.Array) -> bool:
    """Whether every 64-bit integer inside nested values lies within +-2^53."""
    found = [bounds(leaf) for leaf in leaves(values) if is_wide_integer(leaf.type)]
    return all(low is None or exact_range(low, high) for low, high in found)
