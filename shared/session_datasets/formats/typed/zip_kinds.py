"""What a zip archive is: a workbook, another document, or an archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

from session_datasets.domain.limits import MIB

WORKBOOK_MEMBER = "xl/workbook.xml"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
# Members read to find out; an archive of more has its telling ones among the first.
_MEMBERS_SEEN = 1_000
# Bytes of the directory of a workbook of 10,000 parts with long names, many times over.
_DIRECTORY_BYTES_MAX = 16 * MIB
# The end of an archive's directory, and the longest comment behind it.
_TAIL_BYTES = 22 + 65_535
_MEMBERS = {
    "xl/workbook.bin": "a binary Excel workbook (.xlsb; save it as .xlsx)",
    "word/document.xml": "a Word document",
    "ppt/presentation.xml": "a PowerPoint presentation",
}


def is_workbook(file: Path) -> bool:
    return WORKBOOK_MEMBER in _names(file)


def zip_in_words(file: Path) -> str:
    """What a zip archive that is no workbook is, for a sentence."""
    names = _names(file)
    if found := next((words for member, words in _MEMBERS.items() if member in names), None):
        return found
    if names and all(name.endswith(".npy") for name in names):
        return "a NumPy archive (.npz; save the array that is the table with numpy.save)"
    if _mimetype(file) == _OPEN_DOCUMENT:
        return "an OpenDocument spreadsheet (save it as .xlsx or CSV)"
    return "a zip archive"


def _names(file: Path) -> list[str]:
    if _directory_bytes(file) > _DIRECTORY_BYTES_MAX:
        return []
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()[:_MEMBERS_SEEN]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return []


def _directory_bytes(file: Path) -> int:
    """The size that an archive states of its directory, which zipfile makes objects of, entry by entry.

    Archives too large for 32 bits state the largest number here.
    """
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _TAIL_BYTES))
        tail = opened.read()
    end = tail.rfind(b"PK\x05\x06")
    return int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0


def _mimetype(file: Path) -> bytes:
    """OpenDocument's own mark, which is the first member and not compressed."""
    with file.open("rb") as opened:
        head = opened.read(30 + len("mimetype") + len(_OPEN_DOCUMENT))
    return head[38:] if head[30:38] == b"mimetype" else b""
