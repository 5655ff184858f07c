"""open_session: the orchestrator starts a session for a node or a chat and gets its access token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.names import Verb
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service


@dataclass(frozen=True, slots=True)
class OpenedSession:
    token: str
    session_id: str
    workspace: str
    expires_at: datetime


def open_session(
    service: Service,
    *,
    owner: str,
    conversation_id: str | None,
    run_id: str | None,
    node: str,
    ttl_seconds: int,
    verbs: Sequence[Verb],
) -> OpenedSession:
    """Binds owner, conversation, run, node and verbs to a new session id, which holds conversation and run until then.

    Refusal ended when one of them has.
    """
    if conversation_id is None and run_id is None:
        raise Refusal(
            ProblemCode.INVALID_REQUEST,
            "A session needs a conversation_id, a run_id or both; none was opened.",
            advice="Pass the conversation's id for a chat, the run's id for a workflow node.",
        )
    caller = Caller(owner, service.new_id(), node, conversation_id, run_id, frozenset(verbs))
    issued_at = service.clock()
    expires_at = issued_at + timedelta(seconds=ttl_seconds)
    if ended := service.leases.take(caller, issued_at, expires_at):
        raise Refusal(ProblemCode.ENDED, f"The {ended.kind} {ended.id} of {owner} has ended; no session was opened.")
    return OpenedSession(
        token=service.tokens.issue(caller, issued_at=issued_at, expires_at=expires_at),
        session_id=caller.session_id,
        workspace=service.files.workspace(caller),
        expires_at=expires_at,
    )
