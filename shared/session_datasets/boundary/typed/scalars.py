"""Python's own values without parts: for each type a writer of its JSON and a reader that takes nothing else.

A reader raises ValueError, TypeError, ArithmeticError or LookupError for what its writer never wrote.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo

from session_datasets.boundary.typed.errors import UnsupportedValueError
from session_datasets.boundary.typed.tags import Json

# A zone is looked up by its name, so only what looks like one is.
_ZONE = re.compile(r"[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*")
_HEX = re.compile(r"-?0x[0-9a-f]+")


class Rule:
    """``name`` stands in the tag; ``write`` gives the JSON beside it, ``read`` the value again."""

    def __init__(self, name: str, write: Callable[..., Json], read: Callable[[Json], object]) -> None:
        self.name = name
        self.write = write
        self.read = read


def _text(value: Json) -> str:
    if type(value) is not str:
        raise TypeError("a text is expected")
    return value


def _ints(value: Json, count: int) -> list[int]:
    if type(value) is not list or len(value) != count or any(type(each) is not int for each in value):
        raise TypeError(f"{count} integers are expected")
    return value


def _bytes_text(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode("ascii")


def _text_bytes(value: Json) -> bytes:
    return base64.b64decode(_text(value), validate=True)


def _read_int(value: Json) -> int:
    if not _HEX.fullmatch(_text(value)):
        raise ValueError("hexadecimal digits are expected")
    return int(value, 16)


def _read_float(value: Json) -> float:
    number = float(_text(value))
    if math.isfinite(number):
        raise ValueError("a finite number needs no tag")
    return number


def _read_complex(value: Json) -> complex:
    real, imaginary = value
    return complex(float(_text(real)), float(_text(imaginary)))


def zone_json(zone: tzinfo | None) -> Json:
    if zone is None:
        return None
    if type(zone) is timezone:
        offset = zone.utcoffset(None)
        name = zone.tzname(None)
        plain = timezone(offset).tzname(None) == name
        return [offset.days, offset.seconds, offset.microseconds, *([] if plain else [name])]
    if type(zone) is ZoneInfo and zone.key is not None and _ZONE.fullmatch(zone.key):
        return zone.key
    raise UnsupportedValueError(
        f"A time zone of type {type(zone).__name__} has no name that another process knows.",
        "Use zoneinfo.ZoneInfo with a key, or datetime.timezone.",
    )


def zone_of(value: Json) -> tzinfo | None:
    if value is None:
        return None
    if type(value) is str:
        if not _ZONE.fullmatch(value):
            raise ValueError("no name of a time zone")
        return ZoneInfo(value)
    offset = timedelta(*_ints(value[:3], 3))
    return timezone(offset, *(_text(name) for name in value[3:4]))


def _write_datetime(value: datetime) -> Json:
    return [value.replace(tzinfo=None).isoformat(), value.fold, zone_json(value.tzinfo)]


def _read_datetime(value: Json) -> datetime:
    text, fold, zone = value
    return datetime.fromisoformat(_text(text)).replace(fold=fold, tzinfo=zone_of(zone))


def _write_time(value: time) -> Json:
    return [value.replace(tzinfo=None).isoformat(), value.fold, zone_json(value.tzinfo)]


def _read_time(value: Json) -> time:
    text, fold, zone = value
    return time.fromisoformat(_text(text)).replace(fold=fold, tzinfo=zone_of(zone))


SCALARS: dict[type, Rule] = {
    bytes: Rule("bytes", _bytes_text, _text_bytes),
    bytearray: Rule("bytearray", _bytes_text, lambda value: bytearray(_text_bytes(value))),
    complex: Rule("complex", lambda value: [repr(value.real), repr(value.imag)], _read_complex),
    Decimal: Rule("decimal", str, lambda value: Decimal(_text(value))),
    UUID: Rule("uuid", str, lambda value: UUID(_text(value))),
    date: Rule("date", date.isoformat, lambda value: date.fromisoformat(_text(value))),
    datetime: Rule("datetime", _write_datetime, _read_datetime),
    time: Rule("time", _write_time, _read_time),
    timedelta: Rule(
        "timedelta",
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda value: timedelta(*_ints(value, 3)),
    ),
}

# Of these types only some values need a tag, so the writer of values decides.
INT = Rule("int", hex, _read_int)
FLOAT = Rule("float", repr, _read_float)
STR = Rule(
    "str",
    lambda value: _bytes_text(value.encode("utf-8", "surrogatepass")),
    lambda value: _text_bytes(value).decode("utf-8", "surrogatepass"),
)

RULES_BY_NAME: dict[str, Rule] = {rule.name: rule for rule in (*SCALARS.values(), INT, FLOAT, STR)}
