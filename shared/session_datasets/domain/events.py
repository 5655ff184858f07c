"""What is told to the outside of an artifact, a conversation or a run: that it happened, never what is in the data."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from session_datasets.domain.artifact import ArtifactSummary, Missing
from session_datasets.domain.scope import Scope, SharedScope


class EventType(StrEnum):
    """As EventBridge's ``detail-type`` spells it."""

    ARTIFACT_REGISTERED = "ArtifactRegistered"
    ARTIFACT_READY = "ArtifactReady"
    ARTIFACT_FAILED = "ArtifactFailed"
    ARTIFACT_MISSING = "ArtifactMissing"
    CONVERSATION_ENDED = "ConversationEnded"
    RUN_ENDED = "RunEnded"


@dataclass(frozen=True, slots=True)
class RecordImage:
    """A record as it was before a change or after it."""

    summary: ArtifactSummary
    failure_code: str | None = None
    missing: Missing | None = None


@dataclass(frozen=True, slots=True)
class RecordChange:
    """One write to a record. ``sequence`` is a number, greater for every later write to the same record."""

    scope: Scope
    before: RecordImage | None
    after: RecordImage
    sequence: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EndChange:
    """The mark that ends a conversation or a run was set."""

    scope: SharedScope
    sequence: str
    at: datetime


# What the table's stream tells of; None for a write that nobody outside needs to know of.
Change = RecordChange | EndChange | None


@dataclass(frozen=True, slots=True)
class ArtifactEvent:
    type: EventType
    id: str
    scope: Scope
    image: RecordImage
    sequence: str
    at: datetime


@dataclass(frozen=True, slots=True)
class EndEvent:
    type: EventType
    id: str
    scope: SharedScope
    sequence: str
    at: datetime


Event = ArtifactEvent | EndEvent

_ID_CHARACTERS = 32


def event_id(type_: EventType, owner: str, subject: str, sequence: str) -> str:
    """The same however often the same change is told."""
    identity = "\0".join((type_, owner, subject, sequence)).encode()
    return "evt_" + hashlib.sha256(identity).hexdigest()[:_ID_CHARACTERS]
