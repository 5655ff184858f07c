"""What a reading leaves with: a page of rows, or the series of a chart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from session_datasets.domain.profile import Column, JsonValue, Order


class PageFormat(StrEnum):
    """How the rows of a page travel."""

    # Arrays of cells, for whoever reads them.
    JSON = "json"
    # One Arrow IPC stream, for whoever computes with them.
    ARROW = "arrow"


class LimitHit(StrEnum):
    """Why a page ends before the dataset does."""

    ROWS = "rows"
    BYTES = "bytes"
    CELLS = "cells"


class Method(StrEnum):
    """How a series was made from its rows."""

    # Every row of the window.
    EXACT = "exact"
    # Smallest and largest of each bucket of equally many rows.
    MIN_MAX = "min_max"
    # Chosen rows of the window (Largest Triangle Three Buckets; M4: first, last, least, greatest of each bucket).
    LTTB = "lttb"
    M4 = "m4"


class Reduction(StrEnum):
    """What is asked to be done with a window of more rows than points."""

    # Smallest and largest of each bucket.
    AUTO = "auto"
    LTTB = "lttb"
    M4 = "m4"


@dataclass(frozen=True, slots=True)
class ReadCost:
    """What a reading took from storage."""

    s3_requests: int = 0
    bytes_read: int = 0


@dataclass(frozen=True, slots=True)
class ClippedCell:
    """A cell shortened to fit, by its place in ``rows``; ``characters`` is its full length."""

    row: int
    column: int
    characters: int


@dataclass(frozen=True, slots=True)
class Page:
    """Rows ``offset`` to ``offset + returned`` in the requested column order, in the form that was asked for.

    ``next_offset`` is None at the end of the dataset. ``rows``, of a JSON page: cells are JSON values under each
    column's ``encoding``. ``arrow``, of an Arrow page: one IPC stream whose fields have the columns' types.
    """

    columns: tuple[Column, ...]
    offset: int
    returned: int
    total: int
    limit_hit: LimitHit | None
    cost: ReadCost
    rows: list[list[JsonValue]] | None = None
    clipped: tuple[ClippedCell, ...] = ()
    arrow: bytes | None = None

    @property
    def next_offset(self) -> int | None:
        end = self.offset + self.returned
        return end if end < self.total else None


@dataclass(frozen=True, slots=True)
class SeriesColumn:
    """One plotted column over the rows that the series covers.

    EXACT fills ``values``, one for each row; MIN_MAX fills ``min`` and ``max``, one for each bucket; LTTB and M4 fill
    ``values`` of the chosen rows, ``rows`` with their numbers in the dataset and, where an axis was asked for, ``x``
    with its values there.

    ``missing`` counts the rows that are null or NaN; ``nulls`` and ``nans`` each of them, None where only their sum is
    known. ``gaps`` counts what can not be drawn: rows of EXACT, LTTB and M4, and buckets of MIN_MAX without any value.
    """

    column: Column
    missing: int
    gaps: int
    nulls: int | None
    nans: int | None
    values: list[JsonValue] | None = None
    min: list[JsonValue] | None = None
    max: list[JsonValue] | None = None
    rows: list[int] | None = None
    x: list[JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """The column that the others are drawn over. UNSORTED also where nothing is known of its order."""

    series: SeriesColumn
    order: Order


@dataclass(frozen=True, slots=True)
class Series:
    """Columns over the rows ``offset`` to ``offset + rows`` of the dataset, in row order, for a chart.

    With MIN_MAX, point ``i`` stands for ``bucket_rows`` rows from ``offset + i * bucket_rows`` on (the last one for
    the rest); the window that was asked for is widened to whole buckets. ``bucket_rows`` is 1 with every other method.
    """

    columns: tuple[SeriesColumn, ...]
    offset: int
    rows: int
    total: int
    method: Method
    bucket_rows: int
    cost: ReadCost
    axis: Axis | None = None
