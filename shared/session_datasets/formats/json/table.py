"""JSON objects as a table: one pass decides the columns and puts rows aside, which get their final types then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from session_datasets.domain.profile import NO_HINTS, Format, ReadingHints
from session_datasets.formats.json.arrow_parser import Unfit, fitted
from session_datasets.formats.json.exact_parser import SURROGATE_REMARK, block_objects
from session_datasets.formats.json.first_pass import Column, FirstPass, Part
from session_datasets.formats.json.hints import HintedValues
from session_datasets.formats.json.split import block_again
from session_datasets.formats.json.types import JsonRule, JsonType
from session_datasets.formats.stream import TableStream, distinct_names, names_in_words
from session_datasets.formats.text.hints import require_known
from session_datasets.formats.text.spool import Spool
from session_datasets.formats.values.row_sizes import rows_without_columns

# What is told of columns, or leaves of them, that are kept as text.
_KEPT_AS_TEXT = {
    JsonRule.MIXED: "Values of several kinds are kept as JSON text",
    JsonRule.WIDE_INTEGERS: "Integers of more than 38 digits are kept as text, with all of them,",
    JsonRule.WIDE_FRACTIONS: "Numbers that no double holds exactly are kept as text, with all their digits,",
    JsonRule.DEEP: "Objects of too many keys, or values in too many levels, are kept as JSON text",
    JsonRule.NO_KEYS: "Objects without keys are kept as JSON text",
}


def open_json(
    file: Path, format_: Format, columns_max: int, folder: Path, hints: ReadingHints = NO_HINTS
) -> TableStream:
    """``file`` is UTF-8; rows wait in ``folder``. Raises NoTable beyond ``columns_max`` columns, Refusal when the file
    is damaged or does not fit the hints."""
    found = FirstPass(file, format_, columns_max, Spool(folder), hints)
    found.run()
    columns = found.columns()
    require_known(hints.types, columns)
    names, remarks = distinct_names(list(columns))
    named = list(zip(names, columns.values(), strict=True))
    remarks += _kept_as_text(named)
    if found.repaired:
        remarks.append(SURROGATE_REMARK)
    schema = pa.schema([pa.field(name, column.type) for name, column in named])
    rules = [str(column.rule) for column in columns.values()]
    return TableStream(format_, schema, _batches(found, columns, schema), remarks, rules)


def _kept_as_text(named: Sequence[tuple[str, Column]]) -> list[str]:
    """Remarks on the columns that are kept as text, a sentence for each reason."""
    reasons = [(name, column.kept_as_text) for name, column in named if isinstance(column, JsonType)]
    remarks = []
    for rule, words in _KEPT_AS_TEXT.items():
        if names := [name for name, rules in reasons if rule in rules]:
            remarks.append(f"{words} in {names_in_words(names)}.")
    return remarks


def _batches(found: FirstPass, columns: Mapping[str, Column], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with found.file.open("rb") as source:
        for part, batch in zip(found.parts, found.spool.read(), strict=True):
            yield _made(_put_aside(found, part, batch, columns, source), part.rows, schema)
    for number, objects in found.rest_batches():
        values = found.values(objects)
        none = [None] * len(objects)
        arrays = [_column(column, values.get(key, none), number) for key, column in columns.items()]
        yield _made(arrays, len(objects), schema)


def _put_aside(
    found: FirstPass, part: Part, batch: pa.RecordBatch, columns: Mapping[str, Column], source: BinaryIO
) -> list[pa.Array]:
    """Rows that were put aside, in the final types. Those that can not be made of the first ones are read again."""
    arrays, again = [], None
    for key, column in columns.items():
        if key not in part.types:
            arrays.append(pa.nulls(part.rows, column.type))
        elif isinstance(column, HintedValues):
            arrays.append(column.finished(batch.column(key)))
        else:
            try:
                arrays.append(fitted(batch.column(key), part.types[key], column))
            except Unfit:
                if again is None:
                    again = found.values(block_objects(block_again(source, part.span, found.format))[0])
                arrays.append(column.array(again[key]))
    return arrays


def _column(column: Column, values: list[Any], number: int) -> pa.Array:
    return column.see(values, number) if isinstance(column, HintedValues) else column.array(values)


def _made(arrays: list[pa.Array], rows: int, schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(arrays, schema=schema) if arrays else rows_without_columns(rows)
