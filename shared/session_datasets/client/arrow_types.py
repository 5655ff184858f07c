"""Arrow's own spelling of a type, read back: ``list<item: struct<a: int64, b: timestamp[us, tz=UTC]>>``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import pyarrow as pa

from session_datasets.client.errors import UnexpectedAnswerError

_SIMPLE: dict[str, pa.DataType] = {
    str(type_): type_
    for type_ in (
        *(pa.null(), pa.bool_(), pa.string(), pa.large_string(), pa.binary(), pa.large_binary()),
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64()),
        *(pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
        *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
    )
}
_DECIMALS: dict[str, Callable[[int, int], pa.DataType]] = {
    "32": pa.decimal32,
    "64": pa.decimal64,
    "128": pa.decimal128,
    "256": pa.decimal256,
}
_ZONED = re.compile(r"timestamp\[(s|ms|us|ns), tz=([^\]]+)\]")
_DECIMAL = re.compile(r"decimal(32|64|128|256)\((\d+), (-?\d+)\)")
_FIXED_BINARY = re.compile(r"fixed_size_binary\[(\d+)\]")
_NOT_NULL = " not null"


def type_of(spelled: str) -> pa.DataType:
    """The type whose ``str`` is ``spelled``; UnexpectedAnswerError for one that this client does not know."""
    type_ = _parsed(spelled)
    if type_ is None:
        raise UnexpectedAnswerError(
            f"The column type {spelled[:200]!r} is not known to this SDK.",
            "Load the file with load_artifact, or use a newer SDK.",
        )
    return type_


def _parsed(text: str) -> pa.DataType | None:
    if simple := _SIMPLE.get(text):
        return simple
    if zoned := _ZONED.fullmatch(text):
        return pa.timestamp(zoned[1], zoned[2])
    if decimal := _DECIMAL.fullmatch(text):
        return _DECIMALS[decimal[1]](int(decimal[2]), int(decimal[3]))
    if fixed := _FIXED_BINARY.fullmatch(text):
        return pa.binary(int(fixed[1]))
    return _nested(text)


def _nested(text: str) -> pa.DataType | None:
    if text.startswith("struct<") and text.endswith(">"):
        fields = _fields(text[len("struct<") : -1])
        return None if fields is None else pa.struct(fields)
    for prefix, make in (("list<", pa.list_), ("large_list<", pa.large_list)):
        if text.startswith(prefix) and text.endswith(">"):
            field = _field(text[len(prefix) : -1])
            return None if field is None else make(field)
    return _fixed_list(text) or _map(text)


def _fixed_list(text: str) -> pa.DataType | None:
    found = re.fullmatch(r"fixed_size_list<(.*)>\[(\d+)\]", text, re.DOTALL)
    field = _field(found[1]) if found else None
    return pa.list_(field, int(found[2])) if found and field is not None else None


def _map(text: str) -> pa.DataType | None:
    if not (text.startswith("map<") and text.endswith(">")):
        return None
    inner = text[len("map<") : -1]
    for comma in _places(inner, ", "):
        key, value = _parsed(inner[:comma]), _parsed(inner[comma + 2 :])
        if key is not None and value is not None:
            return pa.map_(key, value)
    return None


@lru_cache
def _fields(text: str) -> list[pa.Field] | None:
    """The fields of a struct. A name may hold commas and colons itself, so every place to cut is tried; of two
    readings the one with more fields is taken. (Remembered, for the places to try multiply with the fields.)"""
    if not text:
        return []
    for comma in _places(text, ", "):
        first = _field(text[:comma])
        rest = _fields(text[comma + 2 :]) if first is not None else None
        if first is not None and rest:
            return [first, *rest]
    whole = _field(text)
    return None if whole is None else [whole]


@lru_cache
def _field(text: str) -> pa.Field | None:
    nullable = not text.endswith(_NOT_NULL)
    bare = text if nullable else text.removesuffix(_NOT_NULL)
    for colon in _places(bare, ": "):
        type_ = _parsed(bare[colon + 2 :])
        if type_ is not None:
            return pa.field(bare[:colon], type_, nullable=nullable)
    return None


def _places(text: str, mark: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(mark), text)]
