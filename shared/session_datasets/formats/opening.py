"""A file as a stream of rows: uncompressed, decoded, detected, and opened by the reader of its format.

Damage is a Refusal where the file's name promised a table; elsewhere it shows that there is none (NoTable).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.profile import NO_HINTS, Format, ReadingHints
from session_datasets.formats.csv.table import CsvFile, open_csv
from session_datasets.formats.detect import BINARY_FORMATS, FORMAT_WORDS, Detected, detect
from session_datasets.formats.json.table import open_json
from session_datasets.formats.stream import NoTable, TableStream, damaged, names_in_words
from session_datasets.formats.text.compression import compression, uncompress
from session_datasets.formats.text.plain_text import single_byte_encoding, to_utf8
from session_datasets.formats.typed.arrow_file import open_arrow
from session_datasets.formats.typed.contained import contained
from session_datasets.formats.typed.parquet_file import open_parquet


@dataclass(frozen=True, slots=True)
class Bounds:
    """``bytes_max``: of the file and of its uncompressed text; ``decoded_bytes_max``: of all rows of a binary file."""

    bytes_max: int
    decoded_bytes_max: int
    columns_max: int


_HINTS_USED = {
    Format.CSV: ("types", "nulls", "delimiter", "encoding"),
    Format.JSON: ("types", "nulls", "encoding"),
    Format.JSON_LINES: ("types", "nulls", "encoding"),
    Format.EXCEL: ("types", "nulls", "sheet"),
}


@contextmanager
def opened(
    file: Path, promised: Format | None, hints: ReadingHints, bounds: Bounds, folder: Path
) -> Iterator[TableStream]:
    """The rows of ``file``; working files go to ``folder``. What goes wrong while they are read is told as here."""
    size = file.stat().st_size
    if not size:
        raise Refusal(ProblemCode.EMPTY_FILE, "The file holds 0 bytes.")
    if size > bounds.bytes_max:
        raise NoTable(
            f"The file is larger than the {bounds.bytes_max:,} bytes that can be laid out as pages. "
            "It can be listed and loaded."
        )
    with _as_promised(promised, hints):
        plain, packed = _uncompressed(file, bounds, folder)
        found = detect(plain, promised, hints)
        if packed and found.format in BINARY_FORMATS:
            raise NoTable(
                f"This is {FORMAT_WORDS[found.format]} inside a {packed} file, which can be listed and loaded, but has "
                "no rows that can be paged. Upload it as it is: it needs no compression around it."
            )
        with _as_promised(promised, hints, found.format), _stream(plain, found, hints, bounds, folder) as stream:
            if unused := _unused_hints(found.format, hints):
                stream.remarks.append(unused)
            if packed:
                stream.reading["compression"] = packed
            if promised not in (None, found.format):
                stream.remarks.insert(0, _misnamed(promised, found.format))
            yield stream


def _uncompressed(file: Path, bounds: Bounds, folder: Path) -> tuple[Path, str | None]:
    """The content, and how it was compressed."""
    packed = compression(file)
    if packed is None:
        return file, None
    plain = folder / "uncompressed"
    uncompress(file, packed, plain, bounds.bytes_max)
    return plain, packed


@contextmanager
def _stream(file: Path, found: Detected, hints: ReadingHints, bounds: Bounds, folder: Path) -> Iterator[TableStream]:
    """Binary formats are read in a process of their own, whose end ends nothing else."""
    if found.format in BINARY_FORMATS:
        what = f"the content, {FORMAT_WORDS[found.format]},"
        with contained(lambda: _binary_stream(file, found.format, hints, bounds), what) as stream:
            yield stream
    else:
        yield _text_stream(file, found, hints, bounds, folder)


def _binary_stream(file: Path, format_: Format, hints: ReadingHints, bounds: Bounds) -> TableStream:
    # Their libraries take a while to import, and only registrations of their formats need them.
    if format_ is Format.EXCEL:
        from session_datasets.formats.typed.workbook import open_workbook

        return open_workbook(file, hints, bounds.columns_max, bounds.bytes_max, bounds.decoded_bytes_max)
    if format_ is Format.NPY:
        from session_datasets.formats.typed.npy_file import open_npy

        return open_npy(file, bounds.columns_max, bounds.decoded_bytes_max)
    open_typed = open_parquet if format_ is Format.PARQUET else open_arrow
    return open_typed(file, bounds.columns_max, bounds.decoded_bytes_max)


def _text_stream(file: Path, found: Detected, hints: ReadingHints, bounds: Bounds, folder: Path) -> TableStream:
    encoding = found.encoding
    if found.format is Format.CSV and encoding == "cp1252" and not hints.encoding:
        encoding = single_byte_encoding(file)
    if encoding != "utf-8":
        plain = folder / "utf-8"
        to_utf8(file, encoding, plain, bounds.bytes_max)
        file = plain
    if found.format is Format.CSV:
        certain = encoding != "utf-8" or hints.encoding is not None
        marked = encoding in ("utf-16", "utf-32")
        csv = CsvFile(file, folder, found.dialect, encoding, marked, certain)
        return open_csv(csv, bounds.columns_max, bounds.bytes_max, hints)
    return open_json(file, found.format, bounds.columns_max, folder, hints)


def _unused_hints(format_: Format, hints: ReadingHints) -> str | None:
    given = [name for name in ("types", "nulls", "delimiter", "encoding", "sheet") if getattr(hints, name)]
    used = _HINTS_USED.get(format_, ())  # none by those that declare their types
    unused = [name for name in given if name not in used]
    if not unused:
        return None
    return f"These hints do not apply to {FORMAT_WORDS[format_]} and had no effect: {names_in_words(unused)}."


@contextmanager
def _as_promised(promised: Format | None, hints: ReadingHints, found: Format | None = None) -> Iterator[None]:
    """Damage is a Refusal where the name promised a table, and where hints said how to read one. Elsewhere it shows
    that there is none: NoTable, with what the content looked like (``found``) and what was wrong with it."""
    try:
        with _in_our_words():
            yield
    except Refusal as refusal:
        if promised is not None or hints != NO_HINTS:
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


def _misnamed(promised: Format | None, found: Format) -> str:
    announced = "" if promised is None else FORMAT_WORDS[promised]
    return f"The name announces {announced}; the content is {FORMAT_WORDS[found]} and was read as that."
