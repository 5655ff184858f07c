"""A table of a Parquet file, some rows at a time. A text that occurs often is spelled out only where there is room."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader
from typing import Any

from session_datasets.boundary.references.frames.parquet_pages import repeating_columns
from session_datasets.boundary.references.guards import OverBudget
from session_datasets.client.frames import required_pyarrow
from session_datasets.domain.limits import MIB

_ROWS_AT_ONCE = 32_768
# Far below the 2 GiB that the offsets of Arrow's texts reach.
_SPELLED_AT_ONCE = 256 * MIB


def unpacked(file: BufferedReader, bytes_max: int) -> Any:
    """The table. OverBudget above ``bytes_max``; ValueError, LookupError or Arrow's own for a file that is none."""
    pa = required_pyarrow()
    import pyarrow.parquet as parquet

    metadata = parquet.read_metadata(pa.PythonFile(file, mode="r"))
    repeating = repeating_columns(metadata, file, bytes_max)
    source = pa.PythonFile(file, mode="r")
    schema = parquet.ParquetFile(source, metadata=metadata).schema_arrow
    opened = parquet.ParquetFile(source, metadata=metadata, read_dictionary=repeating)
    tables, size = [schema.empty_table()], 0
    for batch in opened.iter_batches(_ROWS_AT_ONCE):
        for part, part_bytes in _parts(batch):
            if size + part_bytes > bytes_max:
                raise OverBudget
            tables.append(_spelled(part, schema))
            size += tables[-1].nbytes
            if size > bytes_max:
                raise OverBudget
    return pa.concat_tables(tables) if len(tables) > 1 else tables[0]


def _parts(batch: Any) -> Iterator[tuple[Any, int]]:
    """The rows of it, in parts that are not too large at once, with what their texts take when they are spelled."""
    size = sum(_text_bytes(each) for each in batch.columns)
    if size <= _SPELLED_AT_ONCE or batch.num_rows < 2:
        yield batch, size
        return
    half = batch.num_rows // 2
    yield from _parts(batch.slice(0, half))
    yield from _parts(batch.slice(half))


def _text_bytes(array: Any) -> int:
    pa = required_pyarrow()
    import pyarrow.compute as compute

    types = pa.types
    if types.is_dictionary(array.type):
        if not (types.is_string(array.type.value_type) or types.is_binary(array.type.value_type)):
            return 0
        lengths = compute.binary_length(array.dictionary).cast(pa.int64())
        return compute.sum(lengths.take(array.indices)).as_py() or 0
    if types.is_struct(array.type):
        return sum(_text_bytes(each) for each in array.flatten())
    if types.is_map(array.type):
        return sum(_text_bytes(each) for each in (array.keys, array.items))
    if types.is_nested(array.type):
        return _text_bytes(array.flatten())
    return 0


def _spelled(batch: Any, schema: Any) -> Any:
    pa = required_pyarrow()
    table = pa.Table.from_batches([batch])
    if table.schema.equals(schema):
        return table.replace_schema_metadata(schema.metadata)
    plain = pa.schema([each.with_type(_without_views(each.type)) for each in schema])
    return table.cast(plain).cast(schema)


def _without_views(kind: Any) -> Any:
    """A type that a dictionary is spelled out to: Arrow has no way from one to a view."""
    pa = required_pyarrow()
    types = pa.types
    if types.is_string_view(kind):
        return pa.string()
    if types.is_binary_view(kind):
        return pa.binary()
    if types.is_struct(kind):
        return pa.struct([each.with_type(_without_views(each.type)) for each in kind.fields])
    if types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_without_views(kind.value_type)))
    if types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_without_views(kind.value_type)))
    return kind
