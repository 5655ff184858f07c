"""Lays bytes out as the registration does, and reads them back through counted ranges."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from session_datasets.domain.errors import Problem, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX, PAGE_ROWS_MAX, SERIES_POINTS_MAX
from session_datasets.domain.page import Page, Series
from session_datasets.domain.profile import NO_HINTS, LaidOutTable, Layout, Profile, ReadingHints
from session_datasets.formats.tables import ArrowTables
from tests.support.ranges import MemoryReader, MemoryWriter


@dataclass
class LaidOut:
    """A dataset whose derived objects lie in memory."""

    tables: ArrowTables
    table: LaidOutTable
    reader: MemoryReader
    layout: Layout

    @property
    def profile(self) -> Profile:
        assert self.table.profile is not None
        return self.table.profile

    @property
    def types(self) -> dict[str, str]:
        return {column.name: column.type for column in self.profile.columns}

    def page(
        self,
        offset: int = 0,
        limit: int = PAGE_ROWS_MAX,
        columns: Sequence[str] | None = None,
        max_bytes: int = PAGE_BYTES_MAX,
    ) -> Page:
        return self.tables.read_rows(
            self.reader, self.layout, offset=offset, limit=limit, columns=columns, max_bytes=max_bytes
        )

    @property
    def rows(self) -> list[list[Any]]:
        return self.page().rows

    def column(self, name: str) -> list[Any]:
        return [row[0] for row in self.page(columns=[name]).rows]

    def series(
        self,
        columns: Sequence[str],
        offset: int = 0,
        rows: int = 10**9,
        max_points: int = SERIES_POINTS_MAX,
        **more: Any,
    ) -> Series:
        return self.tables.read_columns(
            self.reader, self.layout, columns=columns, offset=offset, rows=rows, max_points=max_points, **more
        )


def understood(data: bytes, name: str = "rows.csv", hints: ReadingHints = NO_HINTS, **bounds: int) -> LaidOutTable:
    """What ``lay_out`` answers of a file with these bytes and this name."""
    return _written(ArrowTables(**bounds), data, name, hints)[0]


def laid_out(data: bytes | str, name: str = "rows.csv", hints: ReadingHints = NO_HINTS, **bounds: int) -> LaidOut:
    """The dataset made from a file with these bytes and this name."""
    tables = ArrowTables(**bounds)
    table, writer = _written(tables, data.encode() if isinstance(data, str) else data, name, hints)
    assert table.layout_name is not None, table.note
    layout = Layout(table.layout_name, writer.commit(), table.layout_parameters)
    return LaidOut(tables, table, writer.reader(), layout)


def _written(tables: ArrowTables, data: bytes, name: str, hints: ReadingHints) -> tuple[LaidOutTable, MemoryWriter]:
    writer = MemoryWriter()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "original"
        file.write_bytes(data)
        return tables.lay_out(file, name, hints, writer), writer


def problem_of(data: bytes | str, name: str = "rows.csv", hints: ReadingHints = NO_HINTS, **bounds: int) -> Problem:
    """The problem that laying out these bytes is refused with."""
    try:
        understood(data.encode() if isinstance(data, str) else data, name, hints, **bounds)
    except Refusal as refusal:
        return refusal.problem
    raise AssertionError("the file was not refused")
