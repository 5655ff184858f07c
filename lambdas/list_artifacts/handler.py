"""The door of list_artifacts."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.list_artifacts import list_artifacts
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import light
from session_datasets.wire.answers import ListArtifactsAnswer
from session_datasets.wire.requests import ListArtifactsRequest

handler = Door(
    Verb.LIST_ARTIFACTS,
    request=ListArtifactsRequest,
    operation=list_artifacts,
    answer=ListArtifactsAnswer.of,
    wire=light,
)
