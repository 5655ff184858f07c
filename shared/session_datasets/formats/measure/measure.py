"""What is measured of a column while its rows pass by: statistics, and what decides how its cells are spelled."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.limits import KIB, PREVIEW_CELL_CHARACTERS
from session_datasets.domain.profile import ColumnStatistics, JsonValue
from session_datasets.formats.measure.weights import CellWeight
from session_datasets.formats.text.numbers import exact_range
from session_datasets.formats.values.cells import CellRules, is_temporal, is_wide_integer
from session_datasets.formats.values.nested import is_nested, is_text, leaves


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
    if is_text(values.type):
        return _start(found["min"]), _start(found["max"])
    low, high = found["min"].as_py(), found["max"].as_py()
    if low is not None and low != low:  # Arrow answers NaN where there is nothing else
        return None, None
    return low, high


def _start(text: pa.Scalar) -> str | None:
    """As much of a text as is ever told; one of megabytes is cut inside Arrow, where that takes no copy."""
    if not text.is_valid:
        return None
    if text.as_buffer().size > _HELD_BYTES_MAX:
        text = pc.utf8_slice_codeunits(text, 0, PREVIEW_CELL_CHARACTERS)
    return str(text.as_py())[:PREVIEW_CELL_CHARACTERS]


# Measuring has a cost for each batch; smaller ones, as wide tables have, are joined up to here, or to so many bytes.
_ROWS_AT_ONCE = 1_024
_HELD_BYTES_MAX = 8 * KIB


class ColumnMeasure:
    """``see`` every batch of one column; then ``rules`` and ``statistics`` are known. Needs numpy."""

    def __init__(self, type_: pa.DataType, rows_at_once: int = _ROWS_AT_ONCE) -> None:
        # Charts compare and restore values with this module where no numpy is.
        from session_datasets.formats.measure.figures import figures_of

        self._type = type_
        self._rows_at_once = rows_at_once
        self._empty = pa.array([], type_)
        self._held = self._empty
        self._rows = 0
        self._nulls = 0
        self._leaves_exact = True
        self._figures = figures_of(type_)
        self._weight = CellWeight(type_)

    def see(self, values: pa.Array) -> None:
        if not len(values):
            return
        if joined := len(self._held) > 0:
            values = pa.concat_arrays([self._held, values])
        self._held = self._empty
        if len(values) < self._rows_at_once and values.nbytes < _HELD_BYTES_MAX:
            # A slice would hold the whole batch that it was cut from, so it is copied if it was not joined.
            self._held = values if joined else pa.concat_arrays([values, self._empty])
        else:
            self._measure(values)

    def _measure_held(self) -> None:
        if len(self._held):
            held, self._held = self._held, self._empty
            self._measure(held)

    def _measure(self, values: pa.Array) -> None:
        self._rows += len(values)
        self._nulls += values.null_count
        self._figures.see(values)
        self._weight.see(values)
        if is_nested(self._type):
            self._leaves_exact = self._leaves_exact and _leaves_exact(values)

    @property
    def rules(self) -> CellRules:
        self._measure_held()
        figures, exact = self._figures, self._leaves_exact
        if is_wide_integer(self._type) and figures.low is not None:
            exact = exact_range(figures.low, figures.high)
        return CellRules(self._type, exact, figures.finite)

    @property
    def statistics(self) -> ColumnStatistics:
        rules, figures = self.rules, self._figures
        return ColumnStatistics(
            nulls=self._nulls,
            nans=figures.nans,
            min=self._told(figures.low, rules),
            max=self._told(figures.high, rules),
            mean=figures.mean,
            distinct=figures.distinct,
            distinct_estimated=figures.distinct_estimated,
            length_min=figures.length_min,
            length_max=figures.length_max,
            bytes_per_row=self._weight.mean(rules, self._nulls / max(1, self._rows)),
            order=figures.order,
        )

    def _told(self, value: str | int | float | Decimal | None, rules: CellRules) -> JsonValue:
        if value is None or isinstance(value, str):
            return value
        if rules.encoding is None and (kind.is_integer(self._type) or kind.is_float64(self._type)):
            return value  # as Arrow would answer it
        return rules.encode(restored([value], self._type))[0]


def _leaves_exact(values: pa.Array) -> bool:
    """Whether every 64-bit integer inside nested values lies within +-2^53."""
    found = [bounds(leaf) for leaf in leaves(values) if is_wide_integer(leaf.type)]
    return all(low is None or exact_range(low, high) for low, high in found)
