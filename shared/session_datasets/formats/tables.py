"""Files as tables, whole: the one object that operations hold."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from session_datasets.domain.limits import DECODED_BYTES_MAX, TABLE_BYTES_MAX, TABLE_COLUMNS_MAX
from session_datasets.domain.page import Reduction, Series
from session_datasets.domain.profile import Format, LaidOutTable, Layout, Order, ReadingHints
from session_datasets.formats.detect import promised_format
from session_datasets.formats.layout.columns import Footers
from session_datasets.formats.layout.laying_out import Writer, lay_out
from session_datasets.formats.layout.ranged_file import Reader
from session_datasets.formats.opening import Bounds, opened
from session_datasets.formats.reading.paging import PagedTables
from session_datasets.formats.reading.series import read_series
from session_datasets.formats.reading.series_source import SeriesSource
from session_datasets.formats.stream import NoTable, TableStream


class ArrowTables(PagedTables):
    """Fulfils ``operations.ports.Tables``. Keeps directories and footers of datasets it read.

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
        super().__init__()
        self._temporary = temporary
        self._footers = Footers()
        self._bounds = Bounds(bytes_max, decoded_bytes_max, columns_max)

    def lay_out(
        self,
        file: Path,
        file_name: str,
        hints: ReadingHints,
        writer: Writer,
        progress: Callable[[int], None] | None = None,
    ) -> LaidOutTable:
        """See ``Tables.lay_out``."""
        with tempfile.TemporaryDirectory(dir=self._temporary) as folder:
            try:
                with opened(file, promised_format(file_name), hints, self._bounds, Path(folder)) as stream:
                    return lay_out(_told(stream, progress) if progress else stream, writer, Path(folder))
            except NoTable as answer:
                return LaidOutTable(Format.OTHER, note=answer.note)

    def read_columns(
        self,
        reader: Reader,
        layout: Layout,
        *,
        columns: Sequence[str],
        offset: int,
        rows: int,
        max_points: int,
        reduction: Reduction = Reduction.AUTO,
        x: str | None = None,
        x_order: Order | None = None,
    ) -> Series:
        """See ``Tables.read_columns``."""
        return read_series(
            SeriesSource(reader, layout, self._directories, self._footers),
            columns=columns,
            offset=offset,
            rows=rows,
            max_points=max_points,
            reduction=reduction,
            x=x,
            x_order=x_order,
        )


def _told(stream: TableStream, progress: Callable[[int], None]) -> TableStream:
    """The same stream; ``progress`` hears of the rows that were taken from it."""

    def batches() -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in stream.batches:
            yield batch
            rows += batch.num_rows
            progress(rows)

    return replace(stream, batches=batches())
