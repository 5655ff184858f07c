"""Which type a JSON column has, from every one of its values, and how each value becomes one of that type.

- Only true and false: bool. Only strings: string; a string is never taken for a number or a date.
- Only integers: int64; uint64 if that holds them; else decimal up to 38 digits; else text.
- Integers and fractions: double if every value is exact in one (integers up to 2^53); else text, all digits kept.
- Only objects: struct, keys in the order first seen, a missing key is null. Only arrays: list, of the type that
  all their items together have.
- Anything mixed, an object without keys or with more than ``STRUCT_FIELDS_MAX`` (a dictionary rather than a
  struct), and what is nested deeper than ``DEPTH_MAX``: text that holds the value's JSON, and that is said. The
  rule holds for each leaf: a struct stays a struct when only one of its fields is mixed.
- null, a missing key and nothing but nulls: null of the column's type, text if there is no other value.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

from session_datasets.formats.json_text import ExactNumber
from session_datasets.formats.numbers import exact_range

# Levels of objects and arrays that keep their structure: readers of Parquet and of pages recurse over them.
DEPTH_MAX = 16
# Keys of a struct; every one is a column inside the file.
STRUCT_FIELDS_MAX = 500
_DECIMAL_DIGITS_MAX = 38
_INT64 = (-(2**63), 2**63 - 1)
_UINT64 = (0, 2**64 - 1)

Convert = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class JsonType:
    """``convert`` makes a value ready for Arrow, None if it is so already. ``as_text`` says that JSON text is kept."""

    type: pa.DataType
    convert: Convert | None = None
    as_text: bool = False


class Seen:
    """All values of one place (a column, a key inside objects, the items of arrays)."""

    __slots__ = ("_deep", "_depth", "_fields", "_floats", "_high", "_items", "_low", "_others", "_texts", "_truths")

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._truths = self._texts = self._floats = self._others = self._deep = False
        self._low: int | None = None
        self._high: int | None = None
        self._fields: dict[str, Seen] | None = None
        self._items: Seen | None = None

    def see(self, value: Any) -> None:
        kind = type(value)
        if value is None:
            return
        if kind is str:
            self._texts = True
        elif kind is int:
            self._low = value if self._low is None or value < self._low else self._low
            self._high = value if self._high is None or value > self._high else self._high
        elif kind is float:
            self._floats = True
        elif kind is bool:
            self._truths = True
        elif kind is ExactNumber:
            self._others = True
        elif self._depth >= DEPTH_MAX:
            self._deep = True
        elif kind is dict:
            self._see_object(value)
        else:
            self._see_items(value)

    def _see_object(self, value: dict[str, Any]) -> None:
        if self._fields is None:
            self._fields = {}
        for key, item in value.items():
            field = self._fields.get(key)
            if field is None:
                if len(self._fields) == STRUCT_FIELDS_MAX:
                    self._deep = True
                    return
                field = self._fields[key] = Seen(self._depth + 1)
            field.see(item)

    def _see_items(self, values: list[Any]) -> None:
        if self._items is None:
            self._items = Seen(self._depth + 1)
        for value in values:
            self._items.see(value)

    def decide(self) -> JsonType:
        numbers = self._floats or self._others or self._low is not None
        shapes = (self._truths, self._texts, numbers, self._fields is not None, self._items is not None)
        if self._deep or sum(shapes) > 1:
            return _JSON_TEXT
        if self._truths:
            return JsonType(pa.bool_())
        if numbers:
            return self._number()
        if self._fields is not None:
            return _struct({key: seen.decide() for key, seen in self._fields.items()})
        if self._items is not None:
            return _list(self._items.decide())
        return JsonType(pa.string())

    def _number(self) -> JsonType:
        low, high = self._low, self._high
        if self._others:
            return _JSON_TEXT
        if low is None or high is None:
            return JsonType(pa.float64())
        if self._floats:
            return JsonType(pa.float64(), _float) if exact_range(low, high) else _JSON_TEXT
        for type_, (least, most) in ((pa.int64(), _INT64), (pa.uint64(), _UINT64)):
            if least <= low and high <= most:
                return JsonType(type_)
        if max(abs(low), abs(high)) < 10**_DECIMAL_DIGITS_MAX:
            return JsonType(pa.decimal128(_DECIMAL_DIGITS_MAX, 0), _decimal)
        return _JSON_TEXT


def json_text(value: Any) -> str:
    """The JSON of a value, numbers with all the digits they came with."""
    if type(value) is ExactNumber:
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json_text(str(key))}: {json_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(json_text(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


_JSON_TEXT = JsonType(pa.string(), lambda value: None if value is None else json_text(value), as_text=True)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _decimal(value: int | None) -> Decimal | None:
    return None if value is None else Decimal(value)


def _struct(fields: dict[str, JsonType]) -> JsonType:
    if not fields:
        return _JSON_TEXT
    type_ = pa.struct([pa.field(name, field.type) for name, field in fields.items()])
    as_text = any(field.as_text for field in fields.values())
    converted = {name: field.convert for name, field in fields.items() if field.convert}
    if not converted:
        return JsonType(type_, as_text=as_text)

    def convert(value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is None:
            return None
        return {key: converted[key](item) if key in converted else item for key, item in value.items()}

    return JsonType(type_, convert, as_text)


def _list(item: JsonType) -> JsonType:
    each = item.convert
    if each is None:
        return JsonType(pa.list_(item.type), as_text=item.as_text)
    return JsonType(
        pa.list_(item.type), lambda values: None if values is None else [each(value) for value in values], item.as_text
    )
