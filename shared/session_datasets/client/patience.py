"""How often something is tried again, and how long the client waits in between."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from session_datasets.client.deadline import seconds_left

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """``tries`` in all. Waits double from ``first_wait`` to ``longest_wait`` seconds, each drawn at random below
    that bound ("full jitter"), so that many nodes that failed together do not come back together."""

    tries: int = 4
    first_wait: float = 0.25
    longest_wait: float = 8.0
    sleep: Callable[[float], None] = time.sleep
    draw: Callable[[], float] = random.random

    def retried(self, action: Callable[[], T], worth: Callable[[Exception], bool]) -> T:
        """What ``action`` gives; its last error when all tries fail, or the first that is not ``worth`` another."""
        failures = 0
        while True:
            try:
                return action()
            except Exception as error:
                failures += 1
                if not worth(error) or not self.tries_again(failures):
                    raise

    def tries_again(self, failures: int) -> bool:
        """True after a wait; False without one when ``failures`` of a kind are enough, or the caller's time is."""
        return failures < self.tries and self.wait(failures)

    def wait(self, attempt: int, at_most: float = math.inf) -> bool:
        """Sleeps after the ``attempt``-th failure, counted from 1, and no longer than ``at_most`` seconds. False, and
        no sleep, when the time of ``within`` is up before."""
        seconds = min(at_most, self.draw() * min(self.longest_wait, self.first_wait * 2 ** (attempt - 1)))
        if seconds > seconds_left():
            return False
        self.sleep(seconds)
        return True

    def longer(self) -> Self:
        """For what takes a while by itself: as many waits again, each up to eight times as long. By default that is
        half a minute to two minutes in all, in which a function of Lambda starts from nothing."""
        return replace(
            self, tries=2 * self.tries - 1, first_wait=8 * self.first_wait, longest_wait=8 * self.longest_wait
        )

    def once(self) -> Self:
        """One repeat, for tries that take very long."""
        return replace(self, tries=min(2, self.tries))
