"""Temporal: payloads above a threshold cross as references to artifacts, so a history holds no rows.

>>> plugin = SessionDatasetsPlugin(workspace)
>>> client = await Client.connect("localhost:7233", plugins=[plugin])
>>> worker = Worker(client, task_queue="nodes", workflows=[...], activities=[...])

A worker takes the plugin from its client; a ``Replayer`` is given it by ``plugins=[plugin]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.boundary.payloads import required_temporal
from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.boundary.temporal.driver import ArtifactStorageDriver as ArtifactStorageDriver
    from session_datasets.boundary.temporal.payload_converter import (
        SetFieldsPayloadConverter as SetFieldsPayloadConverter,
    )
    from session_datasets.boundary.temporal.plugin import SessionDatasetsPlugin as SessionDatasetsPlugin

_HOMES = {
    "ArtifactStorageDriver": "driver",
    "SessionDatasetsPlugin": "plugin",
    "SetFieldsPayloadConverter": "payload_converter",
}

__all__ = [
    "ArtifactStorageDriver",
    "SessionDatasetsPlugin",
    "SetFieldsPayloadConverter",
]

__getattr__, __dir__ = offered(__name__, _HOMES, before=required_temporal)
