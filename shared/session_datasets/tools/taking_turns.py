"""Whoever changes one file of a workspace waits for whoever does so already: an agent's tools run beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakKeyDictionary, WeakValueDictionary

from session_datasets.client.workspace import Workspace

_lock = Lock()
# A path's lock lives as long as somebody holds it or waits for it.
_paths: WeakKeyDictionary[Workspace, WeakValueDictionary[str, Lock]] = WeakKeyDictionary()


@contextmanager
def turn(workspace: Workspace, path: str) -> Iterator[None]:
    """While it lasts, no other thread has a turn at this path of this workspace, by whichever backend."""
    with _lock:
        paths = _paths.setdefault(workspace, WeakValueDictionary())
        mine = paths.setdefault(path, Lock())
    with mine:
        yield
