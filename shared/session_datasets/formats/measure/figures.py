"""The figures of a column by the kind of its values: ends, mean, order, lengths, and how many differ.

Each class sees every batch of one column and holds little, whatever the number of rows. Nulls and NaN are no values.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from math import isfinite, isnan, nan
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind
from numpy.typing import NDArray

from session_datasets.domain.profile import Order
from session_datasets.formats.measure.distinct import DistinctCount
from session_datasets.formats.measure.hashing import number_hashes, span_hashes, spans
from session_datasets.formats.measure.measure import bounds, comparable
from session_datasets.formats.measure.ordering import Ordering
from session_datasets.formats.values.cells import is_number, is_temporal
from session_datasets.formats.values.nested import is_binary, is_text

# Rows hashed at a time: the numbers of all steps stay in a processor's own cache.
_PIECE_ROWS = 16_384
# Rows looked through at once for what differs, after a piece of which not more than one in so many rows did: what
# follows has a cost for each piece.
_UNIQUE_ROWS_MAX = 4 * _PIECE_ROWS
_FEW_SHARE = 8
_INT64_MAX = 2**63 - 1
# As many doubles as there can be rows, each so much smaller, have a sum that is one; what is lost of the least of them
# does not show beside a sum that had none.
_SCALE = 2.0**-64
_Sum = int | float | Fraction
# What Arrow sums decimals of 128 and of 256 bits with.
_DECIMAL128_DIGITS, _DECIMAL256_DIGITS = 38, 76


class Figures:
    """What there is to say of any column; the kinds below say more. ``low`` and ``high`` are ``comparable`` values."""

    def __init__(self) -> None:
        self.nans = 0
        self.finite = True
        self.low: Any = None
        self.high: Any = None
        self.length_min: int | None = None
        self.length_max: int | None = None

    def see(self, values: pa.Array) -> None:
        """The next rows of the column."""

    @property
    def mean(self) -> float | None:
        return None

    @property
    def order(self) -> Order | None:
        return None

    @property
    def distinct(self) -> int | None:
        return None

    @property
    def distinct_estimated(self) -> bool:
        return False

    def _widen(self, low: Any, high: Any) -> None:
        if low is None:
            return
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def _widen_lengths(self, low: int, high: int) -> None:
        self.length_min = low if self.length_min is None else min(self.length_min, low)
        self.length_max = high if self.length_max is None else max(self.length_max, high)


class TruthFigures(Figures):
    def __init__(self) -> None:
        super().__init__()
        self._seen: set[bool] = set()

    def see(self, values: pa.Array) -> None:
        if len(self._seen) < 2:
            self._seen.update(value for value in pc.unique(values).to_pylist() if value is not None)

    @property
    def distinct(self) -> int:
        return len(self._seen)


class _Counted(Figures):
    """Figures with a count of different values."""

    def __init__(self) -> None:
        super().__init__()
        self._different = DistinctCount()
        self._values = 0
        self._unique_rows = _PIECE_ROWS

    @property
    def distinct(self) -> int:
        return min(self._different.count, self._values)

    @property
    def distinct_estimated(self) -> bool:
        return self._different.estimated

    def _pieces(self, values: pa.Array) -> Iterator[pa.Array]:
        """All the values a piece at a time; while the different ones are few, each of them once in a piece."""
        begin = 0
        while begin < len(values):
            if self._different.crowded:
                piece = values[begin : begin + _PIECE_ROWS]
                begin += len(piece)
            else:
                rows = values[begin : begin + self._unique_rows]
                begin += len(rows)
                piece = pc.unique(rows)
                self._unique_rows = _PIECE_ROWS if len(piece) > len(rows) // _FEW_SHARE else _UNIQUE_ROWS_MAX
            yield piece


class BinaryFigures(_Counted):
    def see(self, values: pa.Array) -> None:
        self._values += len(values) - values.null_count
        for piece in self._pieces(values):
            found = spans(piece)
            self._different.add(span_hashes(found))
            if len(found.lengths):
                self._widen_lengths(int(found.lengths.min()), int(found.lengths.max()))


class _Ordered(_Counted):
    def __init__(self) -> None:
        super().__init__()
        self._ordering = Ordering()

    @property
    def order(self) -> Order:
        return self._ordering.order

    @property
    def distinct(self) -> int:
        return self._values if self._ordering.all_differ else super().distinct

    @property
    def distinct_estimated(self) -> bool:
        return super().distinct_estimated and not self._ordering.all_differ


class TextFigures(_Ordered):
    """Ordered by code points; ends are cut as ``bounds`` says."""

    def see(self, values: pa.Array) -> None:
        self._values += len(values) - values.null_count
        self._ordering.see(values)
        for piece in self._pieces(values):
            found = spans(piece)
            self._different.add(span_hashes(found))
            self._widen(*bounds(piece))
            if len(found.lengths):
                self._see_lengths(piece, found.lengths if found.is_ascii else None)

    def _see_lengths(self, texts: pa.Array, lengths: NDArray[np.int64] | None) -> None:
        if lengths is None:
            ends = pc.min_max(pc.utf8_length(texts))
            self._widen_lengths(ends["min"].as_py(), ends["max"].as_py())
        else:
            self._widen_lengths(int(lengths.min()), int(lengths.max()))


class NumberFigures(_Ordered):
    """Integers, floating point numbers, and times as the integers that count them, which have no mean."""

    def __init__(self, type_: pa.DataType) -> None:
        super().__init__()
        self._averaged = is_number(type_)
        self._sum: _Sum = 0

    def see(self, values: pa.Array) -> None:
        values = comparable(values)
        self._ordering.see(values)
        numbers = values.drop_null().to_numpy(zero_copy_only=False)
        if numbers.dtype.kind == "f":
            numbers = self._without_nans(numbers)
        if not len(numbers):
            return
        low, high = numbers.min().item(), numbers.max().item()
        self._widen(low, high)
        self.finite = self.finite and isfinite(low) and isfinite(high)
        self._values += len(numbers)
        if self._averaged:
            more = _float_sum(numbers, low, high) if numbers.dtype.kind == "f" else _integer_sum(numbers, low, high)
            self._sum = _added(self._sum, more)
        for piece in self._pieces(pa.array(numbers)):
            self._different.add(number_hashes(piece.to_numpy()))

    def _without_nans(self, numbers: NDArray[Any]) -> NDArray[Any]:
        are_nan = np.isnan(numbers)
        if count := int(np.count_nonzero(are_nan)):
            self.nans += count
            self.finite = False
            self._ordering.break_off()
            numbers = numbers[~are_nan]
        return numbers

    @property
    def mean(self) -> float | None:
        """None of a column with an infinity."""
        mean = float(self._sum / self._values) if self._averaged and self._values else None
        return mean if mean is not None and isfinite(mean) else None


def _float_sum(numbers: NDArray[Any], low: float, high: float) -> float | Fraction:
    """NaN with an infinity among them; a fraction where the sum of finite ones is beyond a double."""
    if not (isfinite(low) and isfinite(high)):
        return nan
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(numbers.sum(dtype=np.float64))
    return total if isfinite(total) else Fraction(float((numbers * _SCALE).sum())) / Fraction(_SCALE)


def _added(total: _Sum, more: _Sum) -> _Sum:
    """A double, or an integer of integers, while one holds it; then a fraction. NaN stays."""
    if any(isinstance(each, float) and isnan(each) for each in (total, more)):
        return nan
    if not (isinstance(total, Fraction) or isinstance(more, Fraction)):
        both = total + more
        if isinstance(both, int) or isfinite(both):
            return both
    return Fraction(total) + Fraction(more)


def _integer_sum(numbers: NDArray[Any], low: int, high: int) -> int:
    """The sum to the last digit. 64 bits hold it, or else that of each half of the numbers' bits."""
    if max(abs(low), abs(high)) * len(numbers) <= _INT64_MAX:
        return int(numbers.sum(dtype=np.int64))
    wide = numbers.astype(np.uint64 if numbers.dtype.kind == "u" else np.int64, copy=False)
    upper, lower = wide >> wide.dtype.type(32), wide & wide.dtype.type(2**32 - 1)
    return (int(upper.sum()) << 32) + int(lower.sum())


class DecimalFigures(_Ordered):
    def __init__(self) -> None:
        super().__init__()
        self._sum = Fraction(0)

    def see(self, values: pa.Array) -> None:
        values = comparable(values)
        self._ordering.see(_unscaled(values))
        low, high = bounds(values)
        if low is None:
            return
        self._widen(low, high)
        self._values += len(values) - values.null_count
        self._sum += _decimal_sum(values, low, high)
        for piece in self._pieces(values):
            self._different.add(span_hashes(spans(piece)))

    @property
    def mean(self) -> float | None:
        try:
            return float(self._sum / self._values) if self._values else None
        except OverflowError:
            return None


def _unscaled(values: pa.Array) -> pa.Array:
    """The digits as whole numbers, in the same order; Arrow compares no decimals of negative scale."""
    narrow, precision = kind.is_decimal128(values.type), values.type.precision
    return values.view(pa.decimal128(precision, 0) if narrow else pa.decimal256(precision, 0))


def _decimal_sum(values: pa.Array, low: Decimal, high: Decimal) -> Fraction:
    """The sum to the last digit: Arrow's own where it has room for it."""
    digits = max(low.adjusted(), high.adjusted()) + 1 + values.type.scale + len(str(len(values)))
    if kind.is_decimal128(values.type) and digits > _DECIMAL128_DIGITS:
        values = values.cast(pa.decimal256(_DECIMAL256_DIGITS, values.type.scale))
    if digits <= _DECIMAL256_DIGITS:
        return Fraction(pc.sum(values).as_py())
    return sum(map(Fraction, values.drop_null().to_pylist()), Fraction(0))


def figures_of(type_: pa.DataType) -> Figures:
    """What measures a column of this type."""
    if kind.is_boolean(type_):
        return TruthFigures()
    if kind.is_decimal(type_):
        return DecimalFigures()
    if is_number(type_) or is_temporal(type_):
        return NumberFigures(type_)
    if is_text(type_):
        return TextFigures()
    return BinaryFigures() if is_binary(type_) else Figures()
