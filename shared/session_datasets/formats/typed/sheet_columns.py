"""The columns of an Excel sheet: what kind its cells are, the type that follows, and the cells as that type.

The rules are stated in ``workbook``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from session_datasets.formats.stream import damaged, names_in_words
from session_datasets.formats.text.hints import cast_to, hinted_type
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


# Room for every digit of the largest double beside those of the smallest decimal.
_WIDE = Context(prec=400)


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
        # Whether some cell is a moment of 1900-02-28, which is what the day behind it is taken for.
        self.has_day_59 = False
        self.rule: str = TextRule.NO_VALUES

    def see(self, cell: Any) -> int:
        """The bytes that the cell takes in memory at least."""
        self.seen = True
        if isinstance(cell, str):
            if cell not in self._nulls:
                self._kinds.add(_TEXT)
            return len(cell)
        self._kinds.add(_kind(cell))
        self.has_day_59 = self.has_day_59 or _is_day_59(cell)
        return 8

    @property
    def has_times(self) -> bool:
        """Whether some cell is a time of day."""
        return _TIME in self._kinds

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


def _is_day_59(cell: Any) -> bool:
    return isinstance(cell, dt.date) and (cell.year, cell.month, cell.day) == (1900, 2, 28)


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
    read = shown if pa.types.is_string(type_) else _reader(type_)

    def converted(cell: Any) -> Any:
        try:
            return read(cell) if isinstance(cell, str) else convert(cell)
        except (_DoesNotFit, ValueError, OverflowError, InvalidOperation) as error:
            raise damaged(
                f"Column {names_in_words([name])} has a cell that is no {hint}: {names_in_words([shown(cell)])}.",
                "Correct the hint 'types', or leave the column out of it, and register the file again.",
            ) from error

    return type_, converted


def _reader(type_: pa.DataType) -> Callable[[str], Any]:
    """Reads a text as a field of a CSV with the same hint is read."""
    cast = cast_to(type_)

    def read(text: str) -> Any:
        values = cast(pa.array([text], pa.string()))
        if values is None:
            raise _DoesNotFit
        return values[0].as_py()

    return read


def _as_bool(cell: Any) -> bool:
    if isinstance(cell, bool):
        return cell
    raise _DoesNotFit


def _as_integer(cell: Any) -> int:
    number = _as_double(cell)
    if not number.is_integer() or not -(2**63) <= int(number) < 2**63:
        raise _DoesNotFit
    return int(number)


def _as_double(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, float | int):
        raise _DoesNotFit
    return float(cell)


def _as_decimal(cell: Any, precision: int, scale: int) -> Decimal:
    number = Decimal(repr(_as_double(cell)))
    fixed = number.quantize(Decimal(1).scaleb(-scale), context=_WIDE)
    if fixed != number or len(fixed.as_tuple().digits) > precision:
        raise _DoesNotFit
    return fixed


def _as_date(cell: Any) -> dt.date:
    day = _as_timestamp(cell)
    if day.time() != dt.time():
        raise _DoesNotFit
    return day.date()


def _as_timestamp(cell: Any) -> dt.datetime:
    if not isinstance(cell, dt.date):
        raise _DoesNotFit
    return _at_midnight(cell)


_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "string": shown,
    "bool": _as_bool,
    "int64": _as_integer,
    "double": _as_double,
    "date32[day]": _as_date,
    "timestamp[us]": _as_timestamp,
}
