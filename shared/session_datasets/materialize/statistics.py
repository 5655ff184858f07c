"""Least, greatest and mean of numbers, exactly: integers keep every digit, decimals count, nothing raises."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from session_datasets.materialize.cells import Cell

# A decimal of a larger exponent would need as many digits to be added exactly.
_EXPONENT_MAX = 400


class Numbers:
    """The numbers of one column. Truth values are none; NaN and null are counted and left out."""

    def __init__(self) -> None:
        self.count = self.nans = self.nulls = 0
        self._min: Any = None
        self._max: Any = None
        self._whole = 0
        self._partials: list[float] = []
        self._fraction = Fraction(0)
        self._infinite: set[float] = set()
        self._unadded = False

    def add(self, cell: Cell) -> None:
        if cell is None:
            self.nulls += 1
        if isinstance(cell, bool) or not isinstance(cell, int | float | Decimal):
            return
        if _is_nan(cell):
            self.nans += 1
            return
        self.count += 1
        if self._min is None or cell < self._min:
            self._min = cell
        if self._max is None or cell > self._max:
            self._max = cell
        self._sum(cell)

    def _sum(self, number: int | float | Decimal) -> None:
        if isinstance(number, int):
            self._whole += number
        elif not _is_finite(number):
            self._infinite.add(math.inf if number > 0 else -math.inf)
        elif isinstance(number, float):
            self._add_exactly(number)
        elif abs(number.adjusted()) > _EXPONENT_MAX and number:
            self._unadded = True
        else:
            self._fraction += Fraction(number)

    def _add_exactly(self, number: float) -> None:
        """Shewchuk's sum: partials that do not overlap and add up to exactly what was added so far."""
        kept = 0
        for partial in self._partials:
            large, small = (number, partial) if abs(number) >= abs(partial) else (partial, number)
            total = large + small
            if not math.isfinite(total):
                self._fraction += Fraction(large)
                number = small
                continue
            if lost := small - (total - large):
                self._partials[kept] = lost
                kept += 1
            number = total
        self._partials[kept:] = [number]

    @property
    def mean(self) -> float | int | None:
        """The nearest double of the exact mean; an integer where it is beyond doubles. None where there is none: both
        infinities, or a decimal beyond 10^400 or below 10^-400."""
        if not self.count or len(self._infinite) > 1 or self._unadded:
            return None
        if self._infinite:
            return next(iter(self._infinite))
        total = self._whole + self._fraction + sum(map(Fraction, self._partials))
        mean = Fraction(total, self.count)
        try:
            return float(mean)
        except OverflowError:
            return round(mean)

    def to_stats(self) -> dict[str, Any] | None:
        """``min``, ``max``, ``mean`` and how many values are numbers, NaN and null; None without a number."""
        if not self.count:
            return None
        counts = {"count": self.count, "nans": self.nans, "nulls": self.nulls}
        return {"min": self._min, "max": self._max, "mean": self.mean, **counts}


def _is_nan(number: int | float | Decimal) -> bool:
    # A signalling NaN can not be compared, not even with itself.
    return number.is_nan() if isinstance(number, Decimal) else number != number


def _is_finite(number: float | Decimal) -> bool:
    # A decimal beyond doubles is not infinite.
    return number.is_finite() if isinstance(number, Decimal) else math.isfinite(number)
