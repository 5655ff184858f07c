"""The first rows of a dataset for display: few, every long cell cut, and whether any was."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS, PREVIEW_ROWS
from session_datasets.domain.profile import Preview
from session_datasets.formats.reading.pages import clip_cell
from session_datasets.formats.values.cells import CellRules, encoded_rows


def preview(head: Sequence[pa.RecordBatch], rules: Sequence[CellRules]) -> Preview:
    """Up to PREVIEW_ROWS rows of the ``head``, batches that begin with the dataset's first row.

    A cell of more than PREVIEW_CELL_CHARACTERS ends with an ellipsis after them; an array or object as long becomes
    its JSON text first. No cell is spelled much further than it is shown.
    """
    rows: list[list[object]] = []
    for batch in head:
        rows += encoded_rows(batch.slice(0, PREVIEW_ROWS - len(rows)), rules, PREVIEW_CELL_CHARACTERS)
    short = [tuple(clip_cell(cell, PREVIEW_CELL_CHARACTERS) for cell in row) for row in rows]
    clipped = any(
        now is not cell for row, cut in zip(rows, short, strict=True) for cell, now in zip(row, cut, strict=True)
    )
    return Preview(rows=tuple(short), clipped=clipped)
