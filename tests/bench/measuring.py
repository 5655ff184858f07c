"""Readers side by side: each in its own process, by turns, so that whatever else the machine does hits all alike."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from statistics import median
from threading import Timer
from types import TracebackType
from typing import Any, Self

from session_datasets.domain.names import Verb
from tests.bench.given import Given
from tests.bench.places import FOLDER, ROOT
from tests.bench.stand_in.pace import Pace
from tests.bench.stand_in.running import StandIn
from tests.bench.surroundings import variables_of

# A reader that takes longer for one round is ended and told as failed.
_ROUND_SECONDS_MAX = 600
LOG = FOLDER / "readers.log"

# Called after each round: who did it, and the round's number.
Tell = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class Reader:
    """``reads`` is ``module.name`` below ``tests.bench.readers``. ``function``: whose bundle and variables it has; None
    for this environment, ``without`` packages that it does not need and would import if they were there."""

    label: str
    reads: str
    options: Mapping[str, Any] = field(default_factory=dict)
    # Rounds where a reader takes so long that the case's number would be too many.
    rounds: int | None = None
    function: Verb | None = None
    without: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """One round. ``ms`` as its caller waits; requests and bytes, to and fro, as the stand-in
    counted them; ``found``: the answer."""

    ms: float
    cpu_ms: float
    requests: int
    bytes: int
    found: Mapping[str, Any]


@dataclass
class Measured:
    """All rounds of one reader; ``failure`` says why there are none, or no more."""

    label: str
    samples: list[Sample] = field(default_factory=list)
    peak_mb: float | None = None
    failure: str | None = None

    def middle(self, what: str) -> float:
        return float(median(getattr(sample, what) for sample in self.samples))

    def most(self, what: str) -> float:
        return float(max(getattr(sample, what) for sample in self.samples))

    @property
    def found(self) -> Mapping[str, Any]:
        return self.samples[-1].found


class ReaderFailed(Exception):
    """In the reader's own words."""


class Running:
    """A reader's process while the context lasts."""

    def __init__(self, reader: Reader, given: Given) -> None:
        self._job: dict[str, Any] = {
            "reader": reader.reads,
            "without": list(reader.without),
            "endpoint": given.endpoint,
            "data": asdict(given.data),
            "options": {**given.options, **reader.options},
        }
        self._variables = variables_of(reader.function, given.endpoint)

    def __enter__(self) -> Self:
        LOG.parent.mkdir(parents=True, exist_ok=True)
        self._log = LOG.open("ab")
        self._process = subprocess.Popen(
            # Without site: packages come from the path that its surroundings name, and from nowhere else.
            [sys.executable, "-S", "-m", "tests.bench.worker"],
            cwd=ROOT, env=self._variables, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
        )  # fmt: skip
        try:
            self.told(json.dumps(self._job))
        except ReaderFailed:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def round(self, number: int) -> dict[str, Any]:
        return self.told(str(number))

    def told(self, line: str) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        patience = Timer(_ROUND_SECONDS_MAX, self._process.kill)
        patience.start()
        try:
            print(line, file=self._process.stdin, flush=True)
            answered = self._process.stdout.readline()
        except BrokenPipeError:
            answered = ""
        finally:
            patience.cancel()
        if not answered:
            raise ReaderFailed(
                f"its process ended, exit code {self._process.wait()}; {LOG.relative_to(ROOT)} may say why"
            )
        answer: dict[str, Any] = json.loads(answered)
        if "failed" in answer:
            raise ReaderFailed(answer["failed"])
        return answer


def warm(
    stand_in: StandIn, readers: Sequence[Reader], given: Given, pace: Pace, rounds: int, warm_up: bool, tell: Tell
) -> list[Measured]:
    """Every reader in one process for all its rounds, the readers by turns. With ``warm_up`` an unmeasured round, of
    another place, comes first. Started and warmed up unhurried."""
    stand_in.keep(Pace())
    results = [Measured(reader.label) for reader in readers]
    with ExitStack() as stack:
        running: dict[int, Running] = {}
        for at, reader in enumerate(readers):
            try:
                running[at] = stack.enter_context(Running(reader, given))
                if warm_up:
                    running[at].round(10_000)
            except ReaderFailed as error:
                results[at].failure = str(error)
            tell(reader.label, -1)
        stand_in.keep(pace)
        for number in range(rounds):
            for at, reader in enumerate(readers):
                if results[at].failure is None and number < (reader.rounds or rounds):
                    _one_round(stand_in, running[at], results[at], number)
                tell(reader.label, number)
    return results


def fresh(
    stand_in: StandIn, readers: Sequence[Reader], given: Given, pace: Pace, rounds: int, tell: Tell
) -> list[Measured]:
    """Every round in a new process; its time is that from the start of the process to its answer. The first round,
    which may find neither bytecode nor libraries in memory, does not count."""
    stand_in.keep(pace)
    results = [Measured(reader.label) for reader in readers]
    for number in range(-1, rounds):
        for reader, result in zip(readers, results, strict=True):
            if result.failure is None:
                _one_life(stand_in, reader, given, result, number)
            tell(reader.label, number)
    return results


def _one_round(stand_in: StandIn, running: Running, result: Measured, number: int) -> None:
    stand_in.counted()
    try:
        took = running.round(number)
    except ReaderFailed as error:
        result.failure = str(error)
        return
    counted = stand_in.counted()
    result.samples.append(Sample(took["ms"], took["cpu_ms"], counted.requests, counted.bytes, took["found"]))
    result.peak_mb = max(result.peak_mb or 0, took["peak_mb"])


def _one_life(stand_in: StandIn, reader: Reader, given: Given, result: Measured, number: int) -> None:
    stand_in.counted()
    began = time.perf_counter()
    try:
        with Running(reader, given) as running:
            took = running.round(number)
            ms = (time.perf_counter() - began) * 1000
    except ReaderFailed as error:
        result.failure = str(error)
        return
    counted = stand_in.counted()
    if number < 0:
        return
    result.samples.append(Sample(ms, took["life_cpu_ms"], counted.requests, counted.bytes, took["found"]))
    result.peak_mb = max(result.peak_mb or 0, took["peak_mb"])


def require_agreement(results: Sequence[Measured]) -> None:
    """A reader whose answers differ from ours, which come first, has not done the same: it failed, or we did."""
    ours = results[0]
    for other in results[1:]:
        for mine, theirs in zip(ours.samples, other.samples, strict=False):
            if mine.found.get("proof") != theirs.found.get("proof"):
                other.failure = f"answers {theirs.found.get('proof')}, ours {mine.found.get('proof')}"
                return
