"""What is known of the rows that were written: how many, the first of them, and the numbers of each column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_datasets.domain.limits import KIB
from session_datasets.materialize.cells import Cell, preview_cell
from session_datasets.materialize.json_texts import json_bytes
from session_datasets.materialize.statistics import Numbers

# However many rows are wished, the preview is no way around the budget of a context.
PREVIEW_BYTES_MAX = 16 * KIB


class Facts:
    """Takes rows one by one and keeps the first ``preview_rows`` of them, as far as 16 KiB of JSON go."""

    def __init__(self, columns: Sequence[str], preview_rows: int) -> None:
        self._columns = columns
        self._wanted = preview_rows
        self._left = PREVIEW_BYTES_MAX
        self._numbers = [Numbers() for _ in columns]
        self.rows = 0
        self.preview: list[dict[str, Any]] = []

    def add(self, row: Sequence[Cell]) -> None:
        self.rows += 1
        for numbers, cell in zip(self._numbers, row, strict=True):
            numbers.add(cell)
        if self._wanted:
            self._show(row)

    def _show(self, row: Sequence[Cell]) -> None:
        shown = {name: preview_cell(cell) for name, cell in zip(self._columns, row, strict=True)}
        size = json_bytes(shown)
        if size > self._left:
            self._wanted = 0
            return
        self._wanted -= 1
        self._left -= size
        self.preview.append(shown)

    def stats(self) -> dict[str, dict[str, Any]]:
        """By column, for those that hold a number."""
        found = ((name, numbers.to_stats()) for name, numbers in zip(self._columns, self._numbers, strict=True))
        return {name: stats for name, stats in found if stats is not None}
