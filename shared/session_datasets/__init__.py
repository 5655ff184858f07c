"""Session Datasets: large data kept out of an agent's context and handed from node to node by reference.

>>> from session_datasets import Workspace
>>> workspace = Workspace.from_env()
>>> flights = workspace.register_artifact("flights.csv", name="flights")
>>> page = workspace.read_rows(flights, offset=1_000, limit=10)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from session_datasets.client import errors as errors
    from session_datasets.client.deadline import within as within
    from session_datasets.client.orchestrator import Orchestrator as Orchestrator
    from session_datasets.client.orchestrator import Session as Session
    from session_datasets.client.transport import DeployedTransport as DeployedTransport
    from session_datasets.client.transport import InProcessTransport as InProcessTransport
    from session_datasets.client.workspace import Workspace as Workspace
    from session_datasets.domain.correlation import correlated as correlated
    from session_datasets.domain.profile import ReadingHints as ReadingHints
    from session_datasets.wire.reference import ReferenceModel as Reference

__all__ = [
    "DeployedTransport",
    "InProcessTransport",
    "Orchestrator",
    "ReadingHints",
    "Reference",
    "Session",
    "Workspace",
    "correlated",
    "errors",
    "within",
]

# Where each public name lives. Loaded when it is asked for: the functions import this package, too, and pay for
# no client at their cold start.
_HOMES = {
    "DeployedTransport": ("session_datasets.client.transport", "DeployedTransport"),
    "InProcessTransport": ("session_datasets.client.transport", "InProcessTransport"),
    "Orchestrator": ("session_datasets.client.orchestrator", "Orchestrator"),
    "ReadingHints": ("session_datasets.domain.profile", "ReadingHints"),
    "Reference": ("session_datasets.wire.reference", "ReferenceModel"),
    "Session": ("session_datasets.client.orchestrator", "Session"),
    "Workspace": ("session_datasets.client.workspace", "Workspace"),
    "correlated": ("session_datasets.domain.correlation", "correlated"),
    "within": ("session_datasets.client.deadline", "within"),
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("session_datasets.client.errors")
    try:
        module, attribute = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
