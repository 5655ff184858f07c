"""Who calls, and what lies within reach: owner, session, conversation, run, workspace.

An id is one path segment from an allow-list of characters, checked where it enters. Nothing else is ever
joined into a key, and ``#`` (which joins ids into a partition key) is not among the characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import ID_CHARACTERS_MAX
from session_datasets.domain.names import Verb

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]*", re.ASCII)


def checked_id(what: str, value: str) -> str:
    """``value`` itself when it is a safe single segment; refuses with invalid-request otherwise."""
    if is_id(value):
        return value
    raise Refusal(
        ProblemCode.INVALID_REQUEST,
        f"{what} is not an id.",
        advice=f"Use up to {ID_CHARACTERS_MAX} letters, digits, '.', '_', '@', '-'; a letter or digit first.",
    )


def is_id(value: str) -> bool:
    return len(value) <= ID_CHARACTERS_MAX and _ID.fullmatch(value) is not None


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated party, built from a verified token and from nothing else."""

    owner: str
    session_id: str
    node: str
    conversation_id: str | None
    run_id: str | None
    verbs: frozenset[Verb]

    def may(self, verb: Verb) -> bool:
        return verb in self.verbs

    @property
    def shared_scopes(self) -> tuple[SharedScope, ...]:
        """The run and the conversation that this session belongs to: one of them, or both."""
        ids = ((ScopeKind.RUN, self.run_id), (ScopeKind.CONVERSATION, self.conversation_id))
        return tuple(SharedScope(kind, self.owner, each) for kind, each in ids if each is not None)


class ScopeKind(StrEnum):
    CONVERSATION = "conversation"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class SharedScope:
    """A conversation or a run of one owner: what sessions share, and what is ended as a whole."""

    kind: ScopeKind
    owner: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an artifact was made. ``visible_to`` is the one rule of visibility in the product."""

    owner: str
    session_id: str
    conversation_id: str | None
    run_id: str | None

    def visible_to(self, caller: Caller) -> bool:
        """Same owner, and the same session, conversation or run."""
        if self.owner != caller.owner:
            return False
        return (
            self.session_id == caller.session_id
            or (self.conversation_id is not None and self.conversation_id == caller.conversation_id)
            or (self.run_id is not None and self.run_id == caller.run_id)
        )

    @classmethod
    def of(cls, caller: Caller) -> Scope:
        return cls(caller.owner, caller.session_id, caller.conversation_id, caller.run_id)


class ListScope(StrEnum):
    """Whose artifacts a listing shows: this session's, or those of all sessions of its conversation or run."""

    SESSION = "session"
    CONVERSATION = "conversation"
    RUN = "run"
