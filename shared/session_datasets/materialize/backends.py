"""Where a finished file goes: the session's workspace, a local folder, or an agent's own files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from session_datasets.domain.limits import DESCRIPTION_CHARACTERS_MAX
from session_datasets.domain.profile import ReadingHints
from session_datasets.materialize.cells import cut
from session_datasets.materialize.names import alike, free_name

# What was written is known; nothing about it is left to be found out from cells that look like something else.
_CSV = ReadingHints(delimiter=",", encoding="utf-8")

if TYPE_CHECKING:
    from session_datasets.client.references import AnyReference
    from session_datasets.client.workspace import Workspace
    from session_datasets.domain.profile import Kind
    from session_datasets.wire.reference import ReferenceModel


@dataclass(frozen=True)
class Saved:
    """Where the file is now; the reference where it was registered, the state's update where there is one."""

    path: str
    reference: ReferenceModel | None = None
    files_update: dict[str, Any] | None = None


@runtime_checkable
class Backend(Protocol):
    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        """Keeps the file under its name, and overwrites none. It is gone when this returns, so it is copied.

        ``fmt`` is csv or parquet, whatever the name. ``incomplete`` says which rows are missing, None when none is.
        """


class LocalFolder:
    """A folder of this machine, made when it is needed. A name that is taken gets a number: ``sales-2.csv``."""

    def __init__(self, directory: Path | str) -> None:
        self._directory = Path(directory).absolute()

    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        self._directory.mkdir(parents=True, exist_ok=True)
        # Whole under a name of its own first; a link then gives it the real one, or fails because that is taken.
        with NamedTemporaryFile(dir=self._directory, prefix=".materialize-") as copy, file.open("rb") as source:
            shutil.copyfileobj(source, copy)
            copy.flush()
            Path(copy.name).chmod(0o644)
            return Saved(str(self._linked(Path(copy.name), file.name)))

    def _linked(self, copy: Path, name: str) -> Path:
        while True:
            taken = {alike(entry.name) for entry in self._directory.iterdir()}
            target = self._directory / free_name(name, _in(taken))
            try:
                os.link(copy, target)
            except FileExistsError:
                continue
            return target


class WorkspaceBackend:
    """The session's workspace: uploads and registers in one call. A name that is taken becomes a new version, and what
    was registered before stays as it was.

    ``description``, ``kind`` and ``lineage`` are those of the artifact; of an incomplete file the description says so.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        description: str = "",
        kind: Kind | str | None = None,
        lineage: Sequence[AnyReference] = (),
    ) -> None:
        self._workspace = workspace
        self._description = description
        self._kind = kind
        self._lineage = lineage

    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        # What is missing comes first: a description that is cut loses its end.
        described = " ".join(part for part in (incomplete, self._description) if part)
        registered = self._workspace.register_artifact(
            file,
            name=file.name,
            description=cut(described, DESCRIPTION_CHARACTERS_MAX),
            kind=self._kind,
            lineage=self._lineage,
            hints=_CSV if fmt == "csv" else None,
        )
        return Saved(registered.reference.key or file.name, registered.reference)


def _in(taken: set[str]) -> Callable[[str], bool]:
    return lambda name: alike(name) in taken
