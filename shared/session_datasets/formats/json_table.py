"""JSON records as a table: one pass decides the columns and their types, one makes the batches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.json_text import SURROGATE_REMARK, records
from session_datasets.formats.json_types import JsonType, Seen
from session_datasets.formats.row_sizes import rows_without_columns
from session_datasets.formats.stream import NoTable, TableStream, distinct_names, names_in_words

# A batch ends with the record that reaches either bound.
_BATCH_CHARACTERS = 4 * MIB
_BATCH_ROWS = 8_192


def open_json(file: Path, format_: Format, columns_max: int) -> TableStream:
    """``file`` is UTF-8. Raises NoTable beyond ``columns_max`` columns, Refusal when damaged."""
    types, repaired = _decide_types(file, format_, columns_max)
    names, remarks = distinct_names(list(types))
    as_text = [name for name, type_ in types.items() if type_.as_text]
    if as_text:
        remarks.append(f"Values of several kinds are kept as JSON text in {names_in_words(as_text)}.")
    if repaired:
        remarks.append(SURROGATE_REMARK)
    schema = pa.schema([pa.field(name, type_.type) for name, type_ in zip(names, types.values(), strict=True)])
    return TableStream(format_, schema, _batches(file, format_, types, schema), remarks)


def _decide_types(file: Path, format_: Format, columns_max: int) -> tuple[dict[str, JsonType], bool]:
    columns: dict[str, Seen] = {}
    repaired = False
    for record in records(file, format_):
        repaired = repaired or record.repaired
        for key, value in record.value.items():
            seen = columns.get(key)
            if seen is None:
                seen = columns[key] = Seen()
                if len(columns) > columns_max:
                    raise NoTable(
                        f"The objects of this file have more than {columns_max:,} different keys, too many columns "
                        "to be paged. It can be listed and loaded."
                    )
            seen.see(value)
    return {key: seen.decide() for key, seen in columns.items()}, repaired


def _batches(file: Path, format_: Format, types: dict[str, JsonType], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    rows: list[dict[str, Any]] = []
    characters = 0
    for record in records(file, format_):
        rows.append(record.value)
        characters += record.characters
        if characters >= _BATCH_CHARACTERS or len(rows) == _BATCH_ROWS:
            yield _batch(rows, types, schema)
            rows, characters = [], 0
    if rows:
        yield _batch(rows, types, schema)


def _batch(rows: list[dict[str, Any]], types: dict[str, JsonType], schema: pa.Schema) -> pa.RecordBatch:
    if not types:
        return rows_without_columns(len(rows))
    return pa.RecordBatch.from_arrays(
        [_column([row.get(key) for row in rows], type_) for key, type_ in types.items()], schema=schema
    )


def _column(values: list[Any], json_type: JsonType) -> pa.Array:
    if json_type.convert:
        values = [json_type.convert(value) for value in values]
    return pa.array(values, json_type.type)
