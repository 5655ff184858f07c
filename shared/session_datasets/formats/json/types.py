"""Which type a JSON column has, from every one of its values.

- Only true and false: bool. Only strings: string; a string is never taken for a number or a date.
- Only integers: int64; uint64 if that holds them; else decimal up to 38 digits; else text.
- Integers and fractions: double if every value is exact in one (integers up to 2^53); else text, all digits kept.
- Only objects: struct, keys in the order first seen, a missing key is null. Only arrays: list, of the type that
  all their items together have.
- Anything mixed, an object without keys or with more than ``STRUCT_FIELDS_MAX`` (a dictionary rather than a
  struct), and what is nested deeper than ``DEPTH_MAX``: text that holds the value's JSON, and that is said. The
  rule holds for each leaf: a struct stays a struct when only one of its fields is mixed.
- null, a missing key and nothing but nulls: null of the column's type, text if there is no other value.

The rules' names are those of docs/typing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Any

import pyarrow as pa

from session_datasets.formats.json.exact_parser import ExactNumber, spelled
from session_datasets.formats.text.numbers import exact_range

# Levels of objects and arrays that keep their structure: readers of Parquet and of pages recurse over them.
DEPTH_MAX = 16
# Keys of a struct; every one is a column inside the file.
STRUCT_FIELDS_MAX = 500
_DECIMAL_DIGITS_MAX = 38
_INT64 = (-(2**63), 2**63 - 1)
_UINT64 = (0, 2**64 - 1)
# Values are looked at column by column while at least one of so many cells is there, else object by object.
_SPARSE = 8

Convert = Callable[[Any], Any]


class JsonRule(StrEnum):
    """What decided a column's type."""

    NULLS = "only nulls: text"
    BOOLEANS = "only true and false"
    STRINGS = "only strings"
    INTEGERS = "only integers"
    UNSIGNED = "integers beyond int64: uint64"
    DECIMAL = "integers beyond 64 bits: decimal"
    WIDE_INTEGERS = "integers beyond 38 digits: JSON text"
    DOUBLE = "numbers: double"
    WIDE_FRACTIONS = "numbers that no double holds: JSON text"
    OBJECTS = "only objects"
    ARRAYS = "only arrays"
    NO_KEYS = "objects without keys: JSON text"
    DEEP = "too many keys or levels: JSON text"
    MIXED = "mixed: JSON text"


class Kind(StrEnum):
    """What the values of one place have in common. NULL: none was seen but nulls. JSON: text that holds JSON."""

    NULL = "null"
    BOOL = "bool"
    INT64 = "int64"
    UINT64 = "uint64"
    DECIMAL = "decimal"
    DOUBLE = "double"
    STRING = "string"
    JSON = "json"
    STRUCT = "struct"
    LIST = "list"


_SCALARS = {
    Kind.NULL: pa.null(),
    Kind.BOOL: pa.bool_(),
    Kind.INT64: pa.int64(),
    Kind.UINT64: pa.uint64(),
    Kind.DECIMAL: pa.decimal128(_DECIMAL_DIGITS_MAX, 0),
    Kind.DOUBLE: pa.float64(),
    Kind.STRING: pa.string(),
    Kind.JSON: pa.string(),
}


@dataclass(frozen=True, slots=True)
class JsonType:
    """``fields`` belong to a struct, ``item`` to a list. ``rule`` is the name docs/typing.md gives it."""

    kind: Kind
    fields: tuple[tuple[str, JsonType], ...] = ()
    item: JsonType | None = None
    rule: JsonRule = field(default=JsonRule.NULLS, compare=False)

    @property
    def type(self) -> pa.DataType:
        """The Arrow type that holds the values."""
        if self.item is not None:
            return pa.list_(self.item.type)
        if self.kind is Kind.STRUCT:
            return pa.struct([pa.field(name, field.type) for name, field in self.fields])
        return _SCALARS[self.kind]

    @property
    def kept_as_text(self) -> frozenset[JsonRule]:
        """Why JSON text is kept, here or in some leaf; empty where none is."""
        if self.item is not None:
            return self.item.kept_as_text
        if self.kind is Kind.JSON:
            return frozenset([self.rule])
        return frozenset[JsonRule]().union(*(field.kept_as_text for _, field in self.fields))

    def finished(self) -> JsonType:
        """The type when no value follows: what had none is text."""
        if self.item is not None:
            return JsonType(Kind.LIST, item=self.item.finished(), rule=self.rule)
        if self.kind is Kind.STRUCT:
            fields = tuple((name, field.finished()) for name, field in self.fields)
            return JsonType(Kind.STRUCT, fields, rule=self.rule)
        return JsonType(Kind.STRING, rule=self.rule) if self.kind is Kind.NULL else self

    def array(self, values: Sequence[Any]) -> pa.Array:
        """Values of this type, as the parser gave them."""
        if convert := self.converter():
            values = [convert(value) for value in values]
        return pa.array(values, self.type)

    def converter(self) -> Convert | None:
        """What makes a value ready for Arrow, None if it is so already."""
        if self.kind is Kind.JSON:
            return _optional(spelled)
        if self.item is not None:
            return _each_item(self.item.converter())
        return _each_field({name: convert for name, field in self.fields if (convert := field.converter())})


class Seen:
    """All values of one place (a column, a key inside objects, the items of arrays)."""

    __slots__ = (
        "_deep",
        "_depth",
        "_fields",
        "_floats",
        "_high",
        "_items",
        "_low",
        "_others",
        "_texts",
        "_truths",
    )

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth
        self._truths = self._texts = self._floats = self._others = self._deep = False
        self._low: int | None = None
        self._high: int | None = None
        self._fields: dict[str, Seen] | None = None
        self._items: Seen | None = None

    def see_all(self, values: Sequence[Any]) -> None:
        """Takes note of every value. Most columns have values of one kind, which is looked at at once."""
        kinds = set(map(type, values))
        kinds.discard(type(None))
        if len(kinds) > 1:
            for kind in kinds:
                self._see_kind(kind, [value for value in values if type(value) is kind])
        elif kinds:
            self._see_kind(kinds.pop(), [value for value in values if value is not None])

    def _see_kind(self, kind: type, values: Sequence[Any]) -> None:
        """``values`` are of ``kind``, and not empty."""
        if kind is str:
            self._texts = True
        elif kind is int:
            self.see_range(min(values), max(values))
        elif kind is float:
            self._floats = True
        elif kind is bool:
            self._truths = True
        elif kind is ExactNumber:
            self._others = True
        elif self._depth >= DEPTH_MAX:
            self._deep = True
        elif kind is dict:
            self._see_objects(values)
        else:
            if self._items is None:
                self._items = Seen(self._depth + 1)
            self._items.see_all(list(chain.from_iterable(values)))

    def see_range(self, low: int, high: int) -> None:
        """Takes note of integers between these two, which are among them."""
        self._low = low if self._low is None else min(low, self._low)
        self._high = high if self._high is None else max(high, self._high)

    def _see_objects(self, values: Sequence[dict[str, Any]]) -> None:
        if self._fields is None:
            self._fields = {}
        names = list(dict.fromkeys(chain.from_iterable(values)))
        known = [name for name in names if self._field(name)]
        if len(known) * len(values) > _SPARSE * sum(map(len, values)):
            for value in values:
                for name, item in value.items():
                    if name in self._fields:
                        self._fields[name].see_all((item,))
            return
        for name in known:
            self._fields[name].see_all([value.get(name) for value in values])

    def _field(self, name: str) -> bool:
        """Makes room for a key, if there is some left."""
        assert self._fields is not None
        if name in self._fields:
            return True
        if len(self._fields) == STRUCT_FIELDS_MAX:
            self._deep = True
            return False
        self._fields[name] = Seen(self._depth + 1)
        return True

    def field(self, name: str) -> Seen:
        """What was seen under a key that is known."""
        assert self._fields is not None
        return self._fields[name]

    @property
    def items(self) -> Seen:
        """What was seen inside arrays, of which there was one."""
        assert self._items is not None
        return self._items

    def decide(self) -> JsonType:
        """The type of all values so far."""
        numbers = self._floats or self._others or self._low is not None
        shapes = (self._truths, self._texts, numbers, self._fields is not None, self._items is not None)
        if self._deep:
            return JsonType(Kind.JSON, rule=JsonRule.DEEP)
        if sum(shapes) > 1:
            return JsonType(Kind.JSON, rule=JsonRule.MIXED)
        if self._truths:
            return JsonType(Kind.BOOL, rule=JsonRule.BOOLEANS)
        if numbers:
            return self._number()
        if self._fields is not None:
            if not self._fields:
                return JsonType(Kind.JSON, rule=JsonRule.NO_KEYS)
            fields = tuple((name, seen.decide()) for name, seen in self._fields.items())
            return JsonType(Kind.STRUCT, fields, rule=JsonRule.OBJECTS)
        if self._items is not None:
            return JsonType(Kind.LIST, item=self._items.decide(), rule=JsonRule.ARRAYS)
        return _STRING if self._texts else _NULL

    def _number(self) -> JsonType:
        low, high = self._low, self._high
        if self._others:
            return _WIDE_FRACTIONS
        if low is None or high is None:
            return _DOUBLE
        if self._floats:
            return _DOUBLE if exact_range(low, high) else _WIDE_FRACTIONS
        for type_, (least, most) in ((_INTEGERS, _INT64), (_UNSIGNED, _UINT64)):
            if least <= low and high <= most:
                return type_
        return _DECIMAL if max(abs(low), abs(high)) < 10**_DECIMAL_DIGITS_MAX else _WIDE_INTEGERS


_NULL = JsonType(Kind.NULL, rule=JsonRule.NULLS)
_STRING = JsonType(Kind.STRING, rule=JsonRule.STRINGS)
_INTEGERS = JsonType(Kind.INT64, rule=JsonRule.INTEGERS)
_UNSIGNED = JsonType(Kind.UINT64, rule=JsonRule.UNSIGNED)
_DECIMAL = JsonType(Kind.DECIMAL, rule=JsonRule.DECIMAL)
_WIDE_INTEGERS = JsonType(Kind.JSON, rule=JsonRule.WIDE_INTEGERS)
_DOUBLE = JsonType(Kind.DOUBLE, rule=JsonRule.DOUBLE)
_WIDE_FRACTIONS = JsonType(Kind.JSON, rule=JsonRule.WIDE_FRACTIONS)


def _optional(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _each_item(convert: Convert | None) -> Convert | None:
    if convert is None:
        return None
    return _optional(lambda values: [convert(value) for value in values])


def _each_field(converters: dict[str, Convert]) -> Convert | None:
    if not converters:
        return None
    return _optional(
        lambda value: {key: converters[key](item) if key in converters else item for key, item in value.items()}
    )
