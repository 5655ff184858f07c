"""The demo's own AWS: deployed once, kept pristine, and every run works in a copy that is thrown away."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local import cdk
from infra.local.deployed import DeployedStack
from infra.local.ministack import MiniStack
from infra.local.places import LOCAL
from infra.local.sources import fingerprint
from session_datasets.domain.names import DEFAULT_STACK

HOME = LOCAL / "demo"
_PRISTINE = HOME / "pristine"
_STAMP = "deployed-from"


@contextmanager
def copied_state(deploying: AbstractContextManager[object]) -> Iterator[Path]:
    """A folder with a deployed cloud's state, removed at the end. Enters ``deploying`` while it deploys, once."""
    HOME.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="run-", dir=HOME) as folder:
        with (HOME / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_deployed():
                with deploying:
                    _deploy()
            state = Path(folder) / "cloud"
            shutil.copytree(_PRISTINE, state, ignore=shutil.ignore_patterns("tmp", "running", "*.log"))
        yield state


def is_deployed() -> bool:
    """Whether the pristine state is what a deployment of the present sources gives."""
    stamp = _PRISTINE / _STAMP
    return stamp.is_file() and stamp.read_text() == fingerprint()


@contextmanager
def running(state: Path) -> Iterator[DeployedStack]:
    """The cloud of that state, up while the context lasts."""
    with MiniStack(state, keeps_state=True) as emulator:
        yield cdk.existing(emulator.endpoint, DEFAULT_STACK)


def _deploy() -> None:
    """Bootstraps and deploys into a fresh emulator, and keeps its state. The CDK's words are in ``deploy.log``."""
    shutil.rmtree(_PRISTINE, ignore_errors=True)
    _PRISTINE.mkdir(parents=True)
    deployed_from = fingerprint()
    with MiniStack(_PRISTINE, keeps_state=True) as emulator:
        cdk.deploy(emulator.endpoint, log=HOME / "deploy.log")
    # The stamp comes last: a deployment that broke off is never taken for one.
    (_PRISTINE / _STAMP).write_text(deployed_from)
