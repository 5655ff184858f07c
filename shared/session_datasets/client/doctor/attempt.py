"""One thing that was tried, what had to come of it and what came."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What an attempt tells of the isolation."""

    HELD = "held"
    GOT_THROUGH = "got through"
    # It could not be tried, or what came says nothing.
    UNTRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Attempt:
    """``who`` tried ``what``; ``expected`` and ``came`` in a few words each."""

    who: str
    what: str
    expected: str
    came: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Findings:
    """Of one examination; ``left`` says what it made and could not remove, ``enforced`` whether it was tried where
    policies are enforced: on AWS always, on an emulator seldom."""

    attempts: tuple[Attempt, ...]
    left: tuple[str, ...] = ()
    enforced: bool = True

    def of(self, verdict: Verdict) -> tuple[Attempt, ...]:
        return tuple(each for each in self.attempts if each.verdict is verdict)

    @property
    def holds(self) -> bool:
        """Whether nothing got through and something was tried."""
        return not self.of(Verdict.GOT_THROUGH) and bool(self.of(Verdict.HELD))


# Notes an attempt, and whether it held.
Note = Callable[[Attempt], None]


def judged(who: str, what: str, expected: Iterable[str], came: str) -> Attempt:
    """Held when what came is one of what was expected."""
    wanted = tuple(expected)
    verdict = Verdict.HELD if came in wanted else Verdict.GOT_THROUGH
    return Attempt(who, what, " or ".join(wanted), came, verdict)


def untried(who: str, what: str, expected: str, why: str) -> Attempt:
    return Attempt(who, what, expected, why, Verdict.UNTRIED)
