"""Files as tables, whole: the one object that operations hold."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import (
    DECODED_BYTES_MAX,
    PREVIEW_CELL_CHARACTERS,
    PREVIEW_ROWS,
    TABLE_BYTES_MAX,
    TABLE_COLUMNS_MAX,
    TABLE_HEADER_BYTES_MAX,
)
from session_datasets.domain.page import Page, Series
from session_datasets.domain.profile import Format, LaidOutTable, Layout, Preview, Profile, Shape
from session_datasets.formats.cells import CellRules, encoded_rows
from session_datasets.formats.csv_text import open_csv
from session_datasets.formats.detect import FORMAT_WORDS, Detected, detect, promised_format
from session_datasets.formats.json_table import open_json
from session_datasets.formats.measure import ColumnMeasure
from session_datasets.formats.pages import clip_cell, read_page
from session_datasets.formats.parquet_file import open_parquet
from session_datasets.formats.plain_text import gunzip, is_gzip, to_utf8
from session_datasets.formats.ranged_file import Ranges
from session_datasets.formats.row_groups import LAYOUT_NAME, Footer, Footers, RowGroups, RowGroupWriter
from session_datasets.formats.row_sizes import require_small_rows
from session_datasets.formats.series import read_series
from session_datasets.formats.stream import NoTable, TableStream, damaged


class ArrowTables:
    """Fulfils ``operations.ports.Tables``. Keeps the footers of datasets it read; otherwise without state.

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
        self._bytes_max = bytes_max
        self._decoded_bytes_max = decoded_bytes_max
        self._columns_max = columns_max
        self._footers = Footers()

    @contextmanager
    def lay_out(self, file: Path, file_name: str) -> Iterator[LaidOutTable]:
        """See ``Tables.lay_out``."""
        with tempfile.TemporaryDirectory(dir=self._temporary) as folder:
            try:
                table = self._laid_out(file, promised_format(file_name), Path(folder))
            except NoTable as answer:
                table = LaidOutTable(Format.OTHER, note=answer.note)
            yield table

    def read_rows(
        self, source: Ranges, layout: Layout, *, offset: int, limit: int, columns: Sequence[str] | None, max_bytes: int
    ) -> Page:
        """See ``Tables.read_rows``."""
        table = RowGroups(source, layout, self._footers)
        return read_page(source, table, offset=offset, limit=limit, columns=columns, max_bytes=max_bytes)

    def read_columns(
        self, source: Ranges, layout: Layout, *, columns: Sequence[str], offset: int, rows: int, max_points: int
    ) -> Series:
        """See ``Tables.read_columns``."""
        table = RowGroups(source, layout, self._footers)
        return read_series(source, table, columns=columns, offset=offset, rows=rows, max_points=max_points)

    def _laid_out(self, file: Path, promised: Format | None, folder: Path) -> LaidOutTable:
        size = file.stat().st_size
        if not size:
            raise Refusal(ProblemCode.EMPTY_FILE, "The file holds 0 bytes.")
        if size > self._bytes_max:
            raise NoTable(
                f"The file is larger than the {self._bytes_max:,} bytes that can be laid out as pages. "
                "It can be listed and loaded."
            )
        with _as_promised(promised):
            plain, found = self._detected(file, promised, folder)
            with _as_promised(promised, found.format):
                stream = self._stream(plain, found)
                if promised not in (None, found.format):
                    stream.remarks.insert(0, _misnamed(promised, found.format))
                _require_short_header(stream.schema)
                return _written(stream, folder / "rows.parquet")

    def _detected(self, file: Path, promised: Format | None, folder: Path) -> tuple[Path, Detected]:
        """The content, uncompressed and as UTF-8 if it is text, and what it is."""
        if is_gzip(file):
            plain = folder / "uncompressed"
            gunzip(file, plain, self._bytes_max)
            file = plain
        found = detect(file, promised)
        if found.encoding != "utf-8":
            plain = folder / "utf-8"
            to_utf8(file, found.encoding, plain, self._bytes_max)
            file = plain
        return file, found

    def _stream(self, file: Path, found: Detected) -> TableStream:
        if found.format is Format.PARQUET:
            return open_parquet(file, self._columns_max, self._decoded_bytes_max)
        if found.format is Format.CSV:
            return open_csv(file, found.delimiter, self._columns_max)
        return open_json(file, found.format, self._columns_max)


@contextmanager
def _as_promised(promised: Format | None, found: Format | None = None) -> Iterator[None]:
    """Damage is a Refusal where the name promised a table. Elsewhere it shows that there is none: NoTable, with what
    the content looked like (``found``) and what was wrong with it."""
    try:
        with _in_our_words():
            yield
    except Refusal as refusal:
        if promised is not None:
            raise
        seeming = f"It looks like {FORMAT_WORDS[found]} and can not be read as that: " if found else ""
        raise NoTable(
            f"{seeming}{refusal.problem.detail} It can be listed and loaded, but has no rows that can be paged."
        ) from refusal


@contextmanager
def _in_our_words() -> Iterator[None]:
    """What a parser raises is damage."""
    try:
        yield
    except RecursionError as error:
        raise damaged("A value of the file is nested too deeply.") from error
    except pa.ArrowException as error:
        raise damaged("The file can not be read as a table.") from error


def _require_short_header(schema: pa.Schema) -> None:
    size = json_bytes([[field.name, str(field.type)] for field in schema])
    if size > TABLE_HEADER_BYTES_MAX:
        raise NoTable(
            f"The names and types of the columns take {size:,} bytes; a page carries at most "
            f"{TABLE_HEADER_BYTES_MAX:,}. The file can be listed and loaded."
        )


def _misnamed(promised: Format | None, found: Format) -> str:
    announced = "" if promised is None else FORMAT_WORDS[promised]
    return f"The name announces {announced}; the content is {FORMAT_WORDS[found]} and was read as that."


def _written(stream: TableStream, rows_file: Path) -> LaidOutTable:
    """Writes the rows and measures them as they pass."""
    measures = [ColumnMeasure(type_) for type_ in stream.schema.types]
    writer = RowGroupWriter(rows_file, stream.schema)
    head: list[pa.RecordBatch] = []
    try:
        for batch in stream.batches:
            if len(head) < PREVIEW_ROWS and batch.num_rows:
                head.append(batch.slice(0, PREVIEW_ROWS))
            require_small_rows(batch)
            writer.write(batch)
            for measure, values in zip(measures, batch.columns, strict=True):
                measure.see(values)
        footer, parameters = writer.close([measure.rules for measure in measures])
    finally:
        writer.abandon()
    return LaidOutTable(
        format=stream.format,
        profile=_profile(footer, writer.rows, measures, head),
        rows_file=rows_file,
        layout_name=LAYOUT_NAME,
        layout_parameters=parameters,
        note=" ".join(stream.remarks) or None,
    )


def _profile(footer: Footer, rows: int, measures: Sequence[ColumnMeasure], head: Sequence[pa.RecordBatch]) -> Profile:
    return Profile(
        shape=Shape(rows=rows, columns=len(measures)),
        columns=footer.columns,
        statistics=tuple(measure.statistics for measure in measures),
        preview=_preview(head, [measure.rules for measure in measures]),
    )


def _preview(head: Sequence[pa.RecordBatch], rules: Sequence[CellRules]) -> Preview:
    cells = [row for batch in head for row in encoded_rows(batch, rules, PREVIEW_CELL_CHARACTERS)]
    cells = cells[:PREVIEW_ROWS]
    short = [tuple(clip_cell(cell, PREVIEW_CELL_CHARACTERS) for cell in row) for row in cells]
    clipped = any(
        now is not cell for row, cut in zip(cells, short, strict=True) for cell, now in zip(row, cut, strict=True)
    )
    return Preview(rows=tuple(short), clipped=clipped)
