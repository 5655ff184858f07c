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
from session_datasets.domain.profile import Format, ReadingHints
from session_datasets.formats.csv_text import open_csv
from session_datasets.formats.detect import FORMAT_WORDS, Detected, detect
from session_datasets.formats.json_table import open_json
from session_datasets.formats.parquet_file import open_parquet
from session_datasets.formats.plain_text import gunzip, is_gzip, to_utf8
from session_datasets.formats.stream import NoTable, TableStream, damaged


@dataclass(frozen=True, slots=True)
class Bounds:
    """``bytes_max``: of the file and of its uncompressed text; ``decoded_bytes_max``: of all rows of a binary file."""

    bytes_max: int
    decoded_bytes_max: int
    columns_max: int


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
    with _as_promised(promised):
        plain, found = _detected(file, promised, bounds, folder)
        with _as_promised(promised, found.format):
            stream = _stream(plain, found, bounds)
            if promised not in (None, found.format):
                stream.remarks.insert(0, _misnamed(promised, found.format))
            yield stream


def _detected(file: Path, promised: Format | None, bounds: Bounds, folder: Path) -> tuple[Path, Detected]:
    """The content, uncompressed and as UTF-8 if it is text, and what it is."""
    if is_gzip(file):
        plain = folder / "uncompressed"
        gunzip(file, plain, bounds.bytes_max)
        file = plain
    found = detect(file, promised)
    if found.encoding != "utf-8":
        plain = folder / "utf-8"
        to_utf8(file, found.encoding, plain, bounds.bytes_max)
        file = plain
    return file, found


def _stream(file: Path, found: Detected, bounds: Bounds) -> TableStream:
    if found.format is Format.PARQUET:
        return open_parquet(file, bounds.columns_max, bounds.decoded_bytes_max)
    if found.format is Format.CSV:
        return open_csv(file, found.delimiter, bounds.columns_max)
    return open_json(file, found.format, bounds.columns_max)


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


def _misnamed(promised: Format | None, found: Format) -> str:
    announced = "" if promised is None else FORMAT_WORDS[promised]
    return f"The name announces {announced}; the content is {FORMAT_WORDS[found]} and was read as that."
