"""publish_events: tells what the table's stream says has happened.

The crash model: an event is made of a write that the table has taken, and of nothing else. So none is told of what did
not happen, and none is lost between the write and the telling, wherever anything dies: the stream keeps a change until
it was told. What is told twice has the same id.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from session_datasets.domain.artifact import Status
from session_datasets.domain.events import (
    ArtifactEvent,
    Change,
    EndChange,
    EndEvent,
    Event,
    EventType,
    RecordChange,
    event_id,
)
from session_datasets.domain.scope import ScopeKind

_OF_STATUS = {
    Status.READY: EventType.ARTIFACT_READY,
    Status.FAILED: EventType.ARTIFACT_FAILED,
    Status.MISSING: EventType.ARTIFACT_MISSING,
}
_OF_END = {ScopeKind.CONVERSATION: EventType.CONVERSATION_ENDED, ScopeKind.RUN: EventType.RUN_ENDED}


class EventBus(Protocol):
    def publish(self, events: Sequence[Event]) -> int:
        """Tells them in their order; the number of leading ones that were surely taken."""


def publish_events(bus: EventBus, *, changes: Sequence[Change]) -> int:
    """The number of leading changes that are told; what comes after them is to be told once more."""
    told = [(index, event) for index, change in enumerate(changes) for event in events_of(change)]
    taken = bus.publish([event for _, event in told])
    return told[taken][0] if taken < len(told) else len(changes)


def events_of(change: Change) -> list[Event]:
    """A record that is ready at once is registered first; a change of anything but the status is told by none."""
    if change is None:
        return []
    if isinstance(change, EndChange):
        return [_end_event(change)]
    status = change.after.summary.status
    before = change.before.summary.status if change.before else None
    types = [] if change.before else [EventType.ARTIFACT_REGISTERED]
    if status is not before and status in _OF_STATUS:
        types.append(_OF_STATUS[status])
    return [_artifact_event(type_, change) for type_ in types]


def _artifact_event(type_: EventType, change: RecordChange) -> Event:
    id_ = event_id(type_, change.scope.owner, change.after.summary.artifact_id, change.sequence)
    return ArtifactEvent(type_, id_, change.scope, change.after, change.sequence, change.at)


def _end_event(change: EndChange) -> Event:
    type_ = _OF_END[change.scope.kind]
    # Ended once and for good, so the same also if the mark were told by two writes.
    id_ = event_id(type_, change.scope.owner, change.scope.id, "")
    return EndEvent(type_, id_, change.scope, change.sequence, change.at)
