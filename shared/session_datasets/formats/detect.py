"""What a file is, decided from its bytes.

Known signatures first, then text: a first ``[`` or ``{`` asks for JSON, lines that agree on a number of fields
make CSV, anything else is prose or binary. The file's name decides two things only: whether bytes that are no
table are refused (the name promised one) or kept as an opaque file, and what bytes alone can not tell: whether lines
without any delimiter are a table of one column or prose, and whether control characters are values or binary data.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import NO_HINTS, Format, ReadingHints
from session_datasets.formats.controls import has_many_controls, looks_binary
from session_datasets.formats.csv.dialect import Dialect, find_dialect, hinted_dialect
from session_datasets.formats.stream import NoTable, damaged
from session_datasets.formats.text.compression import SUFFIXES, compression
from session_datasets.formats.text.plain_text import decode_head, known_encoding, marked_encoding, unmarked_text
from session_datasets.formats.typed.arrow_headers import FILE_MAGIC, begins_stream
from session_datasets.formats.typed.zip_kinds import is_workbook, zip_in_words

HEAD_BYTES = 1 * MIB
# A JSON document that is no table is read whole to say so, up to here; beyond, its first bytes must do.
_JSON_DOCUMENT_BYTES_MAX = 16 * MIB
TABLE_SUFFIXES = {
    ".csv": Format.CSV,
    ".tsv": Format.CSV,
    ".json": Format.JSON,
    ".jsonl": Format.JSON_LINES,
    ".ndjson": Format.JSON_LINES,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".arrows": Format.ARROW,
    ".feather": Format.ARROW,
    ".ipc": Format.ARROW,
    ".npy": Format.NPY,
    ".xlsx": Format.EXCEL,
    ".xlsm": Format.EXCEL,
}
FORMAT_WORDS = {
    Format.CSV: "CSV",
    Format.JSON: "a JSON array",
    Format.JSON_LINES: "JSON Lines",
    Format.PARQUET: "Parquet",
    Format.ARROW: "Arrow IPC",
    Format.NPY: "a NumPy array",
    Format.EXCEL: "an Excel workbook",
}
# Formats with their own types, read in a process of their own; the others are text.
BINARY_FORMATS = frozenset({Format.PARQUET, Format.ARROW, Format.NPY, Format.EXCEL})
PARQUET_MAGIC = b"PAR1"
_NPY_MAGIC = b"\x93NUMPY"
_ZIP_MAGIC = b"PK\x03\x04"
# First bytes of files that people take for tables or upload beside them.
_SIGNATURES = (
    (b"PK\x05\x06", "an empty zip archive"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office file or a workbook with a password (save it as .xlsx without one)",
    ),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\xfd7zXZ", "xz-compressed data (compress it with gzip or zstd)"),
    (b"\x04\x22\x4d\x18", "lz4-compressed data (compress it with gzip or zstd)"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\x7fELF", "a program"),
)
# These are words as well: a CSV may begin with PARENT or ORCHESTRA. They count where the rest is binary.
_WORD_SIGNATURES = (
    (b"PARE", "an encrypted Parquet file"),
    (b"FEA1", "a Feather file of version 1 (write it again with pyarrow.feather.write_feather, or as Parquet)"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"GIF8", "a GIF image"),
)
# What a server answered instead of the file, as often as not.
_MARKUPS = (
    ("<!doctype html", "a web page"),
    ("<html", "a web page"),
    ("<?xml", "an XML document"),
)
_TAR_MAGIC_OFFSET, _TAR_MAGIC = 257, b"ustar"
_USUAL_DIALECT = Dialect()
_CONTROL_WORDS = "text with control characters, as binary data has"
_CONTROL_ADVICE = (
    "If they are parts of values, quote the fields that hold them, or name the delimiter in the hints, and register "
    "again; if one of them divides the fields, name it as the delimiter."
)


@dataclass(frozen=True, slots=True)
class Detected:
    """``encoding`` and ``dialect`` matter to text; UTF-8 with or without a mark is ``utf-8``."""

    format: Format
    encoding: str = "utf-8"
    dialect: Dialect = _USUAL_DIALECT


def promised_format(file_name: str) -> Format | None:
    """The table format that a file name announces, a suffix of its compression aside."""
    name = file_name.lower()
    name = next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)
    return next((promised for suffix, promised in TABLE_SUFFIXES.items() if name.endswith(suffix)), None)


def detect(file: Path, promised: Format | None, hints: ReadingHints = NO_HINTS) -> Detected:
    """NoTable for a sound file without rows; Refusal when the name promised a table, or a table is damaged.

    A hinted encoding is the text's; a hinted delimiter makes a text CSV.
    """
    size = file.stat().st_size
    with file.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
    whole = size <= len(head)
    encoding = known_encoding(hints.encoding) if hints.encoding else marked_encoding(head) or "utf-8"
    text = decode_head(head, encoding, whole)
    binary = text is None or looks_binary(text, whole, hints.delimiter is not None, promised is Format.CSV)
    if found := _binary_format(file, head, binary):
        return Detected(found)
    if known := _known(file, head, binary):
        raise _no_table(known, promised)
    if text is None or binary:
        if text is None and hints.encoding:
            raise damaged(
                f"The hint names the encoding {hints.encoding[:40]!r}, in which the file's first bytes are no text.",
                "Name the encoding that the file was written in, or leave it to be found.",
            )
        other = None if hints.encoding else _other_text(head, encoding, whole, text is not None)
        if other is None:
            raise _no_table(_in_words(head, encoding, text), promised)
        encoding, text = other
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    if hints.delimiter:
        return Detected(Format.CSV, encoding, hinted_dialect(hints.delimiter))
    if words := _markup(text):
        raise _no_table(words, promised)
    if found := _json_format(file, encoding, text, whole, promised):
        return Detected(found, encoding)
    dialect = find_dialect(text, whole, promised is Format.CSV)
    if dialect is None:
        raise _no_table("text that is no table", promised)
    return Detected(Format.CSV, encoding, dialect)


def _binary_format(file: Path, head: bytes, binary: bool) -> Format | None:
    """By signatures; those that are words, too, count only if the rest is binary."""
    if head.startswith(_NPY_MAGIC):
        return Format.NPY
    if head.startswith(_ZIP_MAGIC):
        return Format.EXCEL if is_workbook(file) else None
    if binary and head.startswith(PARQUET_MAGIC):
        return Format.PARQUET
    return Format.ARROW if binary and (head.startswith(FILE_MAGIC) or begins_stream(head)) else None


def _known(file: Path, head: bytes, binary: bool) -> str | None:
    if head.startswith(_ZIP_MAGIC):
        return zip_in_words(file)
    if kind := compression(file):
        return f"{kind}-compressed data"
    if head[_TAR_MAGIC_OFFSET:].startswith(_TAR_MAGIC):
        return "a tar archive"
    signatures = _SIGNATURES + _WORD_SIGNATURES if binary else _SIGNATURES
    return next((words for signature, words in signatures if head.startswith(signature)), None)


def _no_table(what: str, promised: Format | None) -> Exception:
    """A file that is ``what``: refused if its name promised a table, opaque otherwise."""
    if promised is None:
        return NoTable(f"This is {what}: it can be listed and loaded, but has no rows that can be paged.")
    advice = _CONTROL_ADVICE if (what, promised) == (_CONTROL_WORDS, Format.CSV) else None
    return damaged(f"The file's name announces {FORMAT_WORDS[promised]}, but its content is {what}.", advice)


def _other_text(head: bytes, encoding: str, whole: bool, valid: bool) -> tuple[str, str] | None:
    """Encoding and text of bytes that are not UTF-8, or are (``valid``) but for zeros in it; JSON is always Unicode."""
    found = unmarked_text(head, whole) if encoding == "utf-8" else None
    if found is None or has_many_controls(found[1]):
        return None
    return None if found[0] == "cp1252" and (valid or found[1].lstrip()[:1] in ("[", "{")) else found


def _in_words(head: bytes, encoding: str, text: str | None) -> str:
    """What bytes are that are no text for a table; ``text`` is None if they are not even ``encoding``."""
    if text is None and encoding != "utf-8":
        return f"marked as {encoding.upper()} but not valid {encoding.upper()}"
    if encoding == "utf-8" and max(head[1::2].count(0), head[0::2].count(0)) > len(head) // 3:
        return "text in UTF-16 without a byte order mark (write it as UTF-8)"
    if text is not None and "\x00" not in text:
        return _CONTROL_WORDS
    if has_many_controls(head.decode("latin-1")):
        return "binary data of an unknown kind"
    return "text that is not UTF-8, perhaps Latin-1 or Windows-1252 (write it as UTF-8)"


def _markup(text: str) -> str | None:
    start = text[:200].lstrip().lower()
    return next((words for mark, words in _MARKUPS if start.startswith(mark)), None)


def _json_format(file: Path, encoding: str, text: str, whole: bool, promised: Format | None) -> Format | None:
    start = text.lstrip()
    if start.startswith("{"):
        return _lines_or_object(file, encoding, start, whole, promised)
    if start.startswith("["):
        element = start[1:].lstrip()
        if not element or element[0] in "{]":
            return Format.JSON
    # A scalar in a file that is meant as CSV is its header, without any rows.
    scalar = "" if promised is Format.CSV else '"-0123456789tfn'
    if start[:1] and start[0] in "[" + scalar and _is_json(file, encoding):
        raise _other_json("a JSON document, but not an array of objects", promised)
    if start.startswith("[") and promised is not Format.CSV and _parses(start.partition("\n")[0]):
        raise _other_json("JSON Lines of arrays, not of objects", promised)
    return None


def _lines_or_object(file: Path, encoding: str, start: str, whole: bool, promised: Format | None) -> Format | None:
    """JSON Lines if the first line is a whole object, or longer than the head; else a JSON object or damage."""
    first, line_end, _ = start.partition("\n")
    if (not line_end and not whole) or _parses(first):
        return Format.JSON_LINES
    if file.stat().st_size > _JSON_DOCUMENT_BYTES_MAX:
        raise _other_json("what looks like one large JSON object", promised)
    if _is_json(file, encoding):
        raise _other_json("one JSON object", promised)
    if promised in (Format.JSON, Format.JSON_LINES) or start[1:].lstrip()[:1] in ('"', "}"):
        raise damaged("The file begins like JSON, but its first line is not a JSON object, nor is the whole of it.")
    return None


def _other_json(what: str, promised: Format | None) -> Exception:
    # Its name is right about it: JSON that is no table is no damage.
    return _no_table(what, None if promised is Format.JSON else promised)


def _is_json(file: Path, encoding: str) -> bool:
    if file.stat().st_size > _JSON_DOCUMENT_BYTES_MAX:
        return False
    try:
        return _parses(file.read_text("utf-8-sig" if encoding == "utf-8" else encoding))
    except UnicodeError:
        return False


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        pass  # JSON, but with too many digits or levels: whoever reads it will say so
    return True
