"""``python -m infra.local.example NAME [--stack STACK]``: a program of shared/examples, with a cloud for it.

Without a stack the cloud is a throwaway one: a copy of what ``make demo`` deployed, gone when the program ends. With
one it is that stack of the cloud that ``make up`` keeps running. What the example prints goes to standard output, what
this says to standard error.
"""

from __future__ import annotations

import argparse
import difflib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NoReturn

from infra.local import background, cdk
from infra.local.demo import cloud
from infra.local.deployed import DeployedStack
from infra.local.emulator import EmulatorError
from infra.local.places import ROOT
from infra.local.steps import on_standard_error, steps_on
from infra.local.surroundings import forget_aws
from infra.local.tools import ToolError

EXAMPLES = ROOT / "shared" / "examples"
PROGRAM = "main.py"
INTERRUPTED = 130
# Between asking an example's processes to end and ending them.
GRACE_SECONDS = 10


class ExampleError(Exception):
    """There is no such example, or no such stack to run it on; the text says what there is."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The example's own exit status; 0 and a list without a name, 2 for a name that is none, 130 when interrupted."""
    parser = argparse.ArgumentParser(prog="python -m infra.local.example", description=__doc__)
    parser.add_argument("name", nargs="?", default="", help="the folder's name; without one they are listed")
    parser.add_argument("--stack", help="a stack of the cloud that `make up` keeps running")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _as_interrupt)
    forget_aws()
    try:
        if not options.name:
            print(f"Say which. The examples:\n{listing()}")
            return 0
        program = found(options.name)
        with _standing(options.stack) if options.stack else _throwaway() as stack:
            return run(program, stack)
    except KeyboardInterrupt:
        _say("Interrupted; nothing of the example is left running.")
        return INTERRUPTED
    except ExampleError as error:
        _say(str(error))
        return 2
    except (cdk.DeployError, EmulatorError, ToolError, OSError) as error:
        _say(str(error))
        return 1


def found(name: str, examples: Path = EXAMPLES) -> Path:
    """The program of the example ``name``; raises ExampleError with all the names there are."""
    known = names(examples)
    if name in known:
        return examples / name / PROGRAM
    near = difflib.get_close_matches(name, known, n=1)
    said = f"There is no example {name!r}." + (f" Did you mean {near[0]}?" if near else "")
    raise ExampleError(f"{said} The examples:\n{listing(examples)}")


def listing(examples: Path = EXAMPLES) -> str:
    """A line for each, with the command that runs it."""
    return "\n".join(f"  make example NAME={each:<24} {title(examples / each)}" for each in names(examples))


def names(examples: Path = EXAMPLES) -> list[str]:
    """Every folder with a program, sorted."""
    return sorted(program.parent.name for program in examples.glob(f"*/{PROGRAM}"))


def title(example: Path) -> str:
    """The first line of the example's README, without its mark."""
    readme = example / "README.md"
    return readme.read_text().partition("\n")[0].lstrip("# ") if readme.is_file() else ""


def run(program: Path, stack: DeployedStack) -> int:
    """Runs the program in a directory of its own that is removed, and ends every process it has started; its status."""
    _say(f"Running {program.parent.name} ...")
    code = {"PYTHONPATH": str(ROOT / "shared"), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with TemporaryDirectory(prefix=f"{program.parent.name}-") as directory, TemporaryDirectory() as scratch:
        # A group of its own, so that whatever the example starts can be ended with it.
        process = subprocess.Popen(
            [sys.executable, str(program)],
            cwd=directory,
            env={**os.environ, **stack.client_environment(), **code, "TMPDIR": scratch},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait()
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asks first, for the sake of servers that the example's own end would stop; then nobody is asked any more."""
    _signal(process, signal.SIGTERM)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
    finally:
        _signal(process, signal.SIGKILL)
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    # Nobody of the group may be left; macOS says so by refusing.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@contextmanager
def _throwaway() -> Iterator[DeployedStack]:
    """A copy of what ``make demo`` deployed; each step is told before it is waited for."""
    _say("Starting a throwaway cloud ...")
    if not cloud.is_deployed():
        _say("Deploying the stack into it; only the first run after a change of the sources waits for this ...")
    with cloud.copied_state(steps_on(on_standard_error())) as state:
        _say("Starting a copy of what was deployed ...")
        with cloud.running(state) as stack:
            yield stack


@contextmanager
def _standing(name: str) -> Iterator[DeployedStack]:
    emulator = background.emulator()
    if not emulator.runs:
        raise ExampleError(
            "No local cloud is up. Start one with `make up`, or leave STACK out to have a throwaway one."
        )
    if not cdk.exists(emulator.endpoint, name):
        raise ExampleError(
            f"The local cloud has no stack {name!r}. Deploy it with `make up`, or leave STACK out to have a throwaway "
            "cloud."
        )
    yield cdk.existing(emulator.endpoint, name)


def _as_interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
