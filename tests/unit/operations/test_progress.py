"""Progress is written often at first, seldom later, and never over a result."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from session_datasets.domain.artifact import Artifact, Progress, Stage, Status
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PROFILE_STALLED_SECONDS
from session_datasets.operations.progress import NoLongerWanted, ProgressNotes, is_under_way, was_given_up
from tests.support.builders import an_artifact

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class World:
    """A service that has a clock and records, and nothing else."""

    def __init__(self) -> None:
        self.now = BEGAN
        self.written: list[Artifact] = []
        self.wanted = True
        self.records = SimpleNamespace(advance=self._advance)

    def clock(self) -> datetime:
        return self.now

    def _advance(self, artifact: Artifact, since: Status) -> bool:
        assert (artifact.status, since) == (Status.PROFILING, Status.PROFILING)
        self.written.append(artifact)
        return self.wanted


def profiling(**more: Any) -> Artifact:
    return replace(an_artifact(), status=Status.PROFILING, profile=None, layout=None, **more)


def notes_over(seconds: int, world: World) -> list[Progress]:
    """What is written when the work tells of itself ten times a second."""
    notes = ProgressNotes(world, profiling())
    for tenth in range(10 * seconds):
        world.now = BEGAN + timedelta(seconds=tenth / 10)
        notes(7, tenth)
    return [artifact.progress for artifact in world.written if artifact.progress]


def test_the_first_words_are_said_at_once_and_the_next_after_two_seconds() -> None:
    moments = [(each.updated_at - BEGAN).total_seconds() for each in notes_over(10, World())]
    assert moments == [0, 2, 4, 6, 8]


def test_a_new_stage_is_told_at_once() -> None:
    world = World()
    notes, size = ProgressNotes(world, profiling()), profiling().size
    for done, rows in ((1, 0), (2, 0), (size, 0), (size, 9)):
        notes(done, rows)
    told = [(each.progress.stage, each.progress.bytes) for each in world.written if each.progress]
    assert told == [(Stage.FETCHING, 1), (Stage.LAYING_OUT, size)]


def test_the_longest_run_writes_some_thirty_times() -> None:
    assert 25 <= len(notes_over(900, World())) <= 40


def test_a_stage_follows_from_the_bytes() -> None:
    world = World()
    size = profiling().size
    for done in (0, size - 1, size):
        ProgressNotes(world, profiling())(done, 3)
    stages = [artifact.progress.stage for artifact in world.written if artifact.progress]
    assert stages == [Stage.FETCHING, Stage.FETCHING, Stage.LAYING_OUT]


@pytest.mark.parametrize(
    ("stage", "seconds", "under_way"),
    [
        (Stage.QUEUED, 0, False),
        (Stage.FETCHING, PROFILE_STALLED_SECONDS - 1, True),
        (Stage.LAYING_OUT, PROFILE_STALLED_SECONDS, False),
    ],
)
def test_work_that_was_not_heard_of_for_long_is_not_under_way(stage: Stage, seconds: int, under_way: bool) -> None:
    artifact = profiling(progress=Progress(stage, BEGAN))
    assert is_under_way(artifact, BEGAN + timedelta(seconds=seconds)) is under_way


@pytest.mark.parametrize(
    ("code", "given_up"), [(ProblemCode.INTERNAL, True), (ProblemCode.UNREADABLE_FILE, False), (None, False)]
)
def test_only_a_failure_of_ours_is_worth_another_try(code: ProblemCode | None, given_up: bool) -> None:
    failure = Refusal(code, "d").problem if code else None
    assert was_given_up(profiling(failure=failure)) is given_up


def test_work_that_nobody_waits_for_any_more_ends() -> None:
    world = World()
    world.wanted = False
    with pytest.raises(NoLongerWanted):
        ProgressNotes(world, profiling())(1, 0)
