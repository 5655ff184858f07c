"""Lazy results become files under a byte budget; what the agent gets is a summary.

>>> from session_datasets.materialize import WorkspaceBackend, materialize_result
>>> result = materialize_result(["id", "name"], cursor, WorkspaceBackend(workspace), max_bytes=50_000_000)
>>> result.to_summary()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.materialize.agent_files import AgentFiles as AgentFiles
    from session_datasets.materialize.backends import Backend as Backend
    from session_datasets.materialize.backends import LocalFolder as LocalFolder
    from session_datasets.materialize.backends import Saved as Saved
    from session_datasets.materialize.backends import WorkspaceBackend as WorkspaceBackend
    from session_datasets.materialize.command import write_command as write_command
    from session_datasets.materialize.json_texts import json_bytes as json_bytes
    from session_datasets.materialize.materializing import materialize_result as materialize_result
    from session_datasets.materialize.result import MaterializedResult as MaterializedResult
    from session_datasets.materialize.taking import take_within_bytes as take_within_bytes

# Where each public name lives; loaded when it is asked for, so that nobody pays for what is not used.
_HOMES = {
    "AgentFiles": "agent_files",
    "Backend": "backends",
    "LocalFolder": "backends",
    "MaterializedResult": "result",
    "Saved": "backends",
    "WorkspaceBackend": "backends",
    "json_bytes": "json_texts",
    "materialize_result": "materializing",
    "take_within_bytes": "taking",
    "write_command": "command",
}

__all__ = [
    "AgentFiles",
    "Backend",
    "LocalFolder",
    "MaterializedResult",
    "Saved",
    "WorkspaceBackend",
    "json_bytes",
    "materialize_result",
    "take_within_bytes",
    "write_command",
]

__getattr__, __dir__ = offered(__name__, _HOMES)
