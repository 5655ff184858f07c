"""Files as tables, whole: the one object that operations hold."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from session_datasets.domain.limits import DECODED_BYTES_MAX, TABLE_BYTES_MAX, TABLE_COLUMNS_MAX
from session_datasets.domain.page import Page, Series
from session_datasets.domain.profile import Format, LaidOutTable, Layout, ReadingHints
from session_datasets.formats.detect import promised_format
from session_datasets.formats.directory import Directories
from session_datasets.formats.laying_out import Writer, lay_out
from session_datasets.formats.opening import Bounds, opened
from session_datasets.formats.pages import read_page
from session_datasets.formats.ranged_file import Reader
from session_datasets.formats.segments import Segments
from session_datasets.formats.series import read_series
from session_datasets.formats.stream import NoTable


class ArrowTables:
    """Fulfils ``operations.ports.Tables``. Keeps the directories of datasets it read; otherwise without state.

    ``temporary`` is the folder for working files (the system's when None); the bounds are those of
    ``domain.limits`` unless a test wants to reach them.
    """

    def __init__(
        self,
        temporary: Path | None = None,
        *,
        bytes_max: int = TABLE_BYTES_MAX,
        decoded_bytes_max: int = DECODED_BYTES_MAX,
        columns_max: int = TABLE_COLUMNS_MAX,
    ) -> None:
        self._temporary = temporary
        self._bounds = Bounds(bytes_max, decoded_bytes_max, columns_max)
        self._directories = Directories()

    def lay_out(self, file: Path, file_name: str, hints: ReadingHints, writer: Writer) -> LaidOutTable:
        """See ``Tables.lay_out``."""
        with tempfile.TemporaryDirectory(dir=self._temporary) as folder:
            try:
                with opened(file, promised_format(file_name), hints, self._bounds, Path(folder)) as stream:
                    return lay_out(stream, writer)
            except NoTable as answer:
                return LaidOutTable(Format.OTHER, note=answer.note)

    def read_rows(
        self, reader: Reader, layout: Layout, *, offset: int, limit: int, columns: Sequence[str] | None, max_bytes: int
    ) -> Page:
        """See ``Tables.read_rows``."""
        table = Segments(reader, layout, self._directories)
        return read_page(reader, table, offset=offset, limit=limit, columns=columns, max_bytes=max_bytes)

    def read_columns(
        self, reader: Reader, layout: Layout, *, columns: Sequence[str], offset: int, rows: int, max_points: int
    ) -> Series:
        """See ``Tables.read_columns``."""
        table = Segments(reader, layout, self._directories)
        return read_series(reader, table, columns=columns, offset=offset, rows=rows, max_points=max_points)
