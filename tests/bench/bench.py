"""One run of the benchmark: what it reads, how fast the stand-in is, and what came out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from session_datasets.domain.names import Verb
from tests.bench import making, measuring
from tests.bench.given import DataSet, Given
from tests.bench.measuring import Measured, Reader
from tests.bench.stand_in.pace import NEAR, UNHURRIED, Pace
from tests.bench.stand_in.running import StandIn

OURS = "Session Datasets"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A table of the report: readers of one operation, ours first. ``pace`` is None where S3 is not read."""

    name: str
    title: str
    pace: Pace | None
    measured: Sequence[Measured]
    note: str = ""

    @property
    def ours(self) -> Measured:
        return self.measured[0]

    def of(self, label: str) -> Measured | None:
        """The reader with this label, if it did what it should."""
        return next((each for each in self.measured if each.label == label and each.samples and not each.failure), None)


@dataclass
class Bench:
    """``told`` is called while things go on, with what goes on and how far it is from 0 to 1."""

    stand_in: StandIn
    files: making.Files
    data: DataSet
    own_file: bool
    told: making.Progress
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def warm(
        self,
        name: str,
        title: str,
        readers: Sequence[Reader],
        rounds: int,
        *,
        data: DataSet | None = None,
        pace: Pace | None = NEAR,
        options: Mapping[str, Any] | None = None,
        warm_up: bool = True,
        note: str = "",
    ) -> Outcome:
        given = Given(self.stand_in.endpoint, data or self.data, options or {})
        tell = self._counting(title, len(readers) * (rounds + 1))
        measured = measuring.warm(self.stand_in, readers, given, pace or UNHURRIED, rounds, warm_up, tell)
        return self._kept(Outcome(name, title, pace, measured, note))

    def fresh(
        self, name: str, title: str, readers: Sequence[Reader], rounds: int, options: Mapping[str, Any]
    ) -> Outcome:
        given = Given(self.stand_in.endpoint, self.data, options)
        tell = self._counting(title, len(readers) * (rounds + 1))
        return self._kept(
            Outcome(name, title, NEAR, measuring.fresh(self.stand_in, readers, given, NEAR, rounds, tell))
        )

    def register(self, data: DataSet) -> DataSet:
        """Lays the file out as registration does, unless this very code has done so; its rows are known then."""
        if not making.is_registered(data):
            given = Given(self.stand_in.endpoint, data)
            self.told(f"registering {data.name}", 0.0)
            self.stand_in.keep(UNHURRIED)
            with measuring.Running(registering(data), given) as running:
                running.round(0)
            making.stamp_registered(data)
        return making.described(data)

    def is_registered(self) -> None:
        """Takes over what the case of registering has left. ReaderFailed when it could not."""
        if failure := self.outcomes["register"].ours.failure:
            raise measuring.ReaderFailed(failure)
        making.stamp_registered(self.data)
        self.data = making.described(self.data)

    def _kept(self, outcome: Outcome) -> Outcome:
        measuring.require_agreement(outcome.measured)
        self.outcomes[outcome.name] = outcome
        return outcome

    def _counting(self, title: str, steps: int) -> measuring.Tell:
        done = 0

        def tell(label: str, _: int) -> None:
            nonlocal done
            done += 1
            self.told(f"{title}: {label}", done / steps)

        return tell


def registering(data: DataSet, file: str | None = None, name: str | None = None, label: str = OURS) -> Reader:
    """Our registration of the data set's file, or of another ``file`` beside it, which then leaves no record."""
    source = file or data.csv or data.parquet
    record = {} if file else {"record": data.record}
    options = {"file": source, "name": name or data.name, **record}
    return Reader(label, "ours.register", options, function=Verb.PROFILE_ARTIFACT)
