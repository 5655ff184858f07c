"""The door of describe_artifact."""

from __future__ import annotations

from session_datasets.domain.names import Verb
from session_datasets.operations.describe_artifact import describe_artifact
from session_datasets.runtime.door import Door
from session_datasets.runtime.wiring import light
from session_datasets.wire.answers import DescribeArtifactAnswer
from session_datasets.wire.requests import DescribeArtifactRequest

handler = Door(
    Verb.DESCRIBE_ARTIFACT,
    request=DescribeArtifactRequest,
    operation=describe_artifact,
    answer=DescribeArtifactAnswer.of,
    wire=light,
)
