"""A deepagents backend as a place for files: its ``write`` for text, its ``upload_files`` for bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from session_datasets.materialize.backends import Saved
from session_datasets.materialize.names import alike, free_name
from session_datasets.materialize.refusals import WriteFailedError


class AgentFiles:
    """Adapts a deepagents backend: of the file system, of the agent's state, of a store.

    The file lies in the backend's root, under a name that is free there. Such a backend takes a file as one value, so
    it is in memory once: give ``max_bytes``. Nothing is registered.
    """

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        taken = self._taken()
        path = "/" + free_name(file.name, lambda name: alike(name) in taken)
        written = self._written(path, file, fmt)
        if error := getattr(written, "error", None):
            raise WriteFailedError(
                f"The backend did not take {path!r}: {error}. Nothing was saved.",
                "Choose another filename, or another backend.",
            )
        return Saved(path, files_update=getattr(written, "files_update", None))

    def _written(self, path: str, file: Path, fmt: str) -> Any:
        if fmt == "csv":
            return self._backend.write(path, file.read_bytes().decode())
        answers = self._backend.upload_files([(path, file.read_bytes())])
        return answers[0] if answers else None

    def _taken(self) -> set[str]:
        """Names in the root; none where the backend lists nothing."""
        entries = getattr(self._backend.ls("/"), "entries", None) if hasattr(self._backend, "ls") else None
        return {alike(entry["path"].rstrip("/").rpartition("/")[2]) for entry in entries or ()}
