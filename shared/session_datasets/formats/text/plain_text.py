"""Text as the parsers want it: uncompressed UTF-8 in a file, and what a file's first bytes decode to."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from pathlib import Path

from session_datasets.domain.limits import MIB
from session_datasets.formats.stream import NoTable, damaged

_PIECE_BYTES = 1 * MIB
# Longest first: the UTF-32 little-endian mark begins with the UTF-16 one.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# The encodings in which any byte is a letter, tried when the text is in no encoding of Unicode.
SINGLE_BYTE_WORDS = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}
_NOT_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"
# What Python calls text encodings, but spells escapes or names of hosts.
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "raw-unicode-escape", "raw_unicode_escape", "unicode-escape", "unicode_escape"}
)
# The share of zero bytes among every second one that tells UTF-16 of mostly Western text.
_ZEROS_OF_UTF16 = 0.7


def marked_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark names, if there is one."""
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)


def unmarked_utf16(head: bytes) -> str | None:
    """``utf-16-le`` or ``utf-16-be`` if the bytes can hardly be anything else, without a mark that says so."""
    if len(head) < 4:
        return None
    high, low = head[1::2].count(0) / (len(head) // 2), head[0::2].count(0) / (len(head) // 2)
    if max(high, low) < _ZEROS_OF_UTF16 or min(high, low) > 0:
        return None
    return "utf-16-le" if high > low else "utf-16-be"


def single_byte_encoding(file: Path) -> str:
    """``cp1252`` if all bytes of the file are characters there, else ``latin-1``, where all bytes are."""
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE_BYTES):
            if len(piece.translate(None, _NOT_IN_CP1252)) < len(piece):
                return "latin-1"
    return "cp1252"


def known_encoding(name: str) -> str:
    """Python's name of a text encoding that a caller names. Refusal if there is none."""
    try:
        codec = codecs.lookup(name)
        if codec.name in _NO_CHARSETS:
            raise LookupError
        "".encode(codec.name).decode(codec.name)
    except (LookupError, UnicodeError, ValueError):
        raise damaged(
            f"The hint names the encoding {name[:40]!r}, which is not known.",
            "Name one such as utf-8, utf-16, cp1252, latin-1 or shift_jis, or leave the encoding to be found.",
        ) from None
    return "utf-8" if codec.name == "utf-8-sig" else {"iso8859-1": "latin-1"}.get(codec.name, codec.name)


def unmarked_text(head: bytes, whole: bool) -> tuple[str, str] | None:
    """The encoding and the text of bytes that are not UTF-8 and bear no mark; None if they are no text either.

    ``cp1252`` stands for whatever ``single_byte_encoding`` says of the whole file.
    """
    encoding = unmarked_utf16(head)
    if encoding is not None:
        text = decode_head(head, encoding, whole)
        return None if text is None else (encoding, text)
    return "cp1252", head.decode("cp1252", "replace")


def decode_head(head: bytes, encoding: str, whole: bool) -> str | None:
    """The text of a file's first bytes, None if they are not in this encoding; a character may be cut at the end."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return decoder.decode(head, final=whole)
    except UnicodeError:  # also of UTF-16 and UTF-32 that bear no mark but are said to
        return None


def to_utf8(file: Path, encoding: str, target: Path, bytes_max: int) -> None:
    """The same text in UTF-8, line ends untouched. Refusal at the first bytes that are not ``encoding``."""
    written = 0
    try:
        with target.open("wb") as plain:
            for piece in _decoded(file, encoding):
                data = piece.encode()
                written += len(data)
                if written > bytes_max:
                    raise NoTable(f"The text is larger than the {bytes_max:,} bytes that can be laid out as pages.")
                plain.write(data)
    except UnicodeError as error:
        raise damaged(
            f"The text was taken for {encoding.upper()}, but is not valid {encoding.upper()} throughout.",
            "Write the file again as UTF-8 and register it, or name its encoding in the hints.",
        ) from error


def _decoded(file: Path, encoding: str) -> Iterator[str]:
    with file.open("rb") as opened, io.TextIOWrapper(opened, encoding, newline="") as text:
        while piece := text.read(_PIECE_BYTES):
            yield piece
