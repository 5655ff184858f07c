"""The door of profile_artifact, which opens to messages of the queue."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.profile_artifact import profile_artifact
from session_datasets.runtime.queue_door import QueueDoor
from session_datasets.runtime.tabular_wiring import worker

handler = QueueDoor(Verb.PROFILE_ARTIFACT, operation=profile_artifact, wire=worker)
