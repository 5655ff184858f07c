"""Nested values as JSON, strict: what is written is JSON for every reader, and the same for the same value."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

# Levels of nesting: more than any table's cell has, fewer than the interpreter's stack takes. A cycle ends here, too.
_LEVELS_MAX = 100
# Python writes integers of up to 4,300 digits.
_INTEGER_BITS_MAX = 14_000


class NoJsonError(ValueError):
    """The value has no JSON text; says why."""


def json_bytes(obj: Any) -> int:
    """Bytes of ``json_text(obj)``. NoJsonError, a ValueError, for what has none."""
    return len(json_text(obj))


def json_text(value: Any) -> str:
    """The value as JSON in ASCII, others escaped. Texts stand for what JSON lacks: ISO 8601, base64, NaN, digits.

    Sets are sorted by the texts of their items. NoJsonError for cycles, more than 100 levels, colliding keys, and
    objects that only have an address.
    """
    return json.dumps(_plain(value, 0), allow_nan=False)


def iso_duration(value: timedelta) -> str:
    """ISO 8601, in days, seconds and what is finer, as Python and pandas keep them: ``P1DT2.5S``, ``-PT1S``."""
    sign = "-" if value < timedelta(0) else ""
    size = abs(value)
    days = f"{size.days}D" if size.days else ""
    finer = f".{size.microseconds:06}{nanoseconds_of(size):03}".rstrip("0").rstrip(".")
    clock = f"T{size.seconds}{finer}S" if size.seconds or finer or not days else ""
    return f"{sign}P{days}{clock}"


def nanoseconds_of(value: timedelta) -> int:
    """What pandas' spans hold beside whole microseconds, from 0 to 999; Python's have none."""
    return int(getattr(value, "nanoseconds", 0))


def text_of(value: object) -> str:
    """What an object says of itself. NoJsonError when that is nothing but its address."""
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        raise NoJsonError(f"a {kind.__name__} has no text of its own")
    try:
        return str(value)
    except Exception as error:
        raise NoJsonError(f"a {kind.__name__} whose text can not be had") from error


def _plain(value: Any, level: int) -> Any:
    if level > _LEVELS_MAX:
        raise NoJsonError(f"nested in more than {_LEVELS_MAX} levels, or in itself")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return _plain(value.value, level + 1)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _unusual(value)
    if isinstance(value, Mapping):
        return _object(value, level)
    if isinstance(value, list | tuple):
        return [_plain(item, level + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((_plain(item, level + 1) for item in value), key=json.dumps)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name), level + 1) for field in fields(value)}
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return _of_numpy(value, level)
    return _scalar(value)


def _of_numpy(value: Any, level: int) -> Any:
    # As Python's objects, moments and spans of nanoseconds would be bare integers.
    if getattr(value, "dtype", None) is not None and value.dtype.kind in "mM":
        return [_plain(item, level + 1) for item in value] if value.ndim else str(value)
    return _plain(value.tolist(), level + 1)


def _integer(value: int) -> int:
    if value.bit_length() > _INTEGER_BITS_MAX:
        raise NoJsonError("an integer of thousands of digits")
    return value


def _object(value: Mapping[Any, Any], level: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, item in value.items():
        name = key if isinstance(key, str) else _key(key)
        if name in plain:
            raise NoJsonError(f"two keys are both written {name!r}")
        plain[name] = _plain(item, level + 1)
    return plain


def _key(key: Any) -> str:
    plain = _plain(key, 1)
    return plain if isinstance(plain, str) else json.dumps(plain)


def _scalar(value: Any) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return iso_duration(value)
    if isinstance(value, Decimal):
        return str(value)
    return text_of(value)


def _unusual(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
