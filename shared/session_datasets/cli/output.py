"""Where the command line writes: results to standard output, everything said about them to standard error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console, Group, RenderableType
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from session_datasets.cli.text import plain
from session_datasets.client.doctor.attempt import Note
from session_datasets.client.errors import ProblemError, SessionDatasetsError
from session_datasets.client.orchestrator import OnRemoved
from session_datasets.client.progress import OnProgress
from session_datasets.client.waiting import OnProfiling
from session_datasets.domain.redaction import redact
from session_datasets.wire.answers import DescribeArtifactAnswer
from session_datasets.wire.base import Answer
from session_datasets.wire.ending import RemovedPart

_FILE_PROBLEMS: dict[type[OSError], str] = {
    FileNotFoundError: "There is no file {file}.",
    IsADirectoryError: "A folder is not a file: {file}. Name one file.",
    NotADirectoryError: "{file} can not be there: a part of its path is a file.",
    PermissionError: "This user may not open {file}.",
}
_COMMANDS = {
    "open_session": "open",
    "register_artifact": "register",
    "list_artifacts": "list",
    "describe_artifact": "describe",
    "read_rows": "rows",
    "read_columns": "columns",
    "load_artifact": "load",
    "end_conversation": "end-conversation",
    "end_run": "end-run",
}
_VERBS = re.compile(rf"\b({'|'.join(_COMMANDS)})\b")
# Cells of a line that no screen bounds: a table of the most columns that are shown, each of full width, fits.
_UNBOUNDED = 2_000


def results() -> Console:
    """As wide as the terminal; elsewhere as wide as the result, for there a broken line is a damaged one."""
    # Made when needed: standard output may have been replaced since this module was imported.
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _UNBOUNDED
    return console


def print_answer(answer: Any, shown: Callable[[Any], RenderableType], as_json: bool) -> None:
    """``answer`` as the service spelled it, or as ``shown`` makes it for a person."""
    if as_json:
        print_json(answer.to_json() if isinstance(answer, Answer) else answer.model_dump(mode="json"))
    else:
        print_result(shown(answer))


def print_result(shown: RenderableType) -> None:
    """What does not fit is left to the terminal to break: nothing is cut off."""
    # In a group, since rich makes a text of its own out of one that stands alone, and breaks that.
    results().print(Group(shown), markup=False, crop=False)


def remarks() -> Console:
    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """One JSON document; ASCII only, so that no terminal acts upon what a cell holds."""
    typer.echo(json.dumps(value, indent=2))


@contextmanager
def transfer_bar(what: str, *, shown: bool = True) -> Iterator[OnProgress]:
    """A bar on standard error while bytes move; gone when they have."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = remarks()
    with Progress(
        *columns, TimeRemainingColumn(), console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        task = bar.add_task(plain(what).replace("[", "\\["), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def register_bars(file_name: str, *, shown: bool = True) -> Iterator[tuple[OnProgress, OnProfiling]]:
    """A bar while the file is sent, then a line that tells how far the service has come with it."""
    console = remarks()
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not (shown and console.is_terminal)) as bars:
        name = plain(file_name).replace("[", "\\[")
        task = bars.add_task(f"Uploading {name}", total=None)

        def uploading(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total)

        def profiling(artifact: DescribeArtifactAnswer) -> None:
            progress = artifact.progress
            rows = f", {progress.rows:,} rows" if progress and progress.rows else ""
            done = progress.bytes if progress else 0
            bars.update(task, description=f"Profiling {name}{rows}", completed=done, total=artifact.size)

        yield uploading, profiling


@contextmanager
def removal_line(*, shown: bool = True) -> Iterator[OnRemoved]:
    """A line on standard error that tells what went so far; gone when everything has."""
    console = remarks()
    with Progress(
        TextColumn("{task.description}"), console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as line:
        task = line.add_task("Removing", total=None)

        def told(removed: RemovedPart) -> None:
            line.update(task, description=f"Removed {removed.artifacts:,} artifacts, {removed.bytes:,} bytes so far")

        yield told


@contextmanager
def examination_line(*, shown: bool = True) -> Iterator[Note]:
    """A line on standard error that tells what is being tried; gone when everything was."""
    console = remarks()
    with Progress(
        TextColumn("{task.description}"), console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as line:
        task = line.add_task("Setting the scene", total=None)
        yield lambda attempt: line.update(task, description=plain(f"{attempt.who}: {attempt.what}"))


def print_problem(error: SessionDatasetsError | OSError, *, as_json: bool) -> None:
    """Title, detail, advice, near names; as a JSON document where the caller asked for JSON."""
    if as_json:
        print_json({"problem": _as_json(error)})
        return
    console = remarks()
    if isinstance(error, OSError):
        console.print(plain(redact(_in_words(error))), style="bold red", markup=False, soft_wrap=True)
        return
    console.print(plain(error.title), style="bold red", markup=False, soft_wrap=True)
    console.print(plain(redact(error.detail)), markup=False, soft_wrap=True)
    if error.advice:
        console.print(plain(redact(_in_commands(error.advice))), style="green", markup=False, soft_wrap=True)
    if isinstance(error, ProblemError) and error.problem.did_you_mean:
        near = ", ".join(plain(redact(name)) for name in error.problem.did_you_mean)
        console.print(f"Did you mean {near}?", style="green", markup=False, soft_wrap=True)
    if error.correlation_id and not (isinstance(error, ProblemError) and error.problem.status < 500):
        # For whoever asks the operator; a mistake of one's own is not looked up in a log.
        console.print(f"Correlation id: {error.correlation_id}", style="dim", markup=False, soft_wrap=True)


def _in_commands(advice: str) -> str:
    """Advice that speaks of verbs and fields of the wire, in the words of the command line."""
    told = _VERBS.sub(lambda found: f"`session-datasets {_COMMANDS[found[0]]}`", advice)
    return told.replace("Call `", "Run `").replace("release_leases=True", "--release-leases")


def _in_words(error: OSError) -> str:
    """What is wrong with which file, without the system's numbers."""
    file = f"'{error.filename}'" if error.filename is not None else "the file"
    for kind, words in _FILE_PROBLEMS.items():
        if isinstance(error, kind):
            return words.format(file=file)
    return f"{error.strerror or error}: {file}."


def _as_json(error: SessionDatasetsError | OSError) -> dict[str, Any]:
    return {name: _redacted(value) for name, value in _members(error).items()}


def _redacted(value: Any) -> Any:
    if isinstance(value, list):
        return [_redacted(each) for each in value]
    return redact(value) if isinstance(value, str) else value


def _members(error: SessionDatasetsError | OSError) -> dict[str, Any]:
    if isinstance(error, ProblemError):
        return error.problem.model_dump(mode="json")
    if isinstance(error, OSError):
        return {"title": "The file could not be read or written", "detail": _in_words(error)}
    return {"title": error.title, "detail": error.detail, "advice": error.advice}
