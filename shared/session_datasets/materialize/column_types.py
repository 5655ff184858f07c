"""The Arrow type of a column, from every value it has had so far. A type only widens, and no value is changed by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from session_datasets.materialize.cells import Cell, csv_text

_INT64_BITS = 63
# Integers of so many bits are doubles, exactly.
_EXACT_DOUBLE_BITS = 53
_DECIMAL_DIGITS_MAX = 76
# Arrow counts the microseconds of a span in 64 bits, those of its whole days first; an instant as UTC within the
# years 1 to 9999.
_LONGEST_SPAN = timedelta(days=(2**63 - 1) // (86_400 * 10**6))
_FAR_INSTANT, _FAR_SPAN = "instant beyond its range", "duration beyond its range"
_KINDS = {
    bool: "bool", int: "int", float: "float", Decimal: "decimal", str: "text", bytes: "bytes",
    date: "date", time: "time",
}  # fmt: skip
_NAMES = {"text": "string", "bytes": "binary", "float": "double", _FAR_INSTANT: "string", _FAR_SPAN: "string"}


@dataclass(frozen=True)
class ColumnType:
    """What was seen: kinds of values, and of numbers how many bits and digits they need."""

    kinds: frozenset[str] = frozenset()
    bits: int = 0
    whole_digits: int = 0
    scale: int = 0
    special: bool = False

    def with_(self, cell: Cell) -> ColumnType:
        """The type after one more value; this one itself when the value brings nothing new."""
        if cell is None:
            return self
        kind = _kind(cell)
        known = self if kind in self.kinds else replace(self, kinds=self.kinds | {kind})
        if kind == "int":
            assert isinstance(cell, int)
            bits = (cell if cell >= 0 else -cell - 1).bit_length()
            return known if bits <= known.bits else replace(known, bits=bits)
        if kind == "decimal":
            assert isinstance(cell, Decimal)
            return known._with_decimal(cell)
        return known

    def _with_decimal(self, number: Decimal) -> ColumnType:
        if not number.is_finite():
            return replace(self, special=True)
        _, digits, exponent = number.as_tuple()
        assert isinstance(exponent, int)
        whole, scale = max(len(digits) + exponent, 1), -exponent
        if whole <= self.whole_digits and scale <= self.scale:
            return self
        return replace(self, whole_digits=max(self.whole_digits, whole), scale=max(self.scale, scale))

    @property
    def name(self) -> str:
        """string, bool, int64, double, decimal, binary, date, time, datetime, instant or duration."""
        if not self.kinds:
            return "string"
        if self.kinds == {"int"}:
            return "int64" if self.bits <= _INT64_BITS else self._decimal()
        if self.kinds == {"int", "float"}:
            return "double" if self.bits <= _EXACT_DOUBLE_BITS else "string"
        if self.kinds <= {"int", "decimal"}:
            return self._decimal()
        if len(self.kinds) > 1:
            return "string"
        (kind,) = self.kinds
        return _NAMES.get(kind, kind)

    def _decimal(self) -> str:
        return "string" if self.special or self._precision > _DECIMAL_DIGITS_MAX else "decimal"

    @property
    def _precision(self) -> int:
        # Of a number of n bits: n times the logarithm of 2, rounded up; one too many does no harm.
        of_integers = self.bits * 302 // 1000 + 1
        return max(self.whole_digits, of_integers if "int" in self.kinds else 0) + self.scale

    @property
    def is_mixed(self) -> bool:
        """Whether the column is text only because its values are of several kinds, or too large for any number."""
        return self.name == "string" and bool(self.kinds - {"text"})

    @property
    def key(self) -> tuple[str, int, int]:
        """What decides the Arrow type."""
        return (self.name, self._precision, self.scale) if self.name == "decimal" else (self.name, 0, 0)

    def arrow(self, pa: Any) -> Any:
        if self.name == "decimal":
            make = pa.decimal128 if self._precision <= 38 else pa.decimal256
            return make(self._precision, self.scale)
        return {
            "string": pa.string(), "bool": pa.bool_(), "int64": pa.int64(), "double": pa.float64(),
            "binary": pa.binary(), "date": pa.date32(), "time": pa.time64("us"), "datetime": pa.timestamp("us"),
            "instant": pa.timestamp("us", "UTC"), "duration": pa.duration("us"),
        }[self.name]  # fmt: skip

    def values(self, cells: Sequence[Cell]) -> list[Any]:
        """The cells as Arrow takes them for this type."""
        if self.name == "string":
            return [None if cell is None else csv_text(cell) for cell in cells]
        if self.name == "double":
            return [None if cell is None else float(cell) for cell in cells]  # type: ignore[arg-type]
        if self.name == "decimal":
            return [Decimal(cell) if isinstance(cell, int) else cell for cell in cells]
        if self.name == "instant":
            return [cell.astimezone(UTC) if isinstance(cell, datetime) else None for cell in cells]
        return list(cells)


def _kind(cell: Cell) -> str:
    if isinstance(cell, datetime):
        return "datetime" if cell.tzinfo is None else _kind_of_instant(cell)
    if isinstance(cell, timedelta):
        return "duration" if abs(cell) <= _LONGEST_SPAN else _FAR_SPAN
    return _KINDS[type(cell)]


def _kind_of_instant(cell: datetime) -> str:
    if MINYEAR < cell.year < MAXYEAR:
        return "instant"
    try:
        cell.astimezone(UTC)
    except OverflowError:
        return _FAR_INSTANT
    return "instant"
