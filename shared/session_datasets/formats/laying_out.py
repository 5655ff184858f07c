"""Rows laid out: a stream of batches becomes the derived objects and the profile of a dataset, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Protocol

import pyarrow as pa

from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS, PREVIEW_ROWS, TABLE_HEADER_BYTES_MAX
from session_datasets.domain.profile import LaidOutTable, Preview, Profile, Role, Shape
from session_datasets.formats.cells import CellRules, encoded_rows
from session_datasets.formats.directory import Directory
from session_datasets.formats.measure import ColumnMeasure
from session_datasets.formats.pages import clip_cell
from session_datasets.formats.row_sizes import require_small_rows
from session_datasets.formats.segments import LAYOUT_NAME, SegmentWriter, Sink
from session_datasets.formats.stream import NoTable, TableStream


class Writer(Protocol):
    """Sinks of derived objects, as ``operations.ports.DerivedWriter`` states them."""

    def sink(self, role: Role) -> Sink: ...


def lay_out(stream: TableStream, derived: Writer) -> LaidOutTable:
    """Writes the rows and measures them as they pass. NoTable for what can not be paged."""
    _require_short_header(stream.schema)
    measures = [ColumnMeasure(type_) for type_ in stream.schema.types]
    writer = SegmentWriter(derived.sink(Role.ROWS), stream.schema)
    head: list[pa.RecordBatch] = []
    for batch in stream.batches:
        if len(head) < PREVIEW_ROWS and batch.num_rows:
            head.append(batch.slice(0, PREVIEW_ROWS))
        require_small_rows(batch)
        writer.write(batch)
        for measure, values in zip(measures, batch.columns, strict=True):
            measure.see(values)
    directory, parameters = writer.close([measure.rules for measure in measures])
    return LaidOutTable(
        format=stream.format,
        profile=_profile(stream, directory, writer.rows, measures, head),
        layout_name=LAYOUT_NAME,
        layout_parameters=parameters,
        note=" ".join(stream.remarks) or None,
    )


def _profile(
    stream: TableStream,
    directory: Directory,
    rows: int,
    measures: Sequence[ColumnMeasure],
    head: Sequence[pa.RecordBatch],
) -> Profile:
    return Profile(
        shape=Shape(rows=rows, columns=len(measures)),
        columns=directory.columns,
        statistics=tuple(
            replace(measure.statistics, rule=rule)
            for measure, rule in zip_longest(measures, stream.rules[: len(measures)])
        ),
        preview=_preview(head, [measure.rules for measure in measures]),
        reading=dict(stream.reading),
    )


def _preview(head: Sequence[pa.RecordBatch], rules: Sequence[CellRules]) -> Preview:
    cells = [row for batch in head for row in encoded_rows(batch, rules, PREVIEW_CELL_CHARACTERS)]
    cells = cells[:PREVIEW_ROWS]
    short = [tuple(clip_cell(cell, PREVIEW_CELL_CHARACTERS) for cell in row) for row in cells]
    clipped = any(
        now is not cell for row, cut in zip(cells, short, strict=True) for cell, now in zip(row, cut, strict=True)
    )
    return Preview(rows=tuple(short), clipped=clipped)


def _require_short_header(schema: pa.Schema) -> None:
    size = json_bytes([[field.name, str(field.type)] for field in schema])
    if size > TABLE_HEADER_BYTES_MAX:
        raise NoTable(
            f"The names and types of the columns take {size:,} bytes; a page carries at most "
            f"{TABLE_HEADER_BYTES_MAX:,}. The file can be listed and loaded."
        )
