"""A deepagents backend as a place for files: its ``write`` for text, its ``upload_files`` for bytes."""

from __future__ import annotations

import contextlib
from collections import deque
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from session_datasets.domain.quoting import legible
from session_datasets.materialize.backends import Saved
from session_datasets.materialize.names import alike, free_name
from session_datasets.materialize.refusals import WriteFailedError

# As many files as one backend may be about to keep without listing them yet.
_UNDER_WAY_MAX = 256


class _UnderWay:
    """Names that were chosen in a backend and that it does not list yet: to tools that run beside each other, an
    agent's state shows no file of the others before the step is over."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.names: deque[str] = deque(maxlen=_UNDER_WAY_MAX)


_lock = Lock()
_under_way: WeakKeyDictionary[Any, _UnderWay] = WeakKeyDictionary()
_of_unhashable = _UnderWay()


def _under_way_in(backend: Any) -> _UnderWay:
    with _lock:
        try:
            return _under_way.setdefault(backend, _UnderWay())
        except TypeError:
            return _of_unhashable


class AgentFiles:
    """Adapts a deepagents backend: of the file system, of the agent's state, of a store.

    The file lies in the backend's root, under a name that is free there. Such a backend takes a file as one value, so
    it is in memory once: give ``max_bytes``. Nothing is registered.
    """

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def save(self, file: Path, *, fmt: str, incomplete: str | None) -> Saved:
        path = "/" + self._chosen(file.name)
        try:
            written = self._written(path, file, fmt)
            if error := getattr(written, "error", None):
                raise WriteFailedError(
                    f"The backend did not take {path!r}: {legible(str(error))}. Nothing was saved.",
                    "Choose another filename, or another backend.",
                )
        except BaseException:
            self._not_chosen(path)
            raise
        return Saved(path, files_update=getattr(written, "files_update", None))

    def _chosen(self, name: str) -> str:
        under_way = _under_way_in(self._backend)
        with under_way.lock:
            listed = self._taken()
            for each in listed.intersection(under_way.names):
                under_way.names.remove(each)
            taken = listed.union(under_way.names)
            chosen = free_name(name, lambda name: alike(name) in taken)
            under_way.names.append(alike(chosen))
            return chosen

    def _not_chosen(self, path: str) -> None:
        under_way = _under_way_in(self._backend)
        with under_way.lock, contextlib.suppress(ValueError):
            under_way.names.remove(alike(path.removeprefix("/")))

    def _written(self, path: str, file: Path, fmt: str) -> Any:
        if fmt == "csv":
            return self._backend.write(path, file.read_bytes().decode())
        answers = self._backend.upload_files([(path, file.read_bytes())])
        return answers[0] if answers else None

    def _taken(self) -> set[str]:
        """Names in the root; none where the backend lists nothing."""
        entries = getattr(self._backend.ls("/"), "entries", None) if hasattr(self._backend, "ls") else None
        return {alike(entry["path"].rstrip("/").rpartition("/")[2]) for entry in entries or ()}
