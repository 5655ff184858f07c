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
from session_datasets.domain.profile import LaidOutTable, Layout, Profile
from session_datasets.formats.tables import ArrowTables
from tests.support.ranges import MemoryRanges


@dataclass
class LaidOut:
    """A dataset whose rows object lies in memory."""

    tables: ArrowTables
    table: LaidOutTable
    source: MemoryRanges
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
            self.source, self.layout, offset=offset, limit=limit, columns=columns, max_bytes=max_bytes
        )

    @property
    def rows(self) -> list[list[Any]]:
        return self.page().rows

    def column(self, name: str) -> list[Any]:
        return [row[0] for row in self.page(columns=[name]).rows]

    def series(
        self, columns: Sequence[str], offset: int = 0, rows: int = 10**9, max_points: int = SERIES_POINTS_MAX
    ) -> Series:
        return self.tables.read_columns(
            self.source, self.layout, columns=columns, offset=offset, rows=rows, max_points=max_points
        )


def understood(data: bytes, name: str = "rows.csv", **bounds: int) -> LaidOutTable:
    """What ``lay_out`` answers; its temporary files are gone."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "original"
        file.write_bytes(data)
        with ArrowTables(**bounds).lay_out(file, name) as table:
            return table


def laid_out(data: bytes | str, name: str = "rows.csv", **bounds: int) -> LaidOut:
    """The dataset made from a file with these bytes and this name."""
    tables = ArrowTables(**bounds)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "original"
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        with tables.lay_out(file, name) as table:
            assert table.rows_file is not None, table.note
            assert table.layout_name is not None
            source = MemoryRanges.of(table.rows_file)
            layout = Layout(table.layout_name, "rows", "1", source.size, table.layout_parameters)
    return LaidOut(tables, table, source, layout)


def problem_of(data: bytes | str, name: str = "rows.csv", **bounds: int) -> Problem:
    """The problem that laying out these bytes is refused with."""
    try:
        understood(data.encode() if isinstance(data, str) else data, name, **bounds)
    except Refusal as refusal:
        return refusal.problem
    raise AssertionError("the file was not refused")
