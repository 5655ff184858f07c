"""A workspace as the file system of a deep agent. Needs deepagents.

>>> agent = create_deep_agent(model, backend=WorkspaceBackend(workspace))

Every artifact is a file under its name; writing a file registers an artifact. A small text is read as it is; a table
that is large or no text is read as its rows, one JSON array a line after a line of its columns.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

from session_datasets.client.errors import MissingExtraError
from session_datasets.client.workspace import Workspace
from session_datasets.domain.quoting import legible
from session_datasets.tools import failing
from session_datasets.tools.contents import Contents, Lines, encoded
from session_datasets.tools.editing import edited
from session_datasets.tools.naming import Entry, Names, entry_at, name_of, path_of
from session_datasets.tools.taking_turns import turn

try:
    from deepagents.backends.protocol import (
        BackendProtocol,
        EditResult,
        FileData,
        FileDownloadResponse,
        FileInfo,
        FileUploadResponse,
        GlobResult,
        GrepMatch,
        GrepResult,
        LsResult,
        ReadResult,
        WriteResult,
    )
    from deepagents.backends.utils import (
        compile_grep_include_glob,
        normalize_read_bounds,
        perform_string_replacement,
    )
except ImportError:
    raise MissingExtraError(
        "The backend for deep agents needs deepagents.", "Run: pip install 'session-datasets[deepagents]'"
    ) from None


class WorkspaceBackend(BackendProtocol):
    """deepagents' BackendProtocol on the artifacts within reach of a session. No method raises.

    Nothing is ever changed or removed: to write a path again registers a further artifact of its name, and the newest
    is what the path shows. An older one of the same name is ``/name@art_…``, and ``/@art_…`` is any artifact.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._contents = Contents(workspace)

    def ls(self, path: str) -> LsResult:
        try:
            names = self._names()
        except Exception as error:
            return LsResult(error=failing.told("ls", error))
        return LsResult(entries=[_info(each) for each in names.directly_in(path)])

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        offset, limit = normalize_read_bounds(offset, limit)
        if limit == 0:
            return ReadResult(file_data=FileData(content="", encoding="utf-8"), no_lines_requested=True)
        try:
            entry = self._entry(file_path)
            lines = self._contents.lines(entry, offset, limit) if entry else None
        except Exception as error:
            return ReadResult(error=failing.told("read_file", error))
        if lines is None:
            return ReadResult(error=_not_found(file_path))
        return _read(lines, file_path)

    def write(self, file_path: str, content: str) -> WriteResult:
        with turn(self._workspace, path_of(file_path)):
            wrong = self._write(file_path, content, "write_file")
        return WriteResult(error=wrong) if wrong else WriteResult(path=path_of(file_path))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """As the file was read: with line feeds for all its line ends, which it keeps. Edits of one file take turns."""
        with turn(self._workspace, path_of(file_path)):
            return self._edit(file_path, old_string, new_string, replace_all)

    def _edit(self, path: str, old: str, new: str, everywhere: bool) -> EditResult:
        try:
            entry = self._entry(path)
            text = self._contents.text(entry) if entry else None
        except Exception as error:
            return EditResult(error=failing.told("edit_file", error))
        if entry is None:
            return EditResult(error=_not_found(path))
        if text is None:
            return EditResult(error=f"'{legible(path)}' is no small text file, so it was not edited. Write a new file.")
        replaced = edited(text, old, new, everywhere, perform_string_replacement)
        if isinstance(replaced, str):
            return EditResult(error=replaced)
        if wrong := self._meanwhile(path, entry) or self._write(path, replaced[0], "edit_file"):
            return EditResult(error=wrong)
        return EditResult(path=path_of(path), occurrences=replaced[1])

    def _meanwhile(self, path: str, read: Entry) -> str | None:
        """What is wrong when another node, whom nobody here can make wait, has written the file since it was read."""
        try:
            now = self._entry(path)
        except Exception as error:
            return failing.told("edit_file", error)
        if now is not None and now.artifact_id == read.artifact_id:
            return None
        return f"'{legible(path)}' was written anew while it was edited; nothing was changed. Read it, then edit again."

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        try:
            matches = self._matching(path or "/", pattern)
        except Exception as error:
            return GlobResult(error=failing.told("glob", error))
        return GlobResult(matches=[_info(each) for each in matches])

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        """Looks through texts and tables up to a number of bytes; what lies beyond makes the result truncated."""
        try:
            return self._grep(pattern, self._matching(path or "/", glob), max_count)
        except Exception as error:
            return GrepResult(error=failing.told("grep", error))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [self._upload(path, content) for path, content in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._download(path) for path in paths]

    def _upload(self, path: str, content: bytes) -> FileUploadResponse:
        with turn(self._workspace, path_of(path)):
            return FileUploadResponse(path=path, error=self._write(path, content, "upload_files"))

    def _download(self, path: str) -> FileDownloadResponse:
        try:
            entry = self._entry(path)
            if entry is None:
                is_folder = bool(self._names().directly_in(path))
                return FileDownloadResponse(path=path, error="is_directory" if is_folder else "file_not_found")
            return FileDownloadResponse(path=path, content=self._contents.whole(entry))
        except Exception as error:
            return FileDownloadResponse(path=path, error=failing.told("download_files", error))

    def _grep(self, pattern: str, entries: list[Entry], max_count: int | None) -> GrepResult:
        matches: list[GrepMatch] = []
        searched = self._contents.search()
        for entry in entries:
            for number, line in searched.lines(entry):
                if pattern not in line:
                    continue
                if max_count is not None and len(matches) >= max_count:
                    return GrepResult(matches=matches, truncated=True)
                matches.append(GrepMatch(path=entry.path, line=number, text=line))
        return GrepResult(matches=matches, truncated=searched.truncated)

    def _matching(self, path: str, pattern: str | None) -> list[Entry]:
        matches: Callable[[str], bool] = compile_grep_include_glob(pattern) if pattern else (lambda _: True)
        base = PurePosixPath("/") / path
        return [each for each in self._names().below(path) if matches(_relative(each.path, base))]

    def _write(self, path: str, content: str | bytes, tool: str) -> str | None:
        """What went wrong, in words."""
        try:
            name = name_of(path)
            if name is None:
                return "invalid_path"
            self._contents.register(name, content if isinstance(content, bytes) else encoded(content))
        except Exception as error:
            return failing.told(tool, error)
        return None

    def _names(self) -> Names:
        return Names.of(self._workspace.list_artifacts())

    def _entry(self, path: str) -> Entry | None:
        return entry_at(self._workspace.list_artifacts(), path)


def _not_found(path: str) -> str:
    return f"File '{legible(path)}' not found"


def _relative(path: str, base: PurePosixPath) -> str:
    whole = PurePosixPath(path)
    return whole.name if whole == base else str(whole.relative_to(base))


def _info(entry: Entry) -> FileInfo:
    if entry.artifact_id is None:
        return FileInfo(path=entry.path + "/", is_dir=True, size=0, modified_at="")
    return FileInfo(path=entry.path, is_dir=False, size=entry.size, modified_at=entry.modified_at)


def _read(lines: Lines, path: str) -> ReadResult:
    data = FileData(content=lines.content, encoding=lines.encoding)
    if lines.count == 0:
        if lines.start and lines.total is not None and lines.start >= lines.total:
            shown = legible(path)
            return ReadResult(error=f"Line offset {lines.start} exceeds the length of '{shown}' ({lines.total} lines)")
        return ReadResult(file_data=data)
    end = lines.start + lines.count
    return ReadResult(
        file_data=data,
        start_line=lines.start + 1,
        end_line=end,
        total_lines=lines.total,
        next_offset=end if lines.total is not None and end < lines.total else None,
    )
