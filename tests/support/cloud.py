"""A cloud for a whole test session: an emulator of our own, or whatever AWS_ENDPOINT_URL points at."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.local import cdk
from infra.local.deployed import DeployedStack
from infra.local.emulator import Emulator
from infra.local.localstack import LocalStack
from infra.local.ministack import MiniStack
from session_datasets.domain.names import DEFAULT_STACK

EMULATORS: dict[str, type[Emulator]] = {"ministack": MiniStack, "localstack": LocalStack}

# Set to run the same suite against an emulator in a container, or any other endpoint, instead of our own.
ENDPOINT = "AWS_ENDPOINT_URL"
# Which environment is deployed there: "local" needs functions' dependencies in the emulator's interpreter,
# "sandbox" carries them, as an emulator in a container wants it.
ENVIRONMENT = "TEST_ENVIRONMENT"


def emulators_under_test() -> list[str]:
    """The parameters of the session's fixture: both emulators, or the one endpoint that is given."""
    return ["given"] if os.environ.get(ENDPOINT) else list(EMULATORS)


def told_of_endpoint() -> str | None:
    """What whoever runs the tests should know when, perhaps by a sourced file, one endpoint is given."""
    if endpoint := os.environ.get(ENDPOINT):
        return (
            f"{ENDPOINT} is set: what is tested on a deployed stack is tested at {endpoint} only. "
            f"Unset it to test on {' and '.join(EMULATORS)}."
        )
    return None


@contextmanager
def deployed_cloud(name: str, *, stack: str = DEFAULT_STACK) -> Iterator[DeployedStack]:
    """The stack, deployed by the CDK command line to the emulator `name` ("given": AWS_ENDPOINT_URL).

    Raises with the emulator's or the CDK's own words when either fails; nothing is ever skipped. Whatever was
    started is stopped and its files are removed, also when the deployment fails.
    """
    if name == "given":
        yield cdk.deploy(os.environ[ENDPOINT], stack=stack, env=os.environ.get(ENVIRONMENT, "local"))
        return
    with tempfile.TemporaryDirectory(prefix=f"{name}-") as state, EMULATORS[name](Path(state)) as emulator:
        yield cdk.deploy(emulator.endpoint, stack=stack)
