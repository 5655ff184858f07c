"""Temporal: payloads above a threshold cross as references to artifacts, so a history holds no rows.

>>> plugin = SessionDatasetsPlugin(workspace)
>>> client = await Client.connect("localhost:7233", plugins=[plugin])
>>> worker = Worker(client, task_queue="nodes", workflows=[...], activities=[...])

A worker takes the plugin from its client; a ``Replayer`` is given it by ``plugins=[plugin]``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from session_datasets.boundary.payloads import required_temporal

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


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    required_temporal()
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
