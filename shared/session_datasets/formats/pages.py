"""One page: whole rows up to the asked number, a number of cells and a number of bytes; the first row always.

Bytes are those of the rows as JSON with every character beyond ASCII escaped, the longest form they may take on
their way. A row that is larger than the whole budget comes alone with its cells clipped: texts to fewer and fewer
characters, then null, and each named in ``clipped``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import CLIPPED_CELL_CHARACTERS, PAGE_CELLS_MAX
from session_datasets.domain.page import ClippedCell, LimitHit, Page
from session_datasets.domain.profile import JsonValue
from session_datasets.formats.cells import CellRules, encoded_rows
from session_datasets.formats.nested import is_binary, is_text
from session_datasets.formats.ranged_file import Reader
from session_datasets.formats.row_sizes import batch_text_bytes, rows_without_columns, small_slices
from session_datasets.formats.segments import Segments

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
    reader: Reader,
    table: Segments,
    *,
    offset: int,
    limit: int,
    columns: Sequence[str] | None,
    max_bytes: int,
    cells_max: int = PAGE_CELLS_MAX,
) -> Page:
    """Rows from ``offset``; see ``Tables.read_rows``."""
    places = table.directory.chosen(columns)
    wanted = min(limit, max(1, cells_max // max(1, len(places))))
    end = max(offset, min(offset + wanted, table.total))
    rules = [table.directory.rules[place] for place in places]
    rows, clipped, full = _within(_pieces(table, places, offset, end, max_bytes), rules, max_bytes)
    limit_hit = None
    if offset + len(rows) < table.total:
        limit_hit = LimitHit.BYTES if full else LimitHit.ROWS if wanted == limit else LimitHit.CELLS
    return Page(
        columns=tuple(table.directory.columns[place] for place in places),
        offset=offset,
        rows=rows,
        total=table.total,
        limit_hit=limit_hit,
        clipped=clipped,
        cost=reader.cost,
    )


def _pieces(table: Segments, places: Sequence[int], begin: int, end: int, max_bytes: int) -> Iterator[pa.RecordBatch]:
    """The rows in slices that are worth about one page each: what is not delivered need not be encoded."""
    if not places:
        yield rows_without_columns(end - begin)
        return
    for batch in table.read(places, begin, end):
        yield from small_slices(batch, max_bytes)


def _within(
    pieces: Iterator[pa.RecordBatch], rules: Sequence[CellRules], max_bytes: int
) -> tuple[list[Row], tuple[ClippedCell, ...], bool]:
    """As many rows as fit, the cells clipped to make the first one fit, and whether the budget ended the page."""
    kept: list[Row] = []
    used = _BRACKETS_BYTES
    for piece in pieces:
        if piece.num_rows == 1 and batch_text_bytes(piece) > max_bytes:
            # Its texts alone are too long: it is not made in full to find that out.
            return (kept, (), True) if kept else (*_alone(piece, rules, max_bytes), True)
        for at, row in enumerate(encoded_rows(piece, rules)):
            used += json_bytes(row) + (_COMMA_BYTES if kept else 0)
            if used <= max_bytes:
                kept.append(row)
            elif kept:
                return kept, (), True
            else:
                return *_alone(piece.slice(at, 1), rules, max_bytes), True
    return kept, (), False


def _alone(
    piece: pa.RecordBatch, rules: Sequence[CellRules], max_bytes: int
) -> tuple[list[Row], tuple[ClippedCell, ...]]:
    """A page of one row in at most ``max_bytes``, and its cells that are not whole."""
    row = encoded_rows(piece, rules, CLIPPED_CELL_CHARACTERS)[0]
    short = clip_row(row, max_bytes - _BRACKETS_BYTES)
    clipped = [place for place, (cell, now) in enumerate(zip(row, short, strict=True)) if now is not cell]
    return [short], tuple(ClippedCell(0, place, _characters(piece.column(place), rules[place])) for place in clipped)


def clip_row(row: Row, max_bytes: int) -> Row:
    """The row in at most ``max_bytes``. Refusal too-large if its cells would not even fit as nulls."""
    for characters in _CLIPPING_STEPS:
        short = [clip_cell(cell, characters) for cell in row]
        if json_bytes(short) <= max_bytes:
            return short
    short = [cell if json_bytes(cell) <= len("null") else None for cell in row]
    needed = json_bytes(short)
    if needed <= max_bytes:
        return short
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


def _characters(value: pa.Array, rules: CellRules) -> int:
    """Characters of one whole cell; a long text is counted where it lies."""
    if is_text(value.type):
        return int(pc.utf8_length(value)[0].as_py())
    if is_binary(value.type):
        return 4 * -(-int(pc.binary_length(value)[0].as_py()) // 3)
    cell = rules.encode(value)[0]
    return len(cell) if isinstance(cell, str) else len(json.dumps(cell, ensure_ascii=False))
