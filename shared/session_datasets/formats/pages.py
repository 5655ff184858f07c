"""One page: whole rows up to the asked number, a number of cells and a number of bytes; the first row always.

Bytes are those of the rows as JSON with every character beyond ASCII escaped, the longest form they may take on
their way. A row that is larger than the whole budget comes alone with its cells clipped: texts to fewer and fewer
characters, then null, and each named in ``clipped``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import CLIPPED_CELL_CHARACTERS, PAGE_CELLS_MAX
from session_datasets.domain.page import ClippedCell, LimitHit, Page
from session_datasets.domain.profile import JsonValue
from session_datasets.formats.cells import encoded_rows
from session_datasets.formats.ranged_file import Ranges
from session_datasets.formats.row_groups import RowGroups

Row = list[JsonValue]

# "[" and "]" around all rows; ", " between two.
_BRACKETS_BYTES = 2
_COMMA_BYTES = 2
ELLIPSIS = "…"
# Cells longer than this are cut to it, one step after the other until the row fits.
_CLIPPING_STEPS = (CLIPPED_CELL_CHARACTERS, 40, 8, 1)


def json_bytes(value: JsonValue) -> int:
    return len(json.dumps(value))


def read_page(
    source: Ranges,
    table: RowGroups,
    *,
    offset: int,
    limit: int,
    columns: Sequence[str] | None,
    max_bytes: int,
    cells_max: int = PAGE_CELLS_MAX,
) -> Page:
    """Rows from ``offset``; see ``Tables.read_rows``."""
    places = table.chosen(columns)
    wanted = min(limit, max(1, cells_max // max(1, len(places))))
    end = max(offset, min(offset + wanted, table.total))
    rows, clipped, full = _within(_rows(table, places, offset, end, max_bytes), max_bytes)
    limit_hit = None
    if offset + len(rows) < table.total:
        limit_hit = LimitHit.BYTES if full else LimitHit.ROWS if wanted == limit else LimitHit.CELLS
    return Page(
        columns=tuple(table.column(place) for place in places),
        offset=offset,
        rows=rows,
        total=table.total,
        limit_hit=limit_hit,
        clipped=clipped,
        cost=source.cost,
    )


def _rows(table: RowGroups, places: Sequence[int], begin: int, end: int, max_bytes: int) -> Iterator[Row]:
    if not places:
        yield from ([] for _ in range(begin, end))
        return
    rules = [table.rules(place) for place in places]
    for batch in table.read(places, begin, end):
        for piece in _pieces(batch, max_bytes):
            yield from encoded_rows(piece, rules)


def _pieces(batch: pa.RecordBatch, max_bytes: int) -> Iterator[pa.RecordBatch]:
    """The batch in slices that are worth about one page each: what is not delivered need not be encoded."""
    rows = max(1, batch.num_rows * max_bytes // max(1, batch.nbytes))
    for begin in range(0, batch.num_rows, rows):
        yield batch.slice(begin, rows)


def _within(rows: Iterator[Row], max_bytes: int) -> tuple[list[Row], tuple[ClippedCell, ...], bool]:
    """As many rows as fit, the cells clipped to make the first one fit, and whether the budget ended the page."""
    kept: list[Row] = []
    used = _BRACKETS_BYTES
    for row in rows:
        used += json_bytes(row) + (_COMMA_BYTES if kept else 0)
        if used <= max_bytes:
            kept.append(row)
        elif kept:
            return kept, (), True
        else:
            short, clipped = clip_row(row, max_bytes - _BRACKETS_BYTES)
            return [short], clipped, True
    return kept, (), False


def clip_row(row: Row, max_bytes: int) -> tuple[Row, tuple[ClippedCell, ...]]:
    """The row in at most ``max_bytes``. Refusal too-large if its cells would not even fit as nulls."""
    for characters in _CLIPPING_STEPS:
        short = [clip_cell(cell, characters) for cell in row]
        if json_bytes(short) <= max_bytes:
            return short, _changed(row, short)
    short = [cell if json_bytes(cell) <= len("null") else None for cell in row]
    needed = json_bytes(short)
    if needed <= max_bytes:
        return short, _changed(row, short)
    raise Refusal(
        ProblemCode.TOO_LARGE,
        f"One row of {len(row):,} columns does not fit the asked {max_bytes + _BRACKETS_BYTES:,} bytes, however short "
        "its cells are cut.",
        advice=f"Name fewer columns, or allow at least {needed + _BRACKETS_BYTES:,} bytes.",
    )


def clip_cell(cell: JsonValue, characters: int) -> JsonValue:
    """A text, or the JSON text of an array or object, cut after ``characters`` if it is longer."""
    text = json.dumps(cell, ensure_ascii=False) if isinstance(cell, dict | list) else cell
    if not isinstance(text, str) or len(text) <= characters:
        return cell
    return text[:characters] + ELLIPSIS


def _changed(row: Row, short: Row) -> tuple[ClippedCell, ...]:
    return tuple(
        ClippedCell(row=0, column=place, characters=_characters(cell))
        for place, (cell, now) in enumerate(zip(row, short, strict=True))
        if now is not cell
    )


def _characters(cell: JsonValue) -> int:
    return len(cell) if isinstance(cell, str) else len(json.dumps(cell, ensure_ascii=False))
