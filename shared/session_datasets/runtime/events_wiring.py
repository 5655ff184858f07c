"""The wiring of publish_events, which knows a bus and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from session_datasets.runtime.settings import event_bus_settings
from session_datasets.storage import aws
from session_datasets.storage.event_bus import EventBridgeBus
from session_datasets.wire.events import detail_of


@dataclass(frozen=True, slots=True)
class Publishing:
    """``runtime.stream_door.Following`` on one bus."""

    stack: str
    bus: EventBridgeBus


@cache
def publishing() -> Publishing:
    stack, bus = event_bus_settings()
    return Publishing(stack, EventBridgeBus(aws.events(), bus, detail_of))
