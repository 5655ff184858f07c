"""What a file is, decided from its bytes.

Known signatures first, then text: a first ``[`` or ``{`` asks for JSON, lines that agree on a number of fields
make CSV, anything else is prose or binary. The file's name decides two things only: whether bytes that are no
table are refused (the name promised one) or kept as an opaque file, and whether lines without any delimiter are
a table of one column or prose, which bytes alone can not tell.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.plain_text import decode_head, marked_encoding
from session_datasets.formats.stream import NoTable, damaged

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
}
FORMAT_WORDS = {
    Format.CSV: "CSV",
    Format.JSON: "a JSON array",
    Format.JSON_LINES: "JSON Lines",
    Format.PARQUET: "Parquet",
}
PARQUET_MAGIC = b"PAR1"
# First bytes of files that people take for tables or upload beside them.
_SIGNATURES = (
    (b"PK\x03\x04", "a zip archive (an Excel workbook is one, too)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file (such as .xls)"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x1f\x8b", "gzip-compressed data"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data"),
    (b"\xfd7zXZ", "xz-compressed data"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\x7fELF", "a program"),
)
# These are words as well: a CSV may begin with PARENT or ORCHESTRA. They count where the rest is binary.
_WORD_SIGNATURES = (
    (b"PARE", "an encrypted Parquet file"),
    (b"ARROW1", "an Arrow IPC (Feather) file"),
    (b"FEA1", "an old Feather file"),
    (b"ORC", "an ORC file"),
    (b"Obj\x01", "an Avro file"),
    (b"BZh", "bzip2-compressed data"),
    (b"GIF8", "a GIF image"),
)
_TAR_MAGIC_OFFSET, _TAR_MAGIC = 257, b"ustar"
_DELIMITERS = (",", ";", "\t", "|")
_QUOTED = re.compile(r'(?:(?<=[,;|\t\r\n])|^)"(?:[^"]|"")*"')
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
# Lines of the head that must have the header's number of fields when the name promises no table.
_AGREEING_SHARE = 0.8
_LINES_COMPARED = 1_000


@dataclass(frozen=True, slots=True)
class Detected:
    """``encoding`` and ``delimiter`` matter to text; UTF-8 with or without a mark is ``utf-8``."""

    format: Format
    encoding: str = "utf-8"
    delimiter: str = ","


def promised_format(file_name: str) -> Format | None:
    """The table format that a file name announces, its ``.gz`` aside."""
    name = file_name.lower().removesuffix(".gz")
    return next((promised for suffix, promised in TABLE_SUFFIXES.items() if name.endswith(suffix)), None)


def detect(file: Path, promised: Format | None) -> Detected:
    """NoTable for a sound file without rows; Refusal when the name promised a table, or a table is damaged."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        head = opened.read(HEAD_BYTES)
    whole = size <= len(head)
    encoding = marked_encoding(head) or "utf-8"
    text = decode_head(head, encoding, whole)
    binary = text is None or _looks_binary(text)
    if head.startswith(PARQUET_MAGIC) and binary:
        return Detected(Format.PARQUET)
    if known := _known(head, binary):
        raise _no_table(known, promised)
    if text is None or binary:
        raise _no_table(_in_words(head, encoding, text), promised)
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    if found := _json_format(file, encoding, text, whole, promised):
        return Detected(found, encoding)
    return Detected(Format.CSV, encoding, _delimiter(text, whole, promised))


def _known(head: bytes, binary: bool) -> str | None:
    if head[_TAR_MAGIC_OFFSET:].startswith(_TAR_MAGIC):
        return "a tar archive"
    signatures = _SIGNATURES + _WORD_SIGNATURES if binary else _SIGNATURES
    return next((words for signature, words in signatures if head.startswith(signature)), None)


def _no_table(what: str, promised: Format | None) -> Exception:
    """A file that is ``what``: refused if its name promised a table, opaque otherwise."""
    if promised is None:
        return NoTable(f"This is {what}: it can be listed and loaded, but has no rows that can be paged.")
    return damaged(f"The file's name announces {FORMAT_WORDS[promised]}, but its content is {what}.")


def _looks_binary(text: str) -> bool:
    return "\x00" in text or len(_CONTROL.findall(text)) > len(text) // 100


def _in_words(head: bytes, encoding: str, text: str | None) -> str:
    """What bytes are that are no text for a table; ``text`` is None if they are not even ``encoding``."""
    if text is None and encoding != "utf-8":
        return f"marked as {encoding.upper()} but not valid {encoding.upper()}"
    if head[1::2].count(0) > len(head) // 3 or head[0::2].count(0) > len(head) // 3:
        return "text in UTF-16 without a byte order mark (write it as UTF-8)"
    if text is not None and "\x00" not in text:
        return "text with control characters, as binary data has"
    if b"\x00" in head or len(_CONTROL.findall(head.decode("latin-1"))) > len(head) // 100:
        return "binary data of an unknown kind"
    return "text that is not UTF-8, perhaps Latin-1 or Windows-1252 (write it as UTF-8)"


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


def _delimiter(text: str, whole: bool, promised: Format | None) -> str:
    """The delimiter of a CSV; raises when the lines make no table."""
    lines = _lines(text, whole)
    if not lines:
        raise _no_table("blank text", promised)
    best, share, fields = max(
        (_agreement(lines, delimiter) for delimiter in _DELIMITERS), key=lambda found: (found[2] > 1, *found[1:])
    )
    if promised is Format.CSV:
        return best if fields > 1 else ","
    if fields > 1 and share >= _AGREEING_SHARE and len(lines) > 1:
        return best
    raise _no_table("text that is no table", promised)


def _agreement(lines: list[str], delimiter: str) -> tuple[str, float, int]:
    """The delimiter, the share of lines with as many fields as the first one, and that number."""
    counts = Counter(line.count(delimiter) for line in lines)
    header = lines[0].count(delimiter)
    return delimiter, counts[header] / len(lines), header + 1


def _lines(text: str, whole: bool) -> list[str]:
    """Records of the head with quoted fields as mere quotes, blank ones left out, none of them cut off."""
    lines = re.split(r"\r\n|\r|\n", _QUOTED.sub('""', text))
    if not whole and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line][:_LINES_COMPARED]
