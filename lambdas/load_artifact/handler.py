"""The door of load_artifact."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.load_artifact import load_artifact
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import light
from session_datasets.wire.answers import LoadArtifactAnswer
from session_datasets.wire.requests import LoadArtifactRequest

handler = Door(
    Verb.LOAD_ARTIFACT,
    request=LoadArtifactRequest,
    operation=load_artifact,
    answer=LoadArtifactAnswer.of,
    wire=light,
)
