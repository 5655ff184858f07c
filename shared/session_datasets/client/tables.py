"""A dataset as an Arrow table, with exactly the types of its registered schema.

A Parquet file carries its types itself, so it is loaded and read. The types of a text format were decided by the
service, over all rows; no reader of the file would find the same ones, so its rows are fetched as pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as kind

from session_datasets.client.arrow_types import type_of
from session_datasets.client.cells import decoded
from session_datasets.wire.answers import ColumnPart, ReadRowsAnswer


def of_pages(pages: Iterable[ReadRowsAnswer]) -> pa.Table:
    """The rows of all pages (there is at least one)."""
    batches: list[pa.RecordBatch] = []
    schema: pa.Schema | None = None
    for page in pages:
        schema = schema or pa.schema([pa.field(column.name, type_of(column.type)) for column in page.columns])
        cells = [list(values) for values in zip(*page.rows, strict=True)] or [[] for _ in schema]
        arrays = [decoded(values, field.type) for values, field in zip(cells, schema, strict=True)]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema)


def of_parquet(path: Path, registered: Sequence[ColumnPart], columns: Sequence[str] | None) -> pa.Table:
    """``columns`` of the file, all when None, as ``registered`` names and types them, in its order of columns."""
    with pq.ParquetFile(path, arrow_extensions_enabled=False) as file:
        as_stored = file.schema_arrow.names
        # Names that occur twice in the file are told apart by the registration, in the file's order.
        plain = as_stored == [column.name for column in registered]
        table = file.read(columns=list(columns) if plain and columns is not None else None)
    if not plain:
        table = table.rename_columns([column.name for column in registered])
    by_name = {column.name: column for column in registered}
    wanted = list(columns) if columns is not None else [column.name for column in registered]
    arrays = [_as_registered(table[name], by_name[name].type) for name in wanted]
    return pa.Table.from_arrays(arrays, names=wanted)


def _as_registered(column: pa.ChunkedArray, spelled: str) -> pa.ChunkedArray:
    """Dictionaries, views and run-ends are ways to store values; the registered schema knows the values' type."""
    if kind.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], column.type.value_type)
    return column if str(column.type) == spelled else column.cast(type_of(spelled))
