"""Cells of a page back as an Arrow array, without loss: the other direction of what a page's encodings say."""

from __future__ import annotations

import base64
from decimal import Decimal
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.types as kind

from session_datasets.client.errors import UnexpectedAnswerError
from session_datasets.client.times import times


def decoded(cells: list[Any], type_: pa.DataType) -> pa.Array:
    """One value for each of ``cells``, of exactly ``type_``; the JSON forms say themselves which encoding they have."""
    if kind.is_struct(type_):
        return _structs(cells, type_)
    if kind.is_fixed_size_list(type_):
        return _fixed_lists(cells, type_)
    if kind.is_map(type_):
        return _maps(cells, type_)
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
    if kind.is_temporal(type_):
        return times(cells, type_)
    if kind.is_binary(type_) or kind.is_large_binary(type_) or kind.is_fixed_size_binary(type_):
        return pa.array([None if cell is None else base64.b64decode(cell) for cell in cells], type_)
    if kind.is_boolean(type_) or kind.is_string(type_) or kind.is_large_string(type_) or kind.is_null(type_):
        return pa.array(cells, type_)
    raise UnexpectedAnswerError(
        f"Cells of type {type_} are not read from pages by this SDK.", "Load the file with load_artifact."
    )


def _structs(cells: list[Any], type_: pa.StructType) -> pa.Array:
    names = [field.name for field in type_]
    if any(cell is not None and cell.keys() != set(names) for cell in cells):
        raise UnexpectedAnswerError("A cell does not have the fields that its column's type names.")
    children = [decoded([None if cell is None else cell[field.name] for cell in cells], field.type) for field in type_]
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    return pa.StructArray.from_arrays(children, fields=list(type_), mask=absent)


def _fixed_lists(cells: list[Any], type_: pa.FixedSizeListType) -> pa.Array:
    # A null has items as well: Arrow finds the others by counting.
    nothing = [None] * type_.list_size
    items = decoded([item for cell in cells for item in (nothing if cell is None else cell)], type_.value_type)
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    return pa.FixedSizeListArray.from_arrays(items, type=type_, mask=absent)


def _maps(cells: list[Any], type_: pa.MapType) -> pa.Array:
    pairs = [pair for cell in cells if cell is not None for pair in cell]
    keys = decoded([key for key, _ in pairs], type_.key_type)
    items = decoded([item for _, item in pairs], type_.item_type)
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    return pa.MapArray.from_arrays(_ends(cells, pa.int32()), keys, items, type=type_, mask=absent)


def _lists(cells: list[Any], type_: pa.DataType) -> pa.Array:
    items = decoded([item for cell in cells if cell is not None for item in cell], type_.value_type)
    large = kind.is_large_list(type_)
    absent = pa.array([cell is None for cell in cells], pa.bool_())
    make = pa.LargeListArray if large else pa.ListArray
    return make.from_arrays(_ends(cells, pa.int64() if large else pa.int32()), items, type=type_, mask=absent)


def _ends(cells: list[Any], width: pa.DataType) -> pa.Array:
    """Where each cell's items begin among those of all cells, and where the last ones end."""
    return pa.array(accumulate((0 if cell is None else len(cell) for cell in cells), initial=0), width)
