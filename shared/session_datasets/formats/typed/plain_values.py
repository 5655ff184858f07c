"""Values of every Arrow type as values of plain ones, all of them kept.

Dictionaries become their values, extension types their storage, views and run-end encoded values ordinary arrays, and
so do lists and bytes of a fixed size of 0.
Fields of a struct that share a name are told apart.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.formats.stream import Renamed, told_apart
from session_datasets.formats.values.nested import children, entries
from session_datasets.formats.values.times import spelled

_VIEW_BYTES = 16


def plain_type(type_: pa.DataType, renamed: list[Renamed]) -> pa.DataType:
    """The plain type that holds the same values. Fields of structs that had to change their name join ``renamed``."""
    if isinstance(type_, pa.BaseExtensionType):
        return plain_type(type_.storage_type, renamed)
    if kind.is_dictionary(type_) or kind.is_run_end_encoded(type_):
        return plain_type(type_.value_type, renamed)
    if kind.is_string_view(type_):
        return pa.string()
    if kind.is_binary_view(type_) or (kind.is_fixed_size_binary(type_) and not type_.byte_width):
        return pa.binary()
    if kind.is_struct(type_):
        names, changed = told_apart([field.name for field in type_], "field")
        renamed += changed
        types = [plain_type(field.type, renamed) for field in type_]
        return pa.struct([pa.field(name, plain) for name, plain in zip(names, types, strict=True)])
    if kind.is_map(type_):
        return pa.map_(plain_type(type_.key_type, renamed), plain_type(type_.item_type, renamed))
    if kind.is_fixed_size_list(type_) and type_.list_size:
        return pa.list_(plain_type(type_.value_type, renamed), type_.list_size)
    if kind.is_large_list(type_):
        return pa.large_list(plain_type(type_.value_type, renamed))
    if kind.is_nested(type_):  # lists, their views, and lists of a fixed size of 0, which Parquet does not have
        return pa.list_(plain_type(type_.value_type, renamed))
    return type_


def made_plain(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """The values as ``type_``, which ``plain_type`` gave for theirs; instants as ISO 8601, if it has texts there.

    Nested ones are built anew from their parts, by place: Arrow's own casts match the fields of structs by name,
    convert the items of all rows for a slice, and lose items after a null list view.
    """
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if kind.is_dictionary(values.type):
        plain = made_plain(values.dictionary, type_)
        values = pa.DictionaryArray.from_arrays(values.indices, plain).dictionary_decode()
    if values.type == type_:
        return values
    if kind.is_struct(type_):
        fields = [made_plain(child, field.type) for child, field in zip(children(values), type_, strict=True)]
        return pa.StructArray.from_arrays(fields, fields=list(type_), mask=values.is_null())
    if kind.is_map(type_):
        lists = entries(values)
        keys, items = lists.flatten().flatten()
        keys, items = made_plain(keys, type_.key_type), made_plain(items, type_.item_type)
        return pa.MapArray.from_arrays(_offsets(lists, pa.int32()), keys, items, type=type_, mask=values.is_null())
    if kind.is_fixed_size_list(type_):
        # A null has items as well, which flatten would leave out.
        items = values.values.slice(values.offset * type_.list_size, len(values) * type_.list_size)
        return pa.FixedSizeListArray.from_arrays(made_plain(items, type_.value_type), type=type_, mask=values.is_null())
    if kind.is_list(type_) or kind.is_large_list(type_):
        made, width = (pa.ListArray, pa.int32()) if kind.is_list(type_) else (pa.LargeListArray, pa.int64())
        items = made_plain(values.flatten(), type_.value_type)
        return made.from_arrays(_offsets(values, width), items, type=type_, mask=values.is_null())
    if kind.is_timestamp(values.type) and kind.is_string(type_):
        return pa.array(spelled(values), type_)
    if kind.is_string_view(values.type) or kind.is_binary_view(values.type):
        values = _with_empty_nulls(values)
    return values.cast(type_)


def _with_empty_nulls(views: pa.Array) -> pa.Array:
    """A null may point anywhere: validation passes over it, and Arrow's cast follows it out of its memory."""
    if not views.null_count:
        return views
    validity, places, *texts = views.buffers()
    own = pa.Array.from_buffers(pa.binary(_VIEW_BYTES), len(views), [validity, places], offset=views.offset)
    filled = own.fill_null(bytes(_VIEW_BYTES)).buffers()[1]
    return pa.Array.from_buffers(views.type, len(views), [views.is_valid().buffers()[1], filled, *texts])


def _offsets(lists: pa.Array, width: pa.DataType) -> pa.Array:
    """Where each list begins in its flattened items, and where the last one ends."""
    ends = pc.cumulative_sum(pc.fill_null(lists.value_lengths(), 0).cast(pa.int64()))
    return pa.concat_arrays([pa.array([0], pa.int64()), ends]).cast(width)
