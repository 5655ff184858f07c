"""Pages of rows, for the function that serves nothing else: what it imports needs pyarrow and no numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from session_datasets.domain.page import Page, PageFormat
from session_datasets.domain.profile import Layout
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.ranged_file import Reader
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.arrow_pages import read_arrow_page
from session_datasets.formats.reading.pages import read_page


class PagedTables:
    """Fulfils ``operations.ports.Tables`` as far as pages go. Keeps the directories of datasets it read."""

    def __init__(self) -> None:
        self._directories = Directories()

    def read_rows(
        self,
        reader: Reader,
        layout: Layout,
        *,
        offset: int,
        limit: int,
        columns: Sequence[str] | None,
        max_bytes: int,
        format: PageFormat = PageFormat.JSON,
    ) -> Page:
        """See ``Tables.read_rows``."""
        table = Segments(reader, layout, self._directories)
        read = read_arrow_page if format is PageFormat.ARROW else read_page
        return read(reader, table, offset=offset, limit=limit, columns=columns, max_bytes=max_bytes)

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name}: this function's bundle reads pages only")
