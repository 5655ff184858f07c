"""The service in this process, its storage behind a proxy that fails on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from session_datasets.client.patience import Patience
from session_datasets.client.workspace import Workspace
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.flaky import FlakyStorage, flaky_storage

# Waits are drawn, but nobody sleeps.
IMPATIENT = Patience(sleep=lambda seconds: None)


@pytest.fixture(scope="session")
def flaky_server(moto_server: str) -> Iterator[FlakyStorage]:
    with flaky_storage(moto_server) as storage:
        yield storage


@pytest.fixture
def storage(flaky_server: FlakyStorage) -> FlakyStorage:
    """The proxy, without faults and without memories."""
    flaky_server.faults.clear()
    flaky_server.passed.clear()
    return flaky_server


@pytest.fixture
def flaky_cloud(storage: FlakyStorage) -> MotoCloud:
    return MotoCloud(storage.endpoint)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """The working directory of ``workspace``."""
    return tmp_path / "node"


@pytest.fixture
def workspace(flaky_cloud: MotoCloud, directory: Path) -> Workspace:
    directory.mkdir()
    return Workspace(flaky_cloud.token(run_id="run"), flaky_cloud.transport(), directory, patience=IMPATIENT)
