"""What kind a type is, and what lies inside nested values.

Every function looks at the rows of its array alone. Some of Arrow's own accessors (``MapArray.keys``,
``ListArray.values``) answer for the whole batch that a slice was cut from.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.types as kind

from session_datasets.formats.values.kernels import call, cast, total


def is_nested(type_: pa.DataType) -> bool:
    return bool(kind.is_nested(type_))


def is_binary(type_: pa.DataType) -> bool:
    return bool(kind.is_binary(type_) or kind.is_large_binary(type_) or kind.is_fixed_size_binary(type_))


def is_text(type_: pa.DataType) -> bool:
    return bool(kind.is_string(type_) or kind.is_large_string(type_))


def type_in_words(type_: pa.DataType) -> str:
    """The type as Arrow spells it, without the names that Parquet gives to entries of maps and items of lists."""
    return str(_with_plain_maps(type_))


def _with_plain_maps(type_: pa.DataType) -> pa.DataType:
    if kind.is_map(type_):
        return pa.map_(_with_plain_maps(type_.key_type), _with_plain_maps(type_.item_type), type_.keys_sorted)
    if kind.is_struct(type_):
        return pa.struct([_with_plain_field(field) for field in type_])
    if kind.is_fixed_size_list(type_):
        return pa.list_(_with_plain_maps(type_.value_type), type_.list_size)
    if kind.is_large_list(type_):
        return pa.large_list(_with_plain_maps(type_.value_type))
    return pa.list_(_with_plain_maps(type_.value_type)) if kind.is_list(type_) else type_


def _with_plain_field(field: pa.Field) -> pa.Field:
    return field.with_type(_with_plain_maps(field.type))


def entries(maps: pa.MapArray) -> pa.ListArray:
    """Each map as the list of its entries, structs of a key and a value; nothing is copied."""
    pair = pa.struct([pa.field("key", maps.type.key_type, nullable=False), pa.field("value", maps.type.item_type)])
    return cast(maps, pa.list_(pair))


def children(values: pa.Array) -> list[pa.Array]:
    """The arrays one level down: the fields of structs, the items of lists, the keys and the values of maps."""
    if kind.is_struct(values.type):
        return list(values.flatten())
    if kind.is_map(values.type):
        return list(entries(values).flatten().flatten())
    return [values.flatten()] if is_nested(values.type) else []


def leaves(values: pa.Array) -> Iterator[pa.Array]:
    """The arrays at the bottom, ``values`` themselves if they are flat."""
    if not is_nested(values.type):
        yield values
    for child in children(values):
        yield from leaves(child)


def decoded_bytes(values: pa.Array) -> int:
    """Bytes of the values once every dictionary inside them is replaced by its values; at least one for each
    value on any level, be it a null or a truth value, which Arrow holds in less."""
    type_ = values.type
    if kind.is_dictionary(type_) and not _is_fixed_width(type_.value_type):
        lengths = call("take", _each_length(values.dictionary), values.indices)
        return total(lengths) + 4 * len(values)
    if _is_view(type_):  # any number of which may show the same bytes
        return total(_each_length(values)) + 4 * len(values)
    if is_nested(type_):
        own = len(values) if kind.is_struct(type_) else 4 * len(values)
        return own + sum(decoded_bytes(child) for child in children(values))
    return max(int(values.nbytes), len(values))


def item_count(values: pa.Array) -> int:
    """How many values lie inside nested ones, on all levels together."""
    return sum(len(child) + item_count(child) for child in children(values))


def text_bytes(values: pa.Array) -> int:
    """Bytes of the texts and binaries among the leaves."""
    return sum(_lengths(leaf) for leaf in leaves(values) if is_text(leaf.type) or is_binary(leaf.type))


def _lengths(texts: pa.Array) -> int:
    return total(call("binary_length", texts))


def _is_view(type_: pa.DataType) -> bool:
    return bool(kind.is_string_view(type_) or kind.is_binary_view(type_))


def _each_length(texts: pa.Array) -> pa.Array:
    """The bytes of each text. A view is four integers of 32 bits, the first of which is its length."""
    if not _is_view(texts.type):
        return call("binary_length", texts)
    integers = pa.Array.from_buffers(pa.int32(), 4 * (texts.offset + len(texts)), [None, texts.buffers()[1]])
    lengths = call("list_element", pa.FixedSizeListArray.from_arrays(integers, 4), pa.scalar(0)).slice(texts.offset)
    return call("if_else", call("is_valid", texts), lengths, pa.scalar(None, lengths.type))


def _is_fixed_width(type_: pa.DataType) -> bool:
    return bool(kind.is_primitive(type_) or kind.is_fixed_size_binary(type_))
