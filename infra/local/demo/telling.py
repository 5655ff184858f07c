"""How the demo speaks: a heading per node, a tick per thing done, a bar while bytes move."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from session_datasets.client.progress import OnProgress

# Where there is no terminal to ask, the tables still need room.
_WIDTH_WITHOUT_TERMINAL = 140


def console_for(stream: IO[str]) -> Console:
    width = None if stream.isatty() else _WIDTH_WITHOUT_TERMINAL
    return Console(file=stream, width=width, highlight=False)


def heading(console: Console, title: str, told: str) -> None:
    console.print()
    console.rule(f"[bold]{title}[/bold]", align="left")
    console.print(told, style="dim", markup=False)


def done(console: Console, told: str) -> None:
    console.print("✓", style="bold green", end=" ")
    console.print(told, markup=False)


def remark(console: Console, told: str) -> None:
    console.print("·", style="bold yellow", end=" ")
    console.print(told, markup=False)


@contextmanager
def step(console: Console, doing: str, told: str) -> Iterator[None]:
    """A spinner while it lasts, a tick with its seconds when it is done."""
    began = time.perf_counter()
    with console.status(doing):
        yield
    done(console, f"{told} ({time.perf_counter() - began:.1f} s)")


@contextmanager
def bar(console: Console, doing: str) -> Iterator[OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(doing, total=None)
        yield lambda count, total: progress.update(task, completed=count, total=total)
