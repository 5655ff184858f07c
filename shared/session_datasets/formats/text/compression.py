"""Compressed text: gzip, bzip2 and zstd, told by their first bytes and uncompressed under a bound.

Several members or frames in a row are one content. Anything else behind the end, and an end that is missing, is
damage. What comes out is counted while it appears, so a bomb stops at the bound.
"""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import MIB
from session_datasets.formats.stream import NoTable, damaged

GZIP, BZIP2, ZSTD = "gzip", "bz2", "zstd"
SUFFIXES = (".gz", ".bz2", ".zst", ".zstd")
_PIECE_BYTES = 1 * MIB
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A block, or the end of a file without any; ``BZh`` alone begins words.
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")


class _Broken(Exception):
    """The compressed bytes are not what they should be."""


def compression(file: Path) -> str | None:
    """``gzip``, ``bz2`` or ``zstd``; None for anything else."""
    with file.open("rb") as opened:
        head = opened.read(10)
    if head.startswith(_GZIP_MAGIC):
        return GZIP
    if head.startswith(_ZSTD_MAGIC) or (head[1:4] == b"\x2a\x4d\x18" and head[0] >> 4 == 5):
        return ZSTD
    return BZIP2 if head.startswith(b"BZh") and head[4:] in _BZIP2_BLOCKS else None


def uncompress(file: Path, kind: str, target: Path, bytes_max: int) -> None:
    """Writes the content to ``target``; NoTable beyond ``bytes_max``, Refusal when damaged or empty."""
    written = 0
    try:
        with target.open("wb") as plain:
            for piece in _pieces(file, kind):
                written += len(piece)
                if written > bytes_max:
                    raise NoTable(
                        f"The uncompressed content of this {kind} file is larger than the {bytes_max:,} bytes that "
                        "can be laid out as pages. It can be listed and loaded."
                    )
                plain.write(piece)
    except _Broken as error:
        raise damaged(
            f"The file is {kind}, but is damaged or cut off after {written:,} uncompressed bytes."
            if written
            else f"The file begins like {kind}, but can not be uncompressed.",
            "Compress the file again, or upload it uncompressed, and register it.",
        ) from error
    if not written:
        raise Refusal(ProblemCode.EMPTY_FILE, f"The {kind} file holds no bytes.")


def _pieces(file: Path, kind: str) -> Iterator[bytes]:
    try:
        yield from _READERS[kind](file)
    except (EOFError, zlib.error, OSError, pa.ArrowException) as error:
        raise _Broken from error


def _gunzipped(file: Path) -> Iterator[bytes]:
    with gzip.open(file) as packed:
        # One read at a time, so that what came before the damage is counted.
        while piece := packed.read1(_PIECE_BYTES):
            yield piece


def _bunzipped(file: Path) -> Iterator[bytes]:
    """Member by member, since ``bz2.open`` passes over what follows the last one."""
    with file.open("rb") as packed:
        data = packed.read(_PIECE_BYTES)
        while data:
            member = bz2.BZ2Decompressor()
            while not member.eof:
                if member.needs_input and not data and not (data := packed.read(_PIECE_BYTES)):
                    raise EOFError
                piece, data = member.decompress(data, _PIECE_BYTES), b""
                yield piece
            data = member.unused_data or packed.read(_PIECE_BYTES)


def _unzstd(file: Path) -> Iterator[bytes]:
    with pa.OSFile(str(file)) as opened, pa.CompressedInputStream(opened, ZSTD) as packed:
        while piece := packed.read(_PIECE_BYTES):
            yield piece


_READERS = {GZIP: _gunzipped, BZIP2: _bunzipped, ZSTD: _unzstd}
