"""The cloud that ``make up`` leaves running: an embedded AWS with the stack in it, kept from one day to the next."""

from __future__ import annotations

from contextlib import ExitStack

from infra.local import cdk, env_file
from infra.local.deployed import DeployedStack
from infra.local.ministack import MiniStack
from infra.local.places import LOCAL
from infra.local.sources import fingerprint
from infra.local.steps import STARTING, OnStep, nobody
from session_datasets.domain.names import DEFAULT_STACK

# The port that tools for emulated clouds expect; another one is taken when it is not free.
USUAL_PORT = 4566
STATE = LOCAL / "cloud"
DEPLOYED_FROM = STATE / "deployed-from"


def emulator() -> MiniStack:
    """The emulator behind ``make up``, running or not."""
    return MiniStack(STATE, port=USUAL_PORT, keeps_state=True)


def up(stack: str = DEFAULT_STACK, tell: OnStep = nobody) -> DeployedStack:
    """Start what does not run, deploy what changed, write the environment file; the stack. `tell` hears each step.

    When it fails, what it started is stopped.
    """
    cloud = emulator()
    with ExitStack() as undo:
        if not cloud.runs:
            tell(STARTING, "")
            cloud.start(detached=True)
            undo.callback(cloud.stop)
        deployed = _deployed(cloud.endpoint, stack, tell)
        env_file.write(deployed)
        undo.pop_all()
    return deployed


def _deployed(endpoint: str, stack: str, tell: OnStep) -> DeployedStack:
    wanted = f"{stack} {fingerprint()}"
    if DEPLOYED_FROM.is_file() and DEPLOYED_FROM.read_text() == wanted and cdk.exists(endpoint, stack):
        return cdk.existing(endpoint, stack)
    deployed = cdk.deploy(endpoint, stack=stack, log=STATE / "deploy.log", tell=tell)
    DEPLOYED_FROM.write_text(wanted)
    return deployed


def down() -> bool:
    """Stop the emulator, which writes down its state, and remove the environment file; whether it ran."""
    cloud = emulator()
    ran = cloud.runs
    cloud.stop()
    env_file.remove()
    return ran
