"""``python -m tests.soak``: what ``make soak`` runs."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any
from unittest.mock import patch

import typer

from infra.local import cdk
from infra.local.ministack import MiniStack
from session_datasets import DeployedTransport
from tests.soak import memory
from tests.soak.ledger import Ledger, report
from tests.soak.running import Plan, Soak

HELP = """Lets callers register, list, page and load beside each other, on a stack of its own in an embedded cloud, and
compares every answer with what it must be.

Ends by itself, and on Ctrl-C with what there is so far. Exit code 1 when an answer was wrong.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(help=HELP)
def main(
    minutes: Annotated[float, typer.Option(min=0.05, help="How long, once all callers are at work.")] = 2,
    callers: Annotated[int, typer.Option(min=1, max=256, help="Sessions at a time.")] = 32,
    at_once: Annotated[
        int, typer.Option(min=1, help="Calls that the account runs at a time; Lambda throttles the others.")
    ] = 8,
    seed: Annotated[int, typer.Option(help="Decides what each of them does.")] = 1,
) -> None:
    # Also where a shell started this in its background and has it ignore Ctrl-C.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder, _Small(Path(folder) / "cloud", at_once) as emulator:
        print("Deploying ...", flush=True)
        stack = cdk.deploy(emulator.endpoint)
        print(f"{callers} callers, {at_once} calls at a time, {minutes:g} minutes, seed {seed}", flush=True)
        ledger, began = Ledger(), time.monotonic()
        with patch.dict(os.environ, stack.client_environment()):
            running = Soak(
                Plan(callers, seed),
                lambda: DeployedTransport(stack.name),
                Path(folder),
                ledger,
                together=lambda: _timed(minutes * 60, running.end),
            )
            try:
                running.run()
            except KeyboardInterrupt:
                print("Interrupted.", flush=True)
        leader = json.loads((emulator.state / "running").read_text())["pid"]
        print(report(ledger, time.monotonic() - began, memory.told(leader)), flush=True)
    raise typer.Exit(1 if ledger.wrong else 0)


class _Small(MiniStack):
    """An account with a limit: without one, a laptop would start a process for every caller and verb at once."""

    def __init__(self, state: Path, at_once: int) -> None:
        super().__init__(state)
        self._at_once = at_once

    def settings(self, port: int) -> Mapping[str, str]:
        return {**super().settings(port), "LAMBDA_ACCOUNT_CONCURRENCY": str(self._at_once)}


def _timed(seconds: float, end: Callable[[], None]) -> None:
    print("All of them are at work.", flush=True)
    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    app()
