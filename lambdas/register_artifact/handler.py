"""The door of register_artifact."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.register_artifact import register_artifact
from session_datasets.runtime.door import Door
from session_datasets.runtime.tabular_wiring import tabular
from session_datasets.wire.answers import RegisterArtifactAnswer
from session_datasets.wire.requests import RegisterArtifactRequest

handler = Door(
    Verb.REGISTER_ARTIFACT,
    request=RegisterArtifactRequest,
    operation=register_artifact,
    answer=RegisterArtifactAnswer.of,
    wire=tabular,
)
