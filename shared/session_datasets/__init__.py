"""Session Datasets: large data kept out of an agent's context and handed from node to node by reference.

>>> from session_datasets import Workspace
>>> workspace = Workspace.from_env()
>>> flights = workspace.register_artifact("flights.csv", name="flights")
>>> page = workspace.read_rows(flights, offset=1_000, limit=10)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

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
    "DeployedTransport": "client.transport",
    "InProcessTransport": "client.transport",
    "Orchestrator": "client.orchestrator",
    "ReadingHints": "domain.profile",
    "Reference": "wire.reference:ReferenceModel",
    "Session": "client.orchestrator",
    "Workspace": "client.workspace",
    "correlated": "domain.correlation",
    "within": "client.deadline",
}

__getattr__, __dir__ = offered(__name__, _HOMES, modules={"errors": "client.errors"})
