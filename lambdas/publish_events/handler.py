"""The door of publish_events, which follows the table's stream."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.publish_events import publish_events
from session_datasets.runtime.events_wiring import publishing
from session_datasets.runtime.stream_door import StreamDoor

handler = StreamDoor(Verb.PUBLISH_EVENTS, operation=publish_events, wire=publishing)
