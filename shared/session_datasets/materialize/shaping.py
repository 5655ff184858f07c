"""Rows as they come from anywhere, as cells in the order of the columns; what had to be changed is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from session_datasets.feedback.words import name_of
from session_datasets.materialize.cells import Cell, cell_of, clean
from session_datasets.materialize.json_texts import NoJsonError
from session_datasets.materialize.refusals import UnwritableRowError


class Shaping:
    """Makes rows of ``columns``. Cells that lack at a row's end are nulls; more cells than columns are refused."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        self._rows = 0
        self._padded = 0
        self._cleaned = 0

    def cells(self, row: Any) -> list[Cell]:
        """UnwritableRowError for what is no row of these columns."""
        self._rows += 1
        given = self._sequence(row)
        width = len(self._columns)
        if len(given) > width:
            raise UnwritableRowError(
                f"Row {self._rows:,} has {len(given):,} cells for {width:,} columns; nothing was saved.",
                "Name every column that the rows have.",
                self._rows,
            )
        if len(given) < width:
            self._padded += 1
        cells = [self._cell(value, name) for value, name in zip(given, self._columns, strict=False)]
        return cells + [None] * (width - len(cells))

    def _sequence(self, row: Any) -> Sequence[Any]:
        try:
            if _is_sequence(row):
                return row if type(row) in (list, tuple) else tuple(row)
        except Exception as error:
            raise UnwritableRowError(
                f"Row {self._rows:,} is a {type(row).__name__} whose cells can not be had "
                f"({name_of(error)}); nothing was saved.",
                "Yield a tuple or a list for each row, in the order of the columns.",
                self._rows,
            ) from error
        raise UnwritableRowError(
            f"Row {self._rows:,} is a {type(row).__name__}, not a sequence of cells; nothing was saved.",
            "Yield a tuple or a list for each row, in the order of the columns.",
            self._rows,
        )

    def _cell(self, value: Any, column: str) -> Cell:
        try:
            cell = cell_of(value)
        except NoJsonError as error:
            raise self._unwritable(column, str(error)) from None
        except Exception as error:
            reason = f"a {type(value).__name__} whose value can not be had ({name_of(error)})"
            raise self._unwritable(column, reason) from error
        if isinstance(cell, str):
            cell, changed = clean(cell)
            self._cleaned += changed
        return cell

    def _unwritable(self, column: str, reason: str) -> UnwritableRowError:
        return UnwritableRowError(
            f"Row {self._rows:,}, column {column!r}: {reason}; nothing was saved.",
            "Convert the value to a text or a number in the query or before the row is yielded.",
            self._rows,
        )

    @property
    def notes(self) -> list[str]:
        notes = []
        if self._padded:
            notes.append(f"{self._padded:,} rows had fewer cells than columns; the missing ones are null.")
        if self._cleaned:
            notes.append(f"{self._cleaned:,} cells had characters that are no Unicode text; each is U+FFFD now.")
        return notes


def _is_sequence(row: Any) -> bool:
    # Going through a text gives characters, through a mapping its keys, through a set any order.
    return not isinstance(row, str | bytes | bytearray | Mapping | set | frozenset) and hasattr(row, "__iter__")
