"""Cells of a page back as an Arrow array, without loss: the other direction of what a page's encodings say."""

from __future__ import annotations

import base64
from decimal import Decimal
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.types as kind

from session_datasets.client.errors import UnexpectedAnswerError


def decoded(cells: list[Any], type_: pa.DataType) -> pa.Array:
    """One value for each of ``cells``, of exactly ``type_``; the JSON forms say themselves which encoding they have."""
    if kind.is_struct(type_):
        return _structs(cells, type_)
    if kind.is_list(type_) or kind.is_large_list(type_):
        return _lists(cells, type_)
    return _leaves(cells, type_)


def _leaves(cells: list[Any], type_: pa.DataType) -> pa.Array:
    if kind.is_integer(type_):
        return pa.array([int(cell) if isinstance(cell, str) else cell for cell in cells], type_)
    if kind.is_floating(type_):
        return pa.array([None if cell is None else float(cell) for cell in cells], type_)
    if kind.is_decimal(type_):
        return pa.array([None if cell is None else Decimal(cell) for cell in cells], type_)
    if kind.is_timestamp(type_):
        return _timestamps(cells, type_)
    if kind.is_date(type_):
        return pa.array(cells, pa.string()).cast(type_)
    if kind.is_binary(type_) or kind.is_large_binary(type_) or kind.is_fixed_size_binary(type_):
        return pa.array([None if cell is None else base64.b64decode(cell) for cell in cells], type_)
    if kind.is_boolean(type_) or kind.is_string(type_) or kind.is_large_string(type_) or kind.is_null(type_):
        return pa.array(cells, type_)
    raise UnexpectedAnswerError(
        f"Cells of type {type_} are not read from pages by this SDK.", "Load the file with load_artifact."
    )


def _timestamps(cells: list[Any], type_: pa.TimestampType) -> pa.Array:
    texts = pa.array(cells, pa.string())
    if type_.tz is None:
        return texts.cast(type_)
    # A page gives the instant in UTC; the zone is only how it is shown.
    return texts.cast(pa.timestamp(type_.unit, "UTC")).cast(type_)


def _structs(cells: list[Any], type_: pa.StructType) -> pa.Array:
    names = [field.name for field in type_]
    if any(cell is not None and cell.keys() != set(names) for cell in cells):
        raise UnexpectedAnswerError("A cell does not have the fields that its column's type names.")
    children = [decoded([None if cell is None else cell[field.name] for cell in cells], field.type) for field in type_]
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=absent)


def _lists(cells: list[Any], type_: pa.DataType) -> pa.Array:
    items = decoded([item for cell in cells if cell is not None for item in cell], type_.value_type)
    ends = list(accumulate((0 if cell is None else len(cell) for cell in cells), initial=0))
    large = kind.is_large_list(type_)
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    offsets = pa.array(ends, pa.int64() if large else pa.int32())
    make = pa.LargeListArray if large else pa.ListArray
    return make.from_arrays(offsets, items, type=type_, mask=absent)
