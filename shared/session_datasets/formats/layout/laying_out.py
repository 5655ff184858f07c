"""Rows laid out: a stream of batches becomes the derived objects and the profile of a dataset, in one pass.

Segments, columns, pyramid and statistics are made of the same batches while they pass; nothing is read twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.limits import MIB, PREVIEW_ROWS, TABLE_HEADER_BYTES_MAX
from session_datasets.domain.profile import JsonValue, LaidOutTable, Profile, Role, Shape
from session_datasets.domain.quoting import on_one_line, quoted
from session_datasets.formats.layout.columns import ColumnsWriter
from session_datasets.formats.layout.directory import Directory, stored
from session_datasets.formats.layout.encodings import leaves_of
from session_datasets.formats.layout.in_order import InOrder
from session_datasets.formats.layout.pyramid import PyramidWriter
from session_datasets.formats.layout.ranged_file import Sink
from session_datasets.formats.layout.segments import LAYOUT_NAME, SegmentWriter
from session_datasets.formats.measure.measure import ColumnMeasure
from session_datasets.formats.measure.preview import preview
from session_datasets.formats.stream import NoTable, TableStream
from session_datasets.formats.values.row_sizes import require_small_rows

# Batches are joined up to here before anything is made of them: every step has a cost per batch.
_JOINED_ROWS = 65_536
_JOINED_BYTES = 8 * MIB


class Writer(Protocol):
    """Sinks of derived objects, as ``operations.ports.DerivedWriter`` states them."""

    def sink(self, role: Role) -> Sink: ...


def lay_out(stream: TableStream, derived: Writer, scratch: Path | None = None) -> LaidOutTable:
    """Writes the rows and measures them as they pass. NoTable for what can not be paged.

    ``scratch`` is the folder for working files; the system's temporary one when None.
    """
    _require_short_header(stream.schema)
    _require_types(stream.schema)
    with ExitStack() as stack:
        laying = _Laying(stream.schema, derived, scratch, stack)
        for batch in _joined(stream.batches):
            laying.see(batch)
        directory, parameters = laying.close()
    return LaidOutTable(
        format=stream.format,
        profile=_profile(stream, directory, laying),
        layout_name=LAYOUT_NAME,
        layout_parameters=parameters,
        note=" ".join(stream.remarks) or None,
    )


class _Laying:
    """Everything that is made of the batches as they pass."""

    def __init__(self, schema: pa.Schema, derived: Writer, scratch: Path | None, stack: ExitStack) -> None:
        self.rows = 0
        self.head: list[pa.RecordBatch] = []
        self.measures = [ColumnMeasure(type_) for type_ in schema.types]
        self._schema = schema
        self._derived = derived
        self._pyramid = stack.enter_context(PyramidWriter(schema, scratch))
        encoder = stack.enter_context(InOrder())
        self._rows_sink = derived.sink(Role.ROWS)
        self._segments = SegmentWriter(self._rows_sink, schema, encoder)
        self._columns = stack.enter_context(ColumnsWriter(lambda: derived.sink(Role.COLUMNS), schema, encoder))

    def see(self, batch: pa.RecordBatch) -> None:
        if self.rows < PREVIEW_ROWS and batch.num_rows:
            self.head.append(batch.slice(0, PREVIEW_ROWS))
        self.rows += batch.num_rows
        self._segments.write(batch)
        self._columns.write(batch, self._segments.encodings)
        self._pyramid.see(batch)
        for measure, values in zip(self.measures, batch.columns, strict=True):
            measure.see(values)

    def close(self) -> tuple[Directory, dict[str, JsonValue]]:
        """Writes what is left. Answers the directory and the layout's parameters."""
        self._segments.close()
        more = self._columns.close(self._segments.encodings)
        if self._pyramid.is_worth_it:
            more |= self._pyramid.write(self._derived.sink(Role.PYRAMID))
        more["encodings"] = [encoding.value for encoding in self._segments.encodings]
        rules = [measure.rules for measure in self.measures]
        directory = Directory.of(self._schema, rules, self._segments.segment_rows, self._segments.segment_bytes, more)
        return directory, {"rows": self.rows, **stored(directory, self._rows_sink)}


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches of some ten thousand, or of some megabytes. NoTable for a row that is too large."""
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        size += require_small_rows(batch)
        rows += batch.num_rows
        held.append(batch)
        if rows >= _JOINED_ROWS or size >= _JOINED_BYTES or not batch.num_columns:
            yield _one(held)
            held, rows, size = [], 0, 0
    if held:
        yield _one(held)


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    # Joining copies; and Arrow forgets the rows of batches without columns when it joins them.
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def _profile(stream: TableStream, directory: Directory, laying: _Laying) -> Profile:
    measures = laying.measures
    return Profile(
        shape=Shape(rows=laying.rows, columns=len(measures)),
        columns=directory.columns,
        statistics=tuple(
            replace(measure.statistics, rule=rule)
            for measure, rule in zip_longest(measures, stream.rules[: len(measures)])
        ),
        preview=preview(laying.head, [measure.rules for measure in measures]),
        reading=dict(stream.reading),
    )


def _require_short_header(schema: pa.Schema) -> None:
    size = json_bytes([[field.name, str(field.type)] for field in schema])
    if size > TABLE_HEADER_BYTES_MAX:
        raise NoTable(
            f"The names and types of the columns take {size:,} bytes; a page carries at most "
            f"{TABLE_HEADER_BYTES_MAX:,}. The file can be listed and loaded."
        )


def _require_types(schema: pa.Schema) -> None:
    try:
        leaves_of(schema)
    except pa.ArrowException:
        at_fault = next((field for field in schema if not _can_be_written(field)), None)
        which = "The columns are of types"
        if at_fault:
            which = f"Column {quoted(at_fault.name)} is {on_one_line(str(at_fault.type))}"
        raise NoTable(f"{which}, which can not be laid out as pages. The file can be listed and loaded.") from None


def _can_be_written(field: pa.Field) -> bool:
    try:
        leaves_of(pa.schema([field]))
    except pa.ArrowException:
        return False
    return True
