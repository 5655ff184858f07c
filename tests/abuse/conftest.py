"""The cases of abuse: in process where no service is involved, on deployed functions where one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from infra.local.deployed import DeployedStack
from tests.contract.conftest import opened
from tests.support.deployed_cloud import DeployedCloud
from tests.support.sessions import Session

__all__ = ["opened"]


@pytest.fixture
def node(opened: Callable[..., Session]) -> Session:
    """A node's session of the cloud in this process."""
    return opened(run_id="run-1")


@pytest.fixture
def deployed(stack: DeployedStack, monkeypatch: pytest.MonkeyPatch) -> DeployedCloud:
    """The deployed stack, on each emulator in turn; ``cloud`` is the one in this process."""
    for name, value in stack.client_environment().items():
        monkeypatch.setenv(name, value)
    return DeployedCloud(stack)


@pytest.fixture
def opened_there(deployed: DeployedCloud) -> Callable[..., Session]:
    """Opens sessions of the deployed stack, which tests share; of one new run when nothing is said."""
    run_id = f"run-{uuid4().hex}"

    def open_session(**scope: Any) -> Session:
        return Session.open(deployed, **(scope or {"run_id": run_id}))

    return open_session


@pytest.fixture
def node_there(opened_there: Callable[..., Session]) -> Session:
    return opened_there()
