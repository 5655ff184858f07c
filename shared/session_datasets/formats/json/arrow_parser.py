"""A block of objects of known types, read by Arrow's parser, if that is proved to lose nothing; and joined types.

Arrow's parser is many times faster than Python's, and more lenient: it takes texts for times, rounds numbers, spells
infinity in more ways. So it is told every type, may not meet a key that is new, and is not believed where a number
may have become another. Deep nesting, and null for an object, end its process: blocks hold objects only, and their
depth is known before. What is not proved is read again by the exact parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as arrow_json

from session_datasets.formats.json import exact_parser as json_text
from session_datasets.formats.json.alike_parser import read_alike
from session_datasets.formats.json.blocks import Block
from session_datasets.formats.json.numbers import (
    beyond_doubles,
    has_negative_zero,
    may_vanish,
    plain_constants,
    wide_integers,
)
from session_datasets.formats.json.types import DEPTH_MAX, JsonType, Kind, Seen

_INTEGERS = (Kind.INT64, Kind.UINT64)
_ASCII_MAX = 0x7F
_NEEDS_ESCAPES = r'[\x00-\x1f"\\]'


class Unfit(Exception):
    """Values of a type can not become values of another: something about them is not known any more."""


def readable(json_type: JsonType) -> JsonType | None:
    """As much of a type as Arrow's parser can read."""
    if json_type.item is not None:
        item = readable(json_type.item)
        return None if item is None else JsonType(Kind.LIST, item=item)
    if json_type.kind is Kind.STRUCT:
        fields = ((name, readable(field)) for name, field in json_type.fields)
        return JsonType(Kind.STRUCT, tuple((name, field) for name, field in fields if field is not None))
    return None if json_type.kind in (Kind.JSON, Kind.DECIMAL) else json_type


def read_fast(block: Block, types: Mapping[str, JsonType], seen: Mapping[str, Seen]) -> pa.RecordBatch | None:
    """The objects of ``block``, None unless it is certain that they have no other values, keys and types.

    ``types`` are ``readable``. The range of integers goes to ``seen``, which has all columns of ``types``.
    """
    if not types or block.outline.depth > DEPTH_MAX + 1 or not _short_utf8(block):
        return None
    if (alike := read_alike(block, types, seen)) is not None:
        return alike
    batch = _parsed(block, pa.schema([pa.field(name, type_.type) for name, type_ in types.items()]))
    if batch is None or len(batch) != len(block):
        return None
    leaves = [
        leaf
        for values, (name, type_) in zip(batch.columns, types.items(), strict=True)
        for leaf in _leaves(values, type_, seen[name])
    ]
    if not _numbers_kept(block, leaves):
        return None
    for values, _, column in leaves:
        if pa.types.is_integer(values.type) and (bounds := pc.min_max(values).as_py())["min"] is not None:
            column.see_range(bounds["min"], bounds["max"])
    return batch


def _short_utf8(block: Block) -> bool:
    if block.largest > json_text.RECORD_CHARACTERS_MAX:
        return False
    if block.text.max() <= _ASCII_MAX:
        return True
    try:
        return bool(str(block.text.data, "utf-8"))
    except UnicodeDecodeError:
        return False


def _parsed(block: Block, schema: pa.Schema) -> pa.RecordBatch | None:
    data = block.separated(b"\n")
    reading = arrow_json.ReadOptions(use_threads=False, block_size=len(data) + 1)
    parsing = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    try:
        table = arrow_json.read_json(pa.BufferReader(pa.py_buffer(data)), read_options=reading, parse_options=parsing)
    except pa.ArrowException:
        return None
    return table.combine_chunks().to_batches()[0]


Leaf = tuple[pa.Array, JsonType, Seen]


def _leaves(values: pa.Array, type_: JsonType, seen: Seen) -> Iterator[Leaf]:
    """The arrays of scalars that values consist of."""
    if type_.item is not None:
        yield from _leaves(values.flatten(), type_.item, seen.items)
    elif type_.kind is Kind.STRUCT:
        for field, (name, field_type) in zip(values.flatten(), type_.fields, strict=True):
            yield from _leaves(field, field_type, seen.field(name))
    else:
        yield values, type_, seen


def _numbers_kept(block: Block, leaves: list[Leaf]) -> bool:
    """Whether all numbers are what the text says: only those that became doubles may not be."""
    doubles = [values for values, type_, _ in leaves if type_.kind is Kind.DOUBLE and values.null_count < len(values)]
    if not doubles:
        return True
    wide = wide_integers(block)
    if wide is None or wide != sum(beyond_doubles(values) for values, type_, _ in leaves if type_.kind in _INTEGERS):
        return False
    zero = negative_zero = endless = False
    for values in doubles:
        numbers = values.drop_null().to_numpy()
        zeros = numbers == 0
        zero = zero or bool(zeros.any())
        negative_zero = negative_zero or bool((zeros & np.signbit(numbers)).any())
        endless = endless or not np.isfinite(numbers).all()
    return not (
        (zero and may_vanish(block))
        or (negative_zero and has_negative_zero(block))
        or (endless and not plain_constants(block))
    )


def fitted(values: pa.Array, was: JsonType, now: JsonType) -> pa.Array:
    """Values of type ``was`` as ``now``, which further values made of it. Raises Unfit."""
    if was == now:
        return values
    if values.null_count == len(values):
        return pa.nulls(len(values), now.type)
    if now.kind is Kind.STRUCT and was.kind is Kind.STRUCT:
        return _fitted_struct(values, was, now)
    if now.item is not None and was.item is not None:
        items = fitted(values.flatten(), was.item, now.item)
        ends = pc.cumulative_sum(pc.fill_null(values.value_lengths(), 0))
        offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends.cast(pa.int32())])
        return pa.ListArray.from_arrays(offsets, items, mask=values.is_null())
    if was.kind in _INTEGERS and now.kind in (Kind.UINT64, Kind.DECIMAL, Kind.DOUBLE):
        return values.cast(now.type)
    if now.kind is Kind.JSON and fits_json_text(was):
        return _quoted(values) if was.kind is Kind.STRING else values.cast(pa.string())
    raise Unfit


def fits_json_text(was: JsonType) -> bool:
    """Whether values of a type that were seen can still become the JSON that was read."""
    return was.kind in (Kind.STRING, Kind.BOOL, *_INTEGERS)


def _fitted_struct(values: pa.Array, was: JsonType, now: JsonType) -> pa.Array:
    parts = dict(zip((name for name, _ in was.fields), zip(values.flatten(), was.fields, strict=True), strict=True))
    fields = []
    for name, type_ in now.fields:
        if name in parts:
            part, (_, part_type) = parts[name]
            fields.append(fitted(part, part_type, type_))
        else:
            fields.append(pa.nulls(len(values), type_.type))
    return pa.StructArray.from_arrays(fields, fields=list(now.type), mask=values.is_null())


def _quoted(texts: pa.Array) -> pa.Array:
    """The JSON of texts."""
    if pc.any(pc.match_substring_regex(texts, _NEEDS_ESCAPES)).as_py():
        return pa.array([None if text is None else json_text.spelled(text) for text in texts.to_pylist()], pa.string())
    return pc.binary_join_element_wise('"', texts, '"', "")
