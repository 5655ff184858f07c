"""end_run: a workflow execution is over, and what its nodes have left is removed."""

from __future__ import annotations

from session_datasets.domain.scope import ScopeKind, SharedScope
from session_datasets.operations.ending import Ended, end_scope
from session_datasets.operations.ports import Service


def end_run(service: Service, *, owner: str, run_id: str, release_leases: bool) -> Ended:
    """Ends it for good, with the workspaces of all its sessions."""
    return end_scope(service, SharedScope(ScopeKind.RUN, owner, run_id), release_leases)
