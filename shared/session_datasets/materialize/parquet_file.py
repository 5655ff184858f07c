"""Parquet under a byte budget that is measured, not guessed.

Rows are gathered in batches, each of which will be a row group. Between two measurements an upper bound of what the
new rows can take is added up; when it reaches the budget, the batch with the next row is written to memory as it will
lie in the file and its bytes are counted. So the row that ends the writing is one that was seen not to fit. Of several
row groups the file holds the bytes of each and one footer, whose size is bounded by the sizes of theirs. Rows that
compress to nearly nothing keep far below their bound, so their batch would be measured for nearly each of them: when
it has been measured often enough, the next row begins a group of its own.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from session_datasets.client import frames
from session_datasets.domain.limits import MIB
from session_datasets.materialize.cells import Cell
from session_datasets.materialize.column_types import ColumnType
from session_datasets.materialize.groups import Group, Groups, Growing
from session_datasets.materialize.refusals import BudgetTooSmallError

Row = Sequence[Cell]

BATCH_ROWS = 32_768
BATCH_BYTES = 4 * MIB
# Rows that are measured of a batch, counted each time; a batch of 1,000 rows may be measured for every one.
MEASURED_ROWS_MAX = 16 * BATCH_ROWS
# The least and the greatest value of a column, in the heads of a page and of the group.
_COPIES_OF_A_VALUE = 4
# Bytes of a cell at the most: its value once, where it lies in a dictionary, its share of the heads of pages.
_BYTES_OF_A_CELL = 16
_BYTES_OF_A_DECIMAL = 48


class ParquetFile:
    """Gathers rows and writes them to ``path`` at the end, never more than ``max_bytes``. ``scratch`` holds them
    meanwhile; nobody else reads or writes it.

    MissingExtraError without pyarrow; BudgetTooSmallError when not even a file without rows fits.
    """

    def __init__(self, path: Path, scratch: BinaryIO, columns: Sequence[str], max_bytes: int | None) -> None:
        self._pa = frames.required_pyarrow()
        self._path = path
        self._columns = columns
        self._max_bytes = max_bytes
        self._types = [ColumnType() for _ in columns]
        self._keys = _keys(self._types)
        # Batches that are complete, as Python's values: a type that widens later changes none of them.
        self._scratch = scratch
        self._batches = 0
        self._aside: set[tuple[object, ...]] = set()
        self._groups = Groups(self._pa, columns)
        self._growing = Growing(self._pa, self._groups)
        self._measured = 0
        self._batch: list[Row] = []
        self._batch_bytes = 0
        self._longest = 0
        # What the whole file can take at the most.
        self._bound = self._groups.empty(self._types)
        if max_bytes is not None and self._bound > max_bytes:
            raise self._too_small(self._bound)

    def _too_small(self, size: int) -> BudgetTooSmallError:
        return BudgetTooSmallError(
            f"A Parquet file of these columns takes {size:,} bytes without any row, the budget is {self._max_bytes:,}; "
            "nothing was saved.",
            "Raise the budget, select fewer columns, or use fmt='csv', which is smaller for few rows.",
        )

    def add(self, row: Row) -> bool:
        """Whether the row was taken; False when the file with it would pass the budget."""
        types = [each.with_(cell) for each, cell in zip(self._types, row, strict=True)]
        keys = self._keys if types == self._types else _keys(types)
        size = self._bound_of(row)
        if self._max_bytes is not None:
            if self._measured > MEASURED_ROWS_MAX:
                self._put_aside()
            bound = self._bound + size
            # A group's own heads, and what a type that widens makes of the rows before, no bound foresees.
            if bound > self._max_bytes or keys != self._keys or not self._batch:
                bound = self._groups.with_one_more(self._measure(row, types))
                if bound > self._max_bytes:
                    return False
            self._bound = bound
        self._types, self._keys = types, keys
        self._take(row, size)
        return True

    def _measure(self, row: Row, types: Sequence[ColumnType]) -> Group:
        self._measured += len(self._batch) + 1
        return self._growing.with_(row, types, self._batch)

    def _bound_of(self, row: Row) -> int:
        """Bytes that the row can add to the file at the most."""
        size, longest = 0, 0
        for cell in row:
            if isinstance(cell, str | bytes):
                length = len(cell) if isinstance(cell, bytes) or cell.isascii() else 4 * len(cell)
                longest = max(longest, length)
                size += length
            size += _BYTES_OF_A_DECIMAL if isinstance(cell, Decimal) else _BYTES_OF_A_CELL
        if longest > self._longest:
            size += _COPIES_OF_A_VALUE * len(row) * (longest - self._longest)
            self._longest = longest
        return size

    def _take(self, row: Row, size: int) -> None:
        self._batch.append(row)
        self._batch_bytes += size
        if len(self._batch) >= BATCH_ROWS or self._batch_bytes >= BATCH_BYTES:
            self._put_aside()

    def _put_aside(self) -> None:
        if self._max_bytes is not None:
            self._groups.add(self._groups.group(self._types, self._batch))
            self._bound = self._groups.size
            self._aside.add(self._keys)
            self._longest = 0
        pickle.dump(self._batch, self._scratch)
        self._batches += 1
        self._batch, self._batch_bytes = [], 0
        self._growing, self._measured = Growing(self._pa, self._groups), 0

    def held(self, row: Row) -> Row:
        return row

    def finish(self) -> int:
        """Writes the file; how many rows it holds. Fewer than were taken when a type that widened late made what lay
        before it larger."""
        if self._max_bytes is None or self._aside <= {self._keys}:
            return self._write(self._all_batches())
        kept = Groups(self._pa, self._columns)
        if kept.empty(self._types) > self._max_bytes:
            raise self._too_small(kept.empty(self._types))
        return self._write(self._fitting(kept, self._max_bytes))

    def _write(self, batches: Iterator[list[Row]]) -> int:
        rows = 0
        with self._groups.writer(self._path, self._types) as write:
            for batch in batches:
                write(batch)
                rows += len(batch)
        return rows

    def _fitting(self, kept: Groups, max_bytes: int) -> Iterator[list[Row]]:
        """Of the batches, in the types that they have now, the beginning that fits."""
        for batch in self._all_batches():
            fits, fails = 0, len(batch) + 1
            middle = len(batch)
            while fails - fits > 1:
                if kept.with_one_more(kept.group(self._types, batch[:middle])) <= max_bytes:
                    fits = middle
                else:
                    fails = middle
                middle = (fits + fails) // 2
            if fits:
                kept.add(kept.group(self._types, batch[:fits]))
                yield batch[:fits]
            if fits < len(batch):
                return

    def _all_batches(self) -> Iterator[list[Row]]:
        self._scratch.seek(0)
        for _ in range(self._batches):
            yield pickle.load(self._scratch)
        if self._batch:
            yield self._batch

    def kept_rows(self) -> Iterator[Row]:
        """The rows that were taken, from the first one on."""
        for batch in self._all_batches():
            yield from batch

    @property
    def notes(self) -> list[str]:
        return [
            f"Column {name!r} holds {' and '.join(sorted(each.kinds))} and was written as text."
            for name, each in zip(self._columns, self._types, strict=True)
            if each.is_mixed
        ]


def _keys(types: Sequence[ColumnType]) -> tuple[object, ...]:
    return tuple(each.key for each in types)
