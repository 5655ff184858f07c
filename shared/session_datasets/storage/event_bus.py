"""The bus that events are told on, in EventBridge."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from session_datasets.domain.events import Event
from session_datasets.domain.names import EVENT_SOURCE

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Entries of one PutEvents.
_AT_ONCE = 10


class EventBridgeBus:
    """``operations.publish_events.EventBus`` on one bus; ``detail_of`` says what is told of an event."""

    def __init__(self, events: BaseClient, bus: str, detail_of: Callable[[Event], dict[str, Any]]) -> None:
        self._events = events
        self._bus = bus
        self._detail_of = detail_of

    def publish(self, events: Sequence[Event]) -> int:
        for first in range(0, len(events), _AT_ONCE):
            taken = self._taken(events[first : first + _AT_ONCE])
            if taken < len(events[first : first + _AT_ONCE]):
                return first + taken
        return len(events)

    def _taken(self, events: Sequence[Event]) -> int:
        """The number of leading ones: those behind the first that failed are told again, with it."""
        answer = self._events.put_events(Entries=[self._entry(event) for event in events])
        results = answer["Entries"] if answer["FailedEntryCount"] else []
        return next((index for index, each in enumerate(results) if each.get("ErrorCode")), len(events))

    def _entry(self, event: Event) -> dict[str, Any]:
        return {
            "EventBusName": self._bus,
            "Source": EVENT_SOURCE,
            "DetailType": event.type.value,
            "Detail": json.dumps(self._detail_of(event), ensure_ascii=False),
            "Time": event.at,
        }
