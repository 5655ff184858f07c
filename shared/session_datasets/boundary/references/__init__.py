"""Dataset references: a large value becomes a file and a small ``{"$dataset": ...}``, and comes back from it.

>>> from session_datasets.boundary import references
>>> store = references.WorkspaceStore(workspace)
>>> output = references.externalize({"orders": frame, "total": 3}, store)
>>> references.hydrate(output, store)["orders"].equals(frame)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.boundary.references.blobs import load_bytes as load_bytes
    from session_datasets.boundary.references.blobs import save_bytes as save_bytes
    from session_datasets.boundary.references.describing import describe as describe
    from session_datasets.boundary.references.loading import hydrate as hydrate
    from session_datasets.boundary.references.loading import load as load
    from session_datasets.boundary.references.nodes import node as node
    from session_datasets.boundary.references.pointer import is_reference as is_reference
    from session_datasets.boundary.references.saving import externalize as externalize
    from session_datasets.boundary.references.saving import save as save
    from session_datasets.boundary.references.saving import should_spill as should_spill
    from session_datasets.boundary.references.stores import FolderStore as FolderStore
    from session_datasets.boundary.references.stores import Store as Store
    from session_datasets.boundary.references.workspace_store import WorkspaceStore as WorkspaceStore

_HOMES = {
    "FolderStore": "stores",
    "Store": "stores",
    "WorkspaceStore": "workspace_store",
    "describe": "describing",
    "externalize": "saving",
    "hydrate": "loading",
    "is_reference": "pointer",
    "load": "loading",
    "load_bytes": "blobs",
    "node": "nodes",
    "save": "saving",
    "save_bytes": "blobs",
    "should_spill": "saving",
}

__all__ = [
    "FolderStore",
    "Store",
    "WorkspaceStore",
    "describe",
    "externalize",
    "hydrate",
    "is_reference",
    "load",
    "load_bytes",
    "node",
    "save",
    "save_bytes",
    "should_spill",
]

__getattr__, __dir__ = offered(__name__, _HOMES, modules={"errors": "errors", "limits": "limits"})
