"""The wiring of read_rows, whose bundle opens no files: it imports pyarrow, so that SnapStart's image holds it."""

from __future__ import annotations

from functools import cache

from session_datasets.formats.reading.paging import PagedTables
from session_datasets.runtime.wiring import Wired, from_environment


@cache
def paging() -> Wired:
    return from_environment(PagedTables())
