"""Fixtures of the rings that run on deployed functions: import them in the folder's conftest.py."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.local.deployed import DeployedStack
from tests.support.cloud import deployed_cloud, emulators_under_test
from tests.support.deployed_cloud import DeployedCloud


@pytest.fixture(scope="session", params=emulators_under_test())
def stack(request: pytest.FixtureRequest) -> Iterator[DeployedStack]:
    """The stack as CDK deployed it, once for each emulator; a test that uses it runs on every one."""
    with deployed_cloud(request.param) as deployed:
        yield deployed


@pytest.fixture
def cloud(stack: DeployedStack, monkeypatch: pytest.MonkeyPatch) -> DeployedCloud:
    """The deployed stack, which the SDK finds in this process's environment as a node's would."""
    for name, value in stack.client_environment().items():
        monkeypatch.setenv(name, value)
    return DeployedCloud(stack)
