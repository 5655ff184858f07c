"""end_conversation: a chat is over, and what its workspace holds is removed."""

from __future__ import annotations

from session_datasets.domain.scope import ScopeKind, SharedScope
from session_datasets.operations.ending import Ended, end_scope
from session_datasets.operations.ports import Service


def end_conversation(service: Service, *, owner: str, conversation_id: str, release_leases: bool) -> Ended:
    """Ends it for good. Artifacts of runs that were opened for it stay with their run."""
    return end_scope(service, SharedScope(ScopeKind.CONVERSATION, owner, conversation_id), release_leases)
