"""The columns of an Excel sheet: what kind its cells are, the type that follows, and the cells as that type.

The rules are stated in ``workbook``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from session_datasets.formats.stream import damaged, names_in_words
from session_datasets.formats.text.hints import hinted_type
from session_datasets.formats.text.numbers import exact_range
from session_datasets.formats.text.rules import TextRule
from session_datasets.formats.typed.typed_rows import DECLARED

_WHOLE, _FRACTION, _BOOL, _TEXT, _DATE, _DATE_TIME, _TIME, _LENGTH = range(8)
_ONE_KIND = {
    _BOOL: (TextRule.BOOLEANS, pa.bool_()),
    _TEXT: (TextRule.TEXT, pa.string()),
    _DATE: (TextRule.DATES, pa.date32()),
    _DATE_TIME: (TextRule.TIMESTAMPS, pa.timestamp("ms")),
    _TIME: (DECLARED, pa.time32("ms")),
    _LENGTH: (DECLARED, pa.duration("ms")),
}


class _DoesNotFit(Exception):
    """A cell is no value of the hinted type."""


def shown(cell: Any) -> str:
    """The cell as text: whole numbers without a point, truth values as Excel spells them, times in ISO 8601."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return str(int(cell)) if _is_whole(cell) else repr(cell)
    if isinstance(cell, dt.timedelta):
        return _hours(cell)
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


def _hours(length: dt.timedelta) -> str:
    """As Excel shows a length of time: 36:00:00."""
    sign = "-" if length < dt.timedelta() else ""
    seconds, fraction = divmod(abs(length), dt.timedelta(seconds=1))
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    milliseconds = f".{fraction // dt.timedelta(milliseconds=1):03}" if fraction else ""
    return f"{sign}{hours}:{minute:02}:{second:02}{milliseconds}"


def _is_whole(number: float) -> bool:
    # The sign of a negative zero would be lost in an integer.
    return number.is_integer() and exact_range(int(number), int(number)) and repr(number) != "-0.0"


class SheetColumn:
    """``see`` every cell with a value, then ``decide``; then ``rule`` is known and ``array`` converts."""

    def __init__(self, nulls: frozenset[str]) -> None:
        self._nulls = nulls
        self._kinds: set[int] = set()
        self._type = pa.string()
        self._convert: Callable[[Any], Any] | None = None
        self.seen = False
        self.rule: str = TextRule.NO_VALUES

    def see(self, cell: Any) -> int:
        """The bytes that the cell takes in memory at least."""
        self.seen = True
        if isinstance(cell, str):
            if cell not in self._nulls:
                self._kinds.add(_TEXT)
            return len(cell)
        self._kinds.add(_kind(cell))
        return 8

    def decide(self, name: str, hint: str | None) -> pa.DataType:
        """The type of column ``name``; Refusal when the hint is no type."""
        if hint is not None:
            self.rule = TextRule.HINT
            self._type, self._convert = _hinted(name, hint)
            if hint == "string":  # whose texts are taken as they are
                self._nulls = frozenset()
        else:
            self.rule, self._type, self._convert = _by_rule(self._kinds)
        return self._type

    def array(self, cells: Sequence[Any]) -> pa.Array:
        """Refusal for a cell that does not fit the hint."""
        values = [None if cell == "" or (isinstance(cell, str) and cell in self._nulls) else cell for cell in cells]
        convert = self._convert
        if convert is not None:
            values = [None if value is None else convert(value) for value in values]
        return pa.array(values, self._type)


def _kind(cell: Any) -> int:
    if isinstance(cell, bool):
        return _BOOL
    if isinstance(cell, float | int):
        return _WHOLE if _is_whole(float(cell)) else _FRACTION
    if isinstance(cell, dt.datetime):
        return _DATE_TIME
    if isinstance(cell, dt.date):
        return _DATE
    return _TIME if isinstance(cell, dt.time) else _LENGTH


def _by_rule(kinds: set[int]) -> tuple[str, pa.DataType, Callable[[Any], Any] | None]:
    if not kinds:
        return TextRule.NO_VALUES, pa.string(), None
    if kinds == {_WHOLE}:
        return TextRule.INTEGERS, pa.int64(), int
    if kinds <= {_WHOLE, _FRACTION}:
        return TextRule.DOUBLES, pa.float64(), None
    if kinds == {_DATE, _DATE_TIME}:
        return TextRule.TIMESTAMPS, pa.timestamp("ms"), _at_midnight
    if len(kinds) == 1:
        return *_ONE_KIND[next(iter(kinds))], None
    return TextRule.MIXED, pa.string(), shown


def _at_midnight(day: dt.date) -> dt.datetime:
    return day if isinstance(day, dt.datetime) else dt.datetime.combine(day, dt.time())


def _hinted(name: str, hint: str) -> tuple[pa.DataType, Callable[[Any], Any]]:
    type_ = hinted_type(name, hint)
    convert = _CONVERTERS.get(str(type_)) or (lambda cell: _as_decimal(cell, type_.precision, type_.scale))

    def converted(cell: Any) -> Any:
        try:
            return convert(cell)
        except (_DoesNotFit, ValueError, OverflowError, InvalidOperation) as error:
            raise damaged(
                f"Column {names_in_words([name])} has a cell that is no {hint}: {names_in_words([shown(cell)])}.",
                "Correct the hint 'types', or leave the column out of it, and register the file again.",
            ) from error

    return type_, converted


def _as_bool(cell: Any) -> bool:
    words = {"true": True, "false": False}
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, str) and cell.lower() in words:
        return words[cell.lower()]
    raise _DoesNotFit


def _as_integer(cell: Any) -> int:
    if isinstance(cell, bool) or not isinstance(cell, float | int | str):
        raise _DoesNotFit
    if isinstance(cell, float) and not cell.is_integer():
        raise _DoesNotFit
    number = int(cell)
    if not -(2**63) <= number < 2**63:
        raise _DoesNotFit
    return number


def _as_double(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, float | int | str):
        raise _DoesNotFit
    return float(cell)


def _as_decimal(cell: Any, precision: int, scale: int) -> Decimal:
    if isinstance(cell, bool) or not isinstance(cell, float | int | str):
        raise _DoesNotFit
    number = Decimal(cell if isinstance(cell, str) else repr(cell))
    fixed = number.quantize(Decimal(1).scaleb(-scale))
    if fixed != number or len(fixed.as_tuple().digits) > precision:
        raise _DoesNotFit
    return fixed


def _as_date(cell: Any) -> dt.date:
    if isinstance(cell, dt.datetime):
        if cell.time() != dt.time():
            raise _DoesNotFit
        return cell.date()
    if isinstance(cell, dt.date):
        return cell
    return dt.date.fromisoformat(_text(cell))


def _as_timestamp(cell: Any) -> dt.datetime:
    return _at_midnight(cell) if isinstance(cell, dt.date) else dt.datetime.fromisoformat(_text(cell))


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    raise _DoesNotFit


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "string": shown,
    "bool": _as_bool,
    "int64": _as_integer,
    "double": _as_double,
    "date32[day]": _as_date,
    "timestamp[us]": _as_timestamp,
}
