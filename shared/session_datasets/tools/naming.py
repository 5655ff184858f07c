"""Artifacts as files of a tree: which path shows which artifact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Self

from pydantic import TypeAdapter, ValidationError

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX, ID_TIME_CHARACTERS
from session_datasets.wire.answers import SummaryPart
from session_datasets.wire.requests import Name

# The service's own rule, so that what it would refuse is refused before anything is sent.
_NAME: TypeAdapter[str] = TypeAdapter(Name)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a folder when ``artifact_id`` is None. ``size`` in bytes, ``modified_at`` in ISO 8601; the version of
    the object that the artifact is pinned to."""

    path: str
    artifact_id: str | None = None
    size: int = 0
    modified_at: str = ""
    format: str = ""
    rows: int | None = None
    version_id: str | None = None


def name_of(path: str) -> str | None:
    """The name of the artifact that is registered for a path to be written, blanks around it left out as the service
    leaves them out; None for a path that can be none."""
    parts = _steps(path, but=("", "."))
    name = "/".join(parts)
    if ".." in parts or path.endswith("/"):
        return None
    if name != name.strip():
        return name_of(name.strip())
    try:
        return _NAME.validate_python(name)
    except ValidationError:
        return None


def entry_at(listed: Iterable[SummaryPart], path: str) -> Entry | None:
    """The file of one path, without more of the listing than it takes to find it."""
    wanted = path_of(path)
    _, sign, artifact_id = path.rpartition("@")
    for each in _newest_first(listed):
        if path_of(each.name) == wanted or (sign and each.artifact_id == artifact_id):
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
            path = path_of(each.name)
            if path in files:
                path = f"{path}@{each.artifact_id}"
            files[path] = _entry(path, each)
        return cls(files)

    def below(self, path: str) -> list[Entry]:
        """The files in the folder and its folders; the file itself, if that is what the path names."""
        prefix = _folder(path)
        # The root has the path of an artifact whose name is nothing but dots, and is not meant for it.
        if prefix != "/" and (found := self._files.get(path_of(path))):
            return [found]
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
    written = of.created_at.isoformat()
    return Entry(path, of.artifact_id, of.size, written, str(of.format), of.rows, of.reference.version_id)


def path_of(name: str) -> str:
    """Any name, or any spelling of a path, as the path that shows it.

    What would lead up or nowhere is left out, and so are blanks around it.
    """
    plain = "/".join(_steps(name, but=("", ".", "..")))
    if plain != plain.strip():
        return path_of(plain.strip())
    return "/" + (plain or "_")


def _steps(path: str, but: tuple[str, ...]) -> list[str]:
    return [part for part in path.split("/") if part not in but]


def _folder(path: str) -> str:
    """What the paths of the files in it begin with; those of nothing begin with one that leads up."""
    return "/../" if ".." in path.split("/") else path_of(f"{path}/_").removesuffix("_")
