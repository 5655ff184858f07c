"""Artifacts as files of a tree: which path shows which artifact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePosixPath
from typing import Self

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX, ID_TIME_CHARACTERS
from session_datasets.domain.limits import NAME_CHARACTERS_MAX
from session_datasets.wire.answers import SummaryPart


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a folder when ``artifact_id`` is None. ``size`` in bytes, ``modified_at`` in ISO 8601."""

    path: str
    artifact_id: str | None = None
    size: int = 0
    modified_at: str = ""
    format: str = ""
    rows: int | None = None


def name_of(path: str) -> str | None:
    """The artifact's name for a path to be written; None for a path that can be none."""
    parts = PurePosixPath("/" + path).parts[1:]
    name = "/".join(parts)
    if not parts or ".." in parts or path.endswith("/") or len(name) > NAME_CHARACTERS_MAX:
        return None
    return name


def entry_at(listed: Iterable[SummaryPart], path: str) -> Entry | None:
    """The file of one path, without more of the listing than it takes to find it."""
    wanted = _path(path)
    _, sign, artifact_id = path.rpartition("@")
    for each in _newest_first(listed):
        if _path(each.name) == wanted or (sign and each.artifact_id == artifact_id):
            return _entry(wanted, each)
    return None


class Names:
    """One listing as a tree. Of several artifacts of one name the newest has the path, the others ``name@id``."""

    def __init__(self, files: dict[str, Entry]) -> None:
        self._files = files

    @classmethod
    def of(cls, listed: Iterable[SummaryPart]) -> Self:
        files: dict[str, Entry] = {}
        for each in _newest_first(listed):
            path = _path(each.name)
            if path in files:
                path = f"{path}@{each.artifact_id}"
            files[path] = _entry(path, each)
        return cls(files)

    def below(self, path: str) -> list[Entry]:
        """The files in the folder and its folders; the file itself, if that is what the path names."""
        if found := self._files.get(_path(path)):
            return [found]
        prefix = _folder(path)
        return [each for each in self._files.values() if each.path.startswith(prefix)]

    def directly_in(self, path: str) -> list[Entry]:
        """The files and folders of one folder, by path."""
        prefix = _folder(path)
        entries: dict[str, Entry] = {}
        for each in self._files.values():
            if each.path.startswith(prefix):
                first, deeper, _ = each.path[len(prefix) :].partition("/")
                entries.setdefault(prefix + first + deeper, Entry(prefix + first) if deeper else each)
        return [entries[name] for name in sorted(entries)]


def _newest_first(listed: Iterable[SummaryPart]) -> Iterator[SummaryPart]:
    """A listing is in the order in which files were written, to the second: S3 tells no finer. An agent that writes a
    file and edits it at once wants the edited one, so within a second the order is that of registering."""
    for _, together in groupby(listed, lambda each: each.artifact_id[: len(ARTIFACT_ID_PREFIX) + ID_TIME_CHARACTERS]):
        yield from sorted(together, key=lambda each: each.created_at, reverse=True)


def _entry(path: str, of: SummaryPart) -> Entry:
    return Entry(path, of.artifact_id, of.size, of.created_at.isoformat(), str(of.format), of.rows)


def _path(name: str) -> str:
    """Any name as a path: what would lead up or nowhere is left out."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return "/" + "/".join(parts or ["_"])


def _folder(path: str) -> str:
    whole = "/".join(part for part in path.split("/") if part not in ("", "."))
    return f"/{whole}/" if whole else "/"
