"""Nodes of a run with their stores, and what their references lead to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from session_datasets.boundary.references import WorkspaceStore
from session_datasets.client.workspace import Workspace
from tests.support.moto_cloud import MotoCloud

OpenNode = Callable[..., WorkspaceStore]
FRAME = pd.DataFrame({"city": ["Köln", None], "n": [1, 2]}, index=pd.Index([7, 9], name="id"))


@pytest.fixture
def node(cloud: MotoCloud, tmp_path: Path) -> OpenNode:
    """The store of a new session of run-1, with a working directory of its own."""
    count = iter(range(100))

    def opened(run_id: str = "run-1", **scope: Any) -> WorkspaceStore:
        directory = tmp_path / str(next(count))
        directory.mkdir()
        return WorkspaceStore(cloud.open(run_id=run_id, directory=directory, **scope))

    return opened


def workspace_of(store: WorkspaceStore) -> Workspace:
    return store._workspace


def artifact_id(reference: Any) -> str:
    return str(reference["$dataset"]["place"]["artifact"]["artifact_id"])


def key_of(reference: Any) -> str:
    return str(reference["$dataset"]["place"]["artifact"]["key"])
