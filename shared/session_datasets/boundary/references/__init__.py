"""Dataset references: a large value becomes a file and a small ``{"$dataset": ...}``, and comes back from it.

>>> from session_datasets.boundary import references
>>> store = references.WorkspaceStore(workspace)
>>> output = references.externalize({"orders": frame, "total": 3}, store)
>>> references.hydrate(output, store)["orders"].equals(frame)
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from session_datasets.boundary.references.blobs import load_bytes as load_bytes
    from session_datasets.boundary.references.blobs import save_bytes as save_bytes
    from session_datasets.boundary.references.pointer import is_reference as is_reference
    from session_datasets.boundary.references.stores import FolderStore as FolderStore
    from session_datasets.boundary.references.stores import Store as Store
    from session_datasets.boundary.references.workspace_store import WorkspaceStore as WorkspaceStore

_HERE = "session_datasets.boundary.references"
_HOMES = {
    "FolderStore": "stores",
    "Store": "stores",
    "WorkspaceStore": "workspace_store",
    "is_reference": "pointer",
    "load_bytes": "blobs",
    "save_bytes": "blobs",
}

__all__ = ["FolderStore", "Store", "WorkspaceStore", "is_reference", "load_bytes", "save_bytes"]


def __getattr__(name: str) -> Any:
    if name in ("errors", "limits"):
        return import_module(f"{_HERE}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{_HERE}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
