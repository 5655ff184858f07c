"""Cells of every kind: what a value is for a file, how CSV spells it, and what a preview shows of it."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import is_dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Any, TypeAlias

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS
from session_datasets.materialize.json_texts import iso_duration, json_text, nanoseconds_of, text_of

Cell: TypeAlias = bool | int | float | Decimal | str | bytes | date | time | datetime | timedelta | None

CUT_MARK = "…"
# Beyond this a reader of JSON that has doubles only would change an integer.
_EXACT_IN_JSON = 2**53
_WRITTEN_BITS = 1_000
_AS_THEY_ARE = frozenset({type(None), bool, int, float, Decimal, bytes, date, timedelta})
# pandas' own words for a missing value.
_MISSING = frozenset({"NAType", "NaTType"})


def cell_of(value: Any) -> Cell:
    """The value as one of the kinds that files hold. NoJsonError for an object that has no text of its own.

    Nested values become JSON text, enumerations their value, NumPy's scalars Python's, moments with a zone their
    offset. A text keeps unpaired surrogates; ``clean`` replaces them.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE or kind is str:
        return value  # type: ignore[no-any-return]
    if isinstance(value, Enum):
        return cell_of(value.value)
    if kind.__name__ in _MISSING:
        return None
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, time):
        return value if value.tzinfo is None and kind is time else value.isoformat()
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return json_text(value) if getattr(value, "ndim", 0) else _of_numpy(value)
    if isinstance(value, Mapping | list | tuple | set | frozenset) or is_dataclass(value):
        return json_text(value)
    return _of_subclass(value)


def _moment(value: datetime) -> Cell:
    # What is finer than a microsecond, or outside of the years 1 to 9999, only a text holds.
    if getattr(value, "nanosecond", 0) or not MINYEAR <= value.year <= MAXYEAR:
        return value.isoformat()
    offset = value.utcoffset()
    zone = None if offset is None else timezone(offset)
    return datetime(
        *(value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond), zone
    )


def _of_numpy(value: Any) -> Cell:
    # Its nanoseconds are bare integers as Python's, so moments and spans go by their text.
    if value.dtype.kind in "mM":
        text = str(value)
        return None if text == "NaT" else text
    item = value.item()
    return text_of(value) if type(item) is type(value) else cell_of(item)


def _of_subclass(value: Any) -> Cell:
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Decimal):
        return Decimal(value)
    if isinstance(value, timedelta):
        return _span(value)
    return date(value.year, value.month, value.day) if isinstance(value, date) else text_of(value)


def _span(value: timedelta) -> Cell:
    # What is finer than a microsecond, or longer than Python's own spans, only a text holds.
    if nanoseconds_of(value):
        return iso_duration(value)
    try:
        return timedelta(value.days, value.seconds, value.microseconds)
    except OverflowError:
        return iso_duration(value)


def clean(text: str) -> tuple[str, bool]:
    """The text without unpaired surrogates, which UTF-8 has no bytes for, and whether there were any."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    return text, False


def without_nul(text: str) -> str:
    """As CSV holds it: a file with a NUL is binary data to most readers."""
    return text.replace("\0", "\ufffd")


def csv_text(cell: Cell) -> str:
    """As CSV and columns of mixed kinds spell it: ISO 8601, base64, ``True``, every digit of a number."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bytes):
        return base64.b64encode(cell).decode()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, timedelta):
        return iso_duration(cell)
    if isinstance(cell, int) and not isinstance(cell, bool):
        return digits(cell)
    return repr(cell) if isinstance(cell, float) else str(cell)


def digits(number: int) -> str:
    """Every digit, also where Python refuses to write an integer because it has too many."""
    return str(number) if number.bit_length() < _WRITTEN_BITS else f"{Decimal(number):f}"


def preview_cell(cell: Cell) -> Any:
    """JSON-safe: a truth value, a number that any reader keeps, null, or a text of up to 100 characters."""
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, int) and abs(cell) <= _EXACT_IN_JSON:
        return cell
    if isinstance(cell, float) and math.isfinite(cell):
        return cell
    return cut(csv_text(cell), PREVIEW_CELL_CHARACTERS)


def cut(text: str, characters: int) -> str:
    """The text, or its beginning and a mark, in at most ``characters``."""
    return text if len(text) <= characters else text[: characters - 1] + CUT_MARK
