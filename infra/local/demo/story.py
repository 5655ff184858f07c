"""The demo from its beginning to its clean end."""

from __future__ import annotations

import filecmp
import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from rich.console import Console

from infra.local.cdk import DeployError
from infra.local.demo import cloud
from infra.local.demo.meter import Meter, json_bytes
from infra.local.demo.node_two import INTERRUPTED
from infra.local.demo.sample import NoSampleError, flights
from infra.local.demo.second_node import REPORT
from infra.local.demo.summary import print_summary
from infra.local.demo.telling import bar, console_for, done, heading, remark, step
from infra.local.deployed import DeployedStack
from infra.local.emulator import EmulatorError
from infra.local.places import ROOT
from infra.local.steps import OnStep, steps_on
from infra.local.surroundings import forget_aws
from infra.local.tools import ToolError
from session_datasets import Orchestrator, Session
from session_datasets.cli import show
from session_datasets.cli.text import plain, size
from session_datasets.client.errors import NotFoundError, SessionDatasetsError
from session_datasets.client.surroundings import Surroundings
from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from session_datasets.wire.answers import RegisterArtifactAnswer

# What a node's process gets of this one's environment: how to write to the terminal, and nothing of AWS.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TERM", "COLORTERM", "COLUMNS", "NO_COLOR", "TMPDIR")


class DemoError(Exception):
    """The demo did not show what it promises."""


def main(file: Path | None = None) -> int:
    """Exit status 0 when everything was shown and verified, 1 with the reason, 130 when interrupted."""
    console = console_for(sys.stdout)
    signal.signal(signal.SIGTERM, _as_interrupt)
    forget_aws()
    try:
        _tell(console, handed_over(file) if file else flights(cloud.HOME))
    except KeyboardInterrupt:
        console.print("\nInterrupted; the embedded AWS is down.")
        return INTERRUPTED
    except (DemoError, DeployError, EmulatorError, ToolError, NoSampleError, SessionDatasetsError, OSError) as error:
        console.print(plain_lines(str(error)), style="bold red", markup=False)
        return 1
    done(console, "the embedded AWS is down, nothing is left running")
    return 0


def handed_over(file: Path) -> Path:
    """The caller's file in full; raises DemoError or OSError for what cannot be registered."""
    try:
        resolved = file.resolve(strict=True)
    except FileNotFoundError:
        raise DemoError(f"There is no file '{file}'.") from None
    if not resolved.is_file():
        raise DemoError(f"{file} is not a file. FILE names one file with something in it.")
    with resolved.open("rb") as opened:
        if not opened.read(1):
            raise DemoError(f"{file} is empty. FILE names one file with something in it.")
    return resolved


def plain_lines(text: str) -> str:
    return "\n".join(plain(line) for line in text.splitlines())


def _as_interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _tell(console: Console, file: Path) -> None:
    heading(console, "The cloud", "MiniStack: AWS in one process on the loopback interface, with the real stack in it")
    deploying = _deploying(console)
    with ExitStack() as until_the_end:
        state = until_the_end.enter_context(cloud.copied_state(deploying))
        with step(console, "Starting", "the embedded AWS is up, with the stack as it was deployed"):
            stack = until_the_end.enter_context(cloud.running(state))
        _hand_over(console, stack, file, state.with_name("node-two"))


@contextmanager
def _deploying(console: Console) -> Iterator[OnStep]:
    remark(console, "Deploying with the CDK; only a first run, and one after a change of the sources, waits for it")
    began = time.perf_counter()
    with steps_on(console) as tell:
        yield tell
    done(console, f"bootstrapped and deployed ({time.perf_counter() - began:.1f} s)")


def _hand_over(console: Console, stack: DeployedStack, file: Path, second_directory: Path) -> None:
    os.environ.update(stack.client_environment())
    surroundings = Surroundings.of(os.environ)
    meter = Meter(surroundings.transport())
    orchestrator = Orchestrator(meter, surroundings.variables())
    chat, run = f"chat-{uuid.uuid4().hex[:8]}", f"run-{uuid.uuid4().hex[:8]}"
    sessions = [
        orchestrator.open_session(owner="demo", conversation_id=chat, run_id=run, node=node)
        for node in ("produce", "analyse")
    ]
    done(console, f"opened two sessions, one for each node of {run} in conversation {chat}")
    registered = _register(console, sessions[0], file)
    reference = json.dumps(registered.reference.model_dump(exclude_none=True))
    report = _run_second_node(stack, sessions[1], reference, second_directory)
    meter.add(report["tallies"])
    _compare(console, file, Path(report["path"]))
    _refuse_stranger(console, orchestrator, run, registered)
    _sum_up(console, meter, registered, reference, report["seen_bytes"])


def _register(console: Console, session: Session, file: Path) -> RegisterArtifactAnswer:
    heading(console, "Node one", f"process {os.getpid()}, registers {plain(str(file))}")
    with bar(console, "Uploading") as tell:
        registered = session.workspace().register_artifact(
            file, name=file.name, description="Registered by the demo's first node.", progress=tell
        )
    done(console, f"uploaded {size(file.stat().st_size)} and registered them")
    console.print(show.artifact(registered))
    return registered


def _run_second_node(stack: DeployedStack, session: Session, reference: str, directory: Path) -> dict[str, Any]:
    """Runs node two in ``directory`` to its end; what it reports."""
    directory.mkdir()
    sys.stdout.flush()
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    code = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "shared"))), "PYTHONIOENCODING": "utf-8"}
    # An interpreter that is interrupted while it starts says so at length: node two is born with interrupts held back,
    # and lets them in when it can answer.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        node = subprocess.Popen(
            [sys.executable, "-m", "infra.local.demo.node_two", reference],
            cwd=directory,
            env={**passed_on, **code, **stack.client_environment(), **session.environment()},
        )
        with node:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                node.wait()
            except BaseException:
                node.kill()
                raise
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if node.returncode:
        raise DemoError(f"Node two failed with status {node.returncode}.")
    report: dict[str, Any] = json.loads((directory / REPORT).read_text())
    return report


def _compare(console: Console, original: Path, loaded: Path) -> None:
    if not filecmp.cmp(original, loaded, shallow=False):
        raise DemoError(f"{loaded} is not the file that was registered.")
    done(console, "the loaded file is the original, byte for byte")


def _refuse_stranger(
    console: Console, orchestrator: Orchestrator, run: str, registered: RegisterArtifactAnswer
) -> None:
    """Another owner gets one answer, whether the artifact exists or not."""
    heading(console, "A stranger", "another owner's session, with the right reference")
    stranger = orchestrator.open_session(owner="stranger", run_id=run).workspace()
    answers = [_refusal(stranger, each) for each in (registered.artifact_id, ARTIFACT_ID_PREFIX + 26 * "0")]
    if answers[0] != answers[1]:
        raise DemoError("A stranger can tell an artifact that exists from one that does not.")
    done(console, f"refused: {answers[0]}")
    done(console, "the answer for an id that does not exist is the same")


def _refusal(stranger: Any, artifact_id: str) -> str:
    try:
        stranger.describe_artifact(artifact_id)
    except NotFoundError as error:
        return str(error)
    raise DemoError("A stranger was answered.")


def _sum_up(
    console: Console, meter: Meter, registered: RegisterArtifactAnswer, reference: str, listed_bytes: int
) -> None:
    profile = registered.profile
    rows = f" of {profile.shape.rows:,}, a preview of {len(profile.preview.rows)} aside" if profile else ""
    heading(console, "What went through each verb", "as counted at the nodes")
    print_summary(console, meter)
    answer = json_bytes(registered.to_json())
    console.print()
    console.print(f"Rows through a prompt: 0{rows}", style="bold")
    console.print(
        f"All that an agent would have seen: the reference {len(reference.encode()):,} bytes, "
        f"the registration's answer with schema, statistics and preview {answer:,}, the listing {listed_bytes:,}."
    )
