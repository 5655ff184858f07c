"""The demo's own AWS: deployed once, kept pristine, and every run works in a copy that is thrown away."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from infra.local import cdk
from infra.local.deployed import DeployedStack
from infra.local.ministack import MiniStack
from infra.local.places import LOCAL
from infra.local.sources import fingerprint
from infra.local.steps import STARTING, OnStep
from session_datasets.domain.names import DEFAULT_STACK

HOME = LOCAL / "demo"
_PRISTINE = HOME / "pristine"
_STAMP = "deployed-from"
_RUN = "run-"
_ALIVE = "alive"


@contextmanager
def copied_state(deploying: AbstractContextManager[OnStep]) -> Iterator[Path]:
    """A folder with a deployed cloud's state, removed at the end. Enters ``deploying`` while it deploys, once, and
    tells it each step."""
    HOME.mkdir(parents=True, exist_ok=True)
    with ExitStack() as until_the_end:
        with (HOME / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sweep()
            if not is_deployed():
                with deploying as tell:
                    _deploy(tell)
            state = until_the_end.enter_context(_run_folder()) / "cloud"
            shutil.copytree(_PRISTINE, state, ignore=shutil.ignore_patterns("tmp", "running", "*.log"))
        yield state


def sweep() -> None:
    """Removes what runs left that could not clean up: they were killed, or the machine went down."""
    for folder in HOME.glob(f"{_RUN}*"):
        if not _is_alive(folder):
            # Its emulator sees that its parent is gone and ends by itself, but takes a moment.
            MiniStack(folder / "cloud").stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _run_folder() -> Iterator[Path]:
    """A run's own folder. The lock in it is held while the run's process lives, however that ends."""
    with TemporaryDirectory(prefix=_RUN, dir=HOME) as folder, (Path(folder) / _ALIVE).open("w") as alive:
        fcntl.flock(alive, fcntl.LOCK_EX)
        yield Path(folder)


def _is_alive(folder: Path) -> bool:
    try:
        with (folder / _ALIVE).open() as alive:
            fcntl.flock(alive, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        pass
    return False


def is_deployed() -> bool:
    """Whether the pristine state is what a deployment of the present sources gives."""
    stamp = _PRISTINE / _STAMP
    return stamp.is_file() and stamp.read_text() == fingerprint()


@contextmanager
def running(state: Path) -> Iterator[DeployedStack]:
    """The cloud of that state, up while the context lasts."""
    with MiniStack(state, keeps_state=True) as emulator:
        yield cdk.existing(emulator.endpoint, DEFAULT_STACK)


def _deploy(tell: OnStep) -> None:
    """Bootstraps and deploys into a fresh emulator, and keeps its state. The CDK's words are in ``deploy.log``."""
    shutil.rmtree(_PRISTINE, ignore_errors=True)
    _PRISTINE.mkdir(parents=True)
    deployed_from = fingerprint()
    tell(STARTING, "")
    with MiniStack(_PRISTINE, keeps_state=True) as emulator:
        cdk.deploy(emulator.endpoint, log=HOME / "deploy.log", tell=tell)
    # The stamp comes last: a deployment that broke off is never taken for one.
    (_PRISTINE / _STAMP).write_text(deployed_from)
