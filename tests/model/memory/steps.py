"""The steps of a running command: every call to AWS is one, and something can be made to happen at any of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from threading import current_thread, main_thread
from typing import TypeVar

from botocore.exceptions import ClientError

from tests.model.memory.faults import client_error

T = TypeVar("T")


class Died(BaseException):
    """The process is gone. No code of the product may catch this, as none could catch a power cut."""


class Moment(StrEnum):
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True)
class Disturbance:
    """At the ``at``-th step of a command (from 1), ``what`` happens: before AWS is asked, or after it has done it."""

    at: int
    moment: Moment
    what: Callable[[], None]


def die() -> None:
    raise Died


def be_busy() -> None:
    """What is answered says nothing of what was done: a write may have been made all the same."""
    raise client_error("Any", 503, "ServiceUnavailable")


class Steps:
    """Counts, and disturbs one command at a time."""

    def __init__(self) -> None:
        self._disturbance: Disturbance | None = None
        self._taken = 0
        self._dead = False
        # Whether the step was reached.
        self.happened = False

    @contextmanager
    def disturbed_by(self, disturbance: Disturbance | None) -> Iterator[None]:
        """While it lasts, a dead process makes no further call, not even in its last will."""
        self._disturbance, self._taken, self._dead, self.happened = disturbance, 0, False, False
        try:
            yield
        finally:
            self._disturbance, self._dead = None, False

    def calm(self) -> None:
        """Nothing is going to happen to this command any more."""
        self._disturbance = None

    def take(self, ask: Callable[[], T]) -> T:
        # Threads would take their steps in another order every time.
        assert current_thread() is main_thread()
        if self._dead:
            raise Died
        self._taken += 1
        now = self._disturbance
        if now is None or now.at != self._taken:
            return ask()
        self._disturbance, self.happened = None, True
        if now.moment is Moment.BEFORE:
            self._happens(now)
            return ask()
        try:
            answered = ask()
        except ClientError:
            self._happens(now)
            raise
        self._happens(now)
        return answered

    def _happens(self, now: Disturbance) -> None:
        try:
            now.what()
        except Died:
            self._dead = True
            raise
