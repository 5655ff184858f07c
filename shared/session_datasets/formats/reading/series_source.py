"""Where the rows of a chart come from: segments for short windows, the columns' own file for long ones, the pyramid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import SERIES_ROWS_MAX
from session_datasets.domain.profile import Layout
from session_datasets.formats.layout.columns import COLUMNS_ROWS_MIN, Columns, Footers
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.pyramid import BUCKET_ROWS, PYRAMID_ROWS_MIN, Pyramid, Window
from session_datasets.formats.layout.ranged_file import Reader
from session_datasets.formats.layout.segments import Segments


class SeriesSource:
    """The rows of one laid-out dataset, as charts read them."""

    def __init__(self, reader: Reader, layout: Layout, directories: Directories, footers: Footers) -> None:
        self.reader = reader
        self._layout = layout
        self._segments = Segments(reader, layout, directories)
        self._footers = footers
        self.directory = self._segments.directory
        self.total = self._segments.total
        self._pyramid = Pyramid.of(self.directory)

    def read(self, places: Sequence[int], begin: int, end: int) -> Iterator[pa.RecordBatch]:
        """The rows in order, columns as asked (each once). Refusal too-large for more rows than a call reads."""
        if end - begin > SERIES_ROWS_MAX:
            raise _too_many_rows(begin, end)
        if end - begin > COLUMNS_ROWS_MIN and Columns.there(self.directory):
            columns = Columns(self.reader, self._layout, self.directory, self._footers)
            return columns.read(places, begin, end)
        return self._segments.read(places, begin, end)

    def from_pyramid(self, places: Sequence[int], rows: int, buckets_max: int) -> list[int]:
        """The places whose buckets the pyramid has, if it has enough of them for a window of so many rows."""
        if rows < PYRAMID_ROWS_MIN or rows < BUCKET_ROWS * buckets_max // 2:
            return []
        return [place for place in places if self._pyramid.covers(place)]

    def extremes(self, places: Sequence[int], offset: int, rows: int, buckets_max: int) -> Window:
        """Of columns that ``from_pyramid`` named: one request for each."""
        return self._pyramid.window(self.reader, places, offset, rows, buckets_max)


def _too_many_rows(begin: int, end: int) -> Refusal:
    return Refusal(
        ProblemCode.TOO_LARGE,
        f"The window has {end - begin:,} rows to be read; one call reads at most {SERIES_ROWS_MAX:,}. "
        "Nothing was answered.",
        advice="Ask for a narrower window with offset and rows.",
        retry_with={"offset": begin, "rows": SERIES_ROWS_MAX},
    )
