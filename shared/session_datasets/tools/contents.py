"""What an artifact looks like to somebody who reads files: its text, or its rows as lines."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from session_datasets.client.errors import SessionDatasetsError
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import FILE_NAME_BYTES_MAX, KIB, MIB, PAGE_ROWS_MAX
from session_datasets.tools.answers import json_text
from session_datasets.tools.naming import Entry
from session_datasets.tools.paged_text import PagedText

# Bytes of a file that is read as it is: some 30,000 tokens. A larger table is read as its rows.
TEXT_BYTES_MAX = 128 * KIB
# Bytes of a file without rows that is fetched to read lines of it, and of one that is downloaded into memory.
WHOLE_BYTES_MAX = 64 * MIB
# Bytes of rows that one read answers.
READ_BYTES_MAX = 128 * KIB
# Bytes that one search looks through, of all files together.
SEARCH_BYTES_MAX = 16 * MIB
# Rows of a page of a search.
_SEARCH_ROWS = 2_000
# Formats whose files are text.
_TEXTS = frozenset({"csv", "json", "json_lines", "other"})


@dataclass(frozen=True, slots=True)
class Lines:
    """``count`` lines from ``start`` (0-indexed) on, of ``total`` where that is known. Base64 of all for a binary."""

    content: str
    start: int = 0
    count: int = 0
    total: int | None = None
    encoding: str = "utf-8"


class FileTooLargeError(SessionDatasetsError):
    title = "The file is too large to be read as a whole"


class NoTextError(SessionDatasetsError):
    title = "The text can not be written"


def encoded(text: str) -> bytes:
    """UTF-8. NoTextError for half a surrogate pair, which has no bytes."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise NoTextError(
            f"Character {error.start + 1:,} of the text is half of a surrogate pair, {text[error.start]!a}; "
            "nothing was written.",
            "Leave it out, or write both halves as the one character that they stand for.",
        ) from None


class Contents:
    """What the files of a session hold. The text that was read in pages last is kept on the disk of the working
    directory, without a name, so that its further pages are not fetched again; an artifact's bytes never change."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept: tuple[Entry, PagedText] | None = None

    def register(self, name: str, content: bytes) -> None:
        """A new artifact of this name, its file called as the last part of the name is."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / _file_name(PurePosixPath(name))
            file.write_bytes(content)
            self._workspace.register_artifact(file, name=name, wait=False)

    def whole(self, entry: Entry) -> bytes:
        """The file's bytes. FileTooLargeError above WHOLE_BYTES_MAX."""
        if entry.size > WHOLE_BYTES_MAX:
            raise FileTooLargeError(
                f"It has {entry.size:,} bytes, more than {WHOLE_BYTES_MAX:,}; nothing was read.",
                "Take it into the working directory with load_artifact.",
            )
        directory = self._workspace.directory
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory, prefix=".reading-") as folder:
            path = self._workspace.load_artifact(
                {"artifact_id": entry.artifact_id}, f"{Path(folder).name}/file", overwrite=True
            )
            return path.read_bytes()

    def text(self, entry: Entry) -> str | None:
        """The text of a small file; None for one that is large or no text."""
        if entry.size > TEXT_BYTES_MAX or entry.format not in _TEXTS:
            return None
        return _decoded(self.whole(entry))

    def lines(self, entry: Entry, offset: int, limit: int) -> Lines:
        if _is_read_as_rows(entry):
            return self.rows(entry, offset, limit)
        text = self._text_of(entry)
        if isinstance(text, bytes):
            return Lines(base64.b64encode(text).decode(), encoding="base64")
        shown, count = text.page(offset, limit, READ_BYTES_MAX)
        if count < text.total:
            self._kept = (entry, text)
        return Lines(shown, offset, count, text.total)

    def rows(self, entry: Entry, offset: int, limit: int) -> Lines:
        """A table's lines: line 0 names the columns, line n is row n - 1."""
        head = offset == 0
        page = self._workspace.read_rows(
            {"artifact_id": entry.artifact_id},
            offset=max(offset - 1, 0),
            limit=max(1, min(limit - head, PAGE_ROWS_MAX)),
            max_bytes=READ_BYTES_MAX,
        )
        lines = [json_text([column.name for column in page.columns])] if head else []
        lines += [json_text(row) for row in page.rows or ()]
        lines = lines[:limit]
        return Lines("".join(f"{line}\n" for line in lines), offset, len(lines), page.total + 1)

    def _text_of(self, entry: Entry) -> PagedText | bytes:
        """The bytes of what is no text."""
        kept = self._kept
        if kept and (kept[0].artifact_id, kept[0].version_id) == (entry.artifact_id, entry.version_id):
            return kept[1]
        content = self.whole(entry)
        return content if _decoded(content) is None else PagedText(content, self._workspace.directory)

    def search(self) -> Search:
        return Search(self)


class Search:
    """Lines of many files, until SEARCH_BYTES_MAX bytes were looked through."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self._left = SEARCH_BYTES_MAX
        self.truncated = False

    def lines(self, entry: Entry) -> Iterator[tuple[int, str]]:
        """(number from 1, line), numbered as a read of the file shows them."""
        return self._rows(entry) if _is_read_as_rows(entry) else self._text(entry)

    def _text(self, entry: Entry) -> Iterator[tuple[int, str]]:
        """Fetched once, however long it is."""
        if self._left <= 0 or entry.size > self._left:
            self.truncated = True
            return
        content = self._contents.whole(entry)
        self._left -= len(content)
        for number, line in enumerate(_split(_decoded(content) or ""), 1):
            yield number, line.removesuffix("\n")

    def _rows(self, entry: Entry) -> Iterator[tuple[int, str]]:
        offset = 0
        while True:
            if self._left <= 0:
                self.truncated = True
                return
            read = self._contents.rows(entry, offset, _SEARCH_ROWS)
            self._left -= len(read.content)
            for number, line in enumerate(_split(read.content), offset + 1):
                yield number, line.removesuffix("\n")
            offset += read.count
            if not read.count or read.total is None or offset >= read.total:
                return


def _is_read_as_rows(entry: Entry) -> bool:
    return entry.rows is not None and (entry.size > TEXT_BYTES_MAX or entry.format not in _TEXTS)


def _file_name(path: PurePosixPath) -> str:
    """The last part of a name; a longer one than a file's may be loses the end of its stem."""
    suffix = path.suffix if len(path.suffix.encode()) < FILE_NAME_BYTES_MAX else ""
    stem = path.name.removesuffix(suffix).encode()[: FILE_NAME_BYTES_MAX - len(suffix.encode())]
    return stem.decode(errors="ignore") + suffix


def _decoded(content: bytes) -> str | None:
    if b"\0" in content:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _split(text: str) -> list[str]:
    """Lines with their ends, which all become line feeds; other characters that break lines on paper do not here."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
