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

from session_datasets.domain.limits import MIB

# Levels of nesting: more than any table's cell has, fewer than the interpreter's stack takes. A cycle ends here, too.
_LEVELS_MAX = 100
# Bytes that a value's JSON takes in memory, some 64 for each value in it: where parts are shared, each level may double
# what is spelled out of the same few objects.
_BYTES_MAX = 64 * MIB
_BYTES_OF_A_VALUE = 64
# Python writes integers of up to 4,300 digits.
_INTEGER_BITS_MAX = 14_000


class NoJsonError(ValueError):
    """The value has no JSON text; says why."""


def json_bytes(obj: Any) -> int:
    """Bytes of ``json_text(obj)``. NoJsonError, a ValueError, for what has none."""
    return len(json_text(obj))


def json_text(value: Any) -> str:
    """The value as JSON in ASCII, others escaped. Texts stand for what JSON lacks: ISO 8601, base64, NaN, digits.

    Sets are sorted by the texts of their items. NoJsonError for cycles, more than 100 levels, colliding keys, objects
    that only have an address, and more than a million values or 64 MiB of texts.
    """
    return json.dumps(_Spelling().plain(value, 0), allow_nan=False)


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


class _Spelling:
    """One value on its way to JSON, and what is left of its room."""

    def __init__(self) -> None:
        self._left = _BYTES_MAX

    def plain(self, value: Any, level: int) -> Any:
        if level > _LEVELS_MAX:
            raise NoJsonError(f"nested in more than {_LEVELS_MAX} levels, or in itself")
        self._take(_BYTES_OF_A_VALUE)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, Enum):
            return self.plain(value.value, level + 1)
        if isinstance(value, str):
            return self._text(str.__str__(value))
        if isinstance(value, int):
            self._take(value.bit_length() // 3)
            return _integer(int(value))
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else _unusual(value)
        if isinstance(value, Mapping):
            return self._object(value, level)
        if isinstance(value, list | tuple):
            return [self.plain(item, level + 1) for item in value]
        if isinstance(value, set | frozenset):
            return sorted((self.plain(item, level + 1) for item in value), key=json.dumps)
        if is_dataclass(value) and not isinstance(value, type):
            return {field.name: self.plain(getattr(value, field.name), level + 1) for field in fields(value)}
        if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
            return self._of_numpy(value, level)
        return self._text(_scalar(value))

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise NoJsonError("of more than a million values, or longer than 64 MiB, with what it holds several times")

    def _text(self, text: str) -> str:
        self._take(len(text))
        return text

    def _of_numpy(self, value: Any, level: int) -> Any:
        # As Python's objects, moments and spans of nanoseconds would be bare integers.
        if getattr(value, "dtype", None) is not None and value.dtype.kind in "mM":
            return [self.plain(item, level + 1) for item in value] if value.ndim else str(value)
        return self.plain(value.tolist(), level + 1)

    def _object(self, value: Mapping[Any, Any], level: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, item in value.items():
            name = self._text(key if isinstance(key, str) else self._key(key))
            if name in plain:
                raise NoJsonError(f"two keys are both written {name!r}")
            plain[name] = self.plain(item, level + 1)
        return plain

    def _key(self, key: Any) -> str:
        plain = self.plain(key, 1)
        return plain if isinstance(plain, str) else json.dumps(plain)


def _integer(value: int) -> int:
    if value.bit_length() > _INTEGER_BITS_MAX:
        raise NoJsonError("an integer of thousands of digits")
    return value


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
