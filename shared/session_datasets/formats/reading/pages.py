"""One page: whole rows up to the asked number, a number of cells and a number of bytes; the first row always.

Bytes are those of the rows as JSON with every character beyond ASCII escaped, the longest form they may take on
their way. A row that is larger than the whole budget comes alone with its cells clipped: texts to fewer and fewer
characters, then null, and each named in ``clipped``.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import CLIPPED_CELL_CHARACTERS, PAGE_CELLS_MAX
from session_datasets.domain.page import ClippedCell, LimitHit, Page
from session_datasets.domain.profile import JsonValue
from session_datasets.formats.layout.ranged_file import Reader
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.reading_ahead import batches_ahead
from session_datasets.formats.values.cell_sizes import (
    BRACKETS_BYTES,
    COMMA_BYTES,
    cells_bytes,
    plain_rows_bytes,
    row_overhead_bytes,
)
from session_datasets.formats.values.cells import CellRules, encoded_rows
from session_datasets.formats.values.kernels import call
from session_datasets.formats.values.nested import is_binary, is_nested, is_text
from session_datasets.formats.values.row_sizes import batch_text_bytes, rows_without_columns, small_slices

Row = list[JsonValue]

ELLIPSIS = "…"
# Cells longer than this are cut to it, one step after the other until the row fits.
_CLIPPING_STEPS = (CLIPPED_CELL_CHARACTERS, 40, 8, 1)
# Flat rows that take this part of the page's bytes in Arrow need no closer look before they are encoded.
_SLIGHT = 4
# Rows that are encoded before any size is known; their values are worth one page at the most.
_ROWS_AT_FIRST = 1_024


def spelled_bytes(value: JsonValue) -> int:
    """Bytes of JSON as Lambda's runtime spells it, with a space behind every comma and colon."""
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
    filling = _Filling([table.directory.rules[place] for place in places], max_bytes)
    for piece in _pieces(table, places, offset, end, max_bytes):
        if not filling.take(piece):
            break
    rows = filling.rows
    limit_hit = None
    if offset + len(rows) < table.total:
        limit_hit = LimitHit.BYTES if offset + len(rows) < end else LimitHit.ROWS if wanted == limit else LimitHit.CELLS
    return Page(
        columns=tuple(table.directory.columns[place] for place in places),
        offset=offset,
        returned=len(rows),
        total=table.total,
        limit_hit=limit_hit,
        cost=reader.cost,
        rows=rows,
        clipped=filling.clipped,
    )


def _pieces(table: Segments, places: Sequence[int], begin: int, end: int, max_bytes: int) -> Iterator[pa.RecordBatch]:
    """The rows in slices that are worth about one page each."""
    if not places:
        yield rows_without_columns(end - begin)
        return
    nested = any(is_nested(table.directory.rules[place].type) for place in places)
    for batch in batches_ahead(table, places, begin, end, max_bytes):
        if not nested and batch.nbytes <= max_bytes // _SLIGHT:
            yield batch
        else:
            yield from small_slices(batch, max_bytes)


class _Filling:
    """Rows of a page, as many as fit; only those that are likely to fit are encoded."""

    def __init__(self, rules: Sequence[CellRules], max_bytes: int) -> None:
        self.rows: list[Row] = []
        self.clipped: tuple[ClippedCell, ...] = ()
        self.full = False
        self._rules = rules
        self._types = [rule.type for rule in rules]
        self._max_bytes = max_bytes
        # Brackets around the rows; each row brings the comma behind it, and the last one has none.
        self._used = BRACKETS_BYTES - COMMA_BYTES
        self._overhead = row_overhead_bytes(len(rules))

    def take(self, piece: pa.RecordBatch) -> bool:
        """Adds the rows of ``piece`` that fit; False when that was not all of them."""
        at = 0
        while at < piece.num_rows and not self.full:
            count = min(self._likely(), piece.num_rows - at)
            self._take_encoded(piece if count == piece.num_rows else piece.slice(at, count))
            at += count
        return not self.full

    def _likely(self) -> int:
        """Rows that probably fit what is left, judged by those that are there already."""
        if not self.rows:
            return _ROWS_AT_FIRST
        return max(1, (self._max_bytes - self._used) * len(self.rows) // max(1, self._used))

    def _take_encoded(self, piece: pa.RecordBatch) -> None:
        if piece.num_rows == 1 and batch_text_bytes(piece) > self._max_bytes:
            # Its texts alone are too long: it is not made in full to find that out.
            self._end_with(piece)
            return
        cells = [rule.encode(values) for rule, values in zip(self._rules, piece.columns, strict=True)]
        rows: list[Row] = [[*row] for row in zip(*cells, strict=True)] if cells else [[] for _ in range(piece.num_rows)]
        fitting = self._fitting(rows, cells)
        self.rows += rows[:fitting] if fitting < len(rows) else rows
        if fitting < piece.num_rows:
            self._end_with(piece.slice(fitting, 1))

    def _fitting(self, rows: Sequence[Row], cells: Sequence[list[JsonValue]]) -> int:
        """How many of the rows, whose columns ``cells`` are, fit; they are counted as used."""
        left = self._max_bytes - self._used
        count = len(rows)

        def size(first: int) -> int:
            heads = cells if first == count else [column[:first] for column in cells]
            values = sum(cells_bytes(head, type_) for head, type_ in zip(heads, self._types, strict=True))
            return values + first * self._overhead

        whole = plain_rows_bytes(rows, self._types)
        whole = size(count) if whole is None else whole
        if whole <= left:
            self._used += whole
            return count
        fitting = bisect_right(range(1, count), left, key=size)
        self._used += size(fitting)
        return fitting

    def _end_with(self, row: pa.RecordBatch) -> None:
        """This row does not fit: it is left to the next page, unless it would be the first of this one."""
        self.full = True
        if not self.rows:
            self.rows, self.clipped = _alone(row, self._rules, self._max_bytes)


def _alone(
    piece: pa.RecordBatch, rules: Sequence[CellRules], max_bytes: int
) -> tuple[list[Row], tuple[ClippedCell, ...]]:
    """A page of one row in at most ``max_bytes``, and its cells that are not whole."""
    row = encoded_rows(piece, rules, CLIPPED_CELL_CHARACTERS)[0]
    short = clip_row(row, max_bytes - BRACKETS_BYTES)
    clipped = [place for place, (cell, now) in enumerate(zip(row, short, strict=True)) if now is not cell]
    return [short], tuple(ClippedCell(0, place, _characters(piece.column(place), rules[place])) for place in clipped)


def clip_row(row: Row, max_bytes: int) -> Row:
    """The row in at most ``max_bytes``. Refusal too-large if its cells would not even fit as nulls."""
    for characters in _CLIPPING_STEPS:
        short = [clip_cell(cell, characters) for cell in row]
        if spelled_bytes(short) <= max_bytes:
            return short
    short = [cell if spelled_bytes(cell) <= len("null") else None for cell in row]
    needed = spelled_bytes(short)
    if needed <= max_bytes:
        return short
    raise Refusal(
        ProblemCode.TOO_LARGE,
        f"One row of {len(row):,} columns does not fit the asked {max_bytes + BRACKETS_BYTES:,} bytes, however short "
        "its cells are cut.",
        advice=f"Name fewer columns, or allow at least {needed + BRACKETS_BYTES:,} bytes.",
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
        return int(call("utf8_length", value)[0].as_py())
    if is_binary(value.type):
        return 4 * -(-int(call("binary_length", value)[0].as_py()) // 3)
    cell = rules.encode(value)[0]
    return len(cell) if isinstance(cell, str) else len(json.dumps(cell, ensure_ascii=False))
