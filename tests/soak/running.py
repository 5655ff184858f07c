"""Callers in threads beside each other, until each has made its steps or somebody says that it is enough."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from session_datasets import Orchestrator, Session, Workspace, within
from session_datasets.client.errors import FunctionFailedError
from session_datasets.client.transport import Transport
from tests.soak.caller import Board, Caller
from tests.soak.ledger import Ledger, Noted

# Sessions of one conversation, which page and load what the others registered.
_CALLERS_OF_A_CONVERSATION = 4
_STEPS_ALONE = 12
# For one step with all its tries, so that a soak ends soon after it is told to.
_STEP_SECONDS = 60
# The first of all waits for a function to start.
_OPENINGS_MAX = 5


@dataclass(frozen=True)
class Plan:
    """``steps`` of each caller; None for as many as there is time for."""

    callers: int
    seed: int
    steps: int | None = None


class Soak:
    """``together`` is called once all callers are at work."""

    def __init__(
        self,
        plan: Plan,
        transport: Callable[[], Transport],
        directory: Path,
        ledger: Ledger,
        together: Callable[[], None] = lambda: None,
    ) -> None:
        self._plan = plan
        self._transport = transport
        self._directory = directory
        self._ledger = ledger
        self._together = together
        self._enough = threading.Event()
        self._run = uuid.uuid4().hex[:12]
        self._boards = [Board() for _ in range(0, plan.callers, _CALLERS_OF_A_CONVERSATION)]

    def end(self) -> None:
        """Every caller ends after the step that it is at."""
        self._enough.set()

    def run(self) -> None:
        """Returns when every caller has ended, and nobody is left behind on Ctrl-C either.

        The first makes some steps before the others begin, so that not all functions start at once.
        """
        callers = [self._caller(number) for number in range(self._plan.callers)]
        threads = [threading.Thread(target=self._work, args=(caller, 0)) for caller in callers[1:]]
        alone = min(_STEPS_ALONE, self._plan.steps or _STEPS_ALONE)
        for _ in range(alone):
            callers[0].step()
        threads.append(threading.Thread(target=self._work, args=(callers[0], alone)))
        try:
            for thread in threads:
                thread.start()
            self._together()
            for thread in threads:
                thread.join()
        finally:
            self.end()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()

    def _caller(self, number: int) -> Caller:
        group = number // _CALLERS_OF_A_CONVERSATION
        folder = self._directory / f"caller-{number}"
        folder.mkdir()
        noted = Noted(self._transport(), self._ledger)
        session = self._opened(noted, conversation_id=f"soak-{self._run}-{group}", node=f"caller-{number}")
        workspace = Workspace(session.token, noted, folder)
        random = Random(f"{self._plan.seed}/{number}")
        return Caller(f"caller-{number}", random, workspace, self._boards[group], self._ledger)

    def _opened(self, noted: Noted, **scope: str) -> Session:
        """A session that was opened twice is one that nobody uses."""
        for _ in range(_OPENINGS_MAX - 1):
            with suppress(FunctionFailedError):
                return Orchestrator(noted).open_session(owner="soak", ttl_seconds=43_200, **scope)
        return Orchestrator(noted).open_session(owner="soak", ttl_seconds=43_200, **scope)

    def _work(self, caller: Caller, made: int) -> None:
        while not self._enough.is_set() and (self._plan.steps is None or made < self._plan.steps):
            with within(_STEP_SECONDS):
                caller.step()
            made += 1
