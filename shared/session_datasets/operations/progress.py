"""Progress of a profile, kept in its record: often enough to be believed, seldom enough to cost nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from session_datasets.domain.artifact import Artifact, Progress, Stage, Status
from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.limits import PROFILE_STALLED_SECONDS
from session_datasets.operations.ports import Service

# The first words come after so many seconds; a fifth of the time that has passed is waited from then on, so that the
# fifteen minutes that a function may run make some thirty writes.
_FIRST_SECONDS = 2.0
_SHARE_OF_ELAPSED = 0.2


class NoLongerWanted(Exception):
    """The record is PROFILING no more: another run was faster, or what it belonged to has ended."""


class ProgressNotes:
    """A ``measuring.Tell`` that writes into the record of ``artifact``, and raises NoLongerWanted when that is not
    PROFILING any more: what was begun is taken back, and nothing lands where nobody looks for it."""

    def __init__(self, service: Service, artifact: Artifact) -> None:
        self._service = service
        self._artifact = artifact
        self._began = service.clock()
        self._next = self._began
        self._stage = Stage.QUEUED

    def __call__(self, bytes_fetched: int, rows: int) -> None:
        now = self._service.clock()
        stage = Stage.FETCHING if bytes_fetched < self._artifact.size else Stage.LAYING_OUT
        # A new stage is told at once: some formats are read to their end before their first row is laid out.
        if now < self._next and stage is self._stage:
            return
        self._stage = stage
        self._next = now + _pause(now - self._began)
        progress = Progress(stage, now, bytes_fetched, rows)
        if not self._service.records.advance(replace(self._artifact, progress=progress), since=Status.PROFILING):
            raise NoLongerWanted


def _pause(elapsed: timedelta) -> timedelta:
    return timedelta(seconds=max(_FIRST_SECONDS, elapsed.total_seconds() * _SHARE_OF_ELAPSED))


def queued(now: datetime) -> Progress:
    return Progress(Stage.QUEUED, now)


def is_under_way(artifact: Artifact, now: datetime) -> bool:
    """Whether somebody surely works on the profile: it has begun, and was heard of not too long ago."""
    progress = artifact.progress
    if progress is None or progress.stage is Stage.QUEUED:
        return False
    return now - progress.updated_at < timedelta(seconds=PROFILE_STALLED_SECONDS)


def was_given_up(artifact: Artifact) -> bool:
    """FAILED because of the service, and not for a reason that lies in the file."""
    return artifact.failure is not None and artifact.failure.code is ProblemCode.INTERNAL


def begun_anew(service: Service, artifact: Artifact) -> Artifact:
    """The given-up artifact PROFILING again; as it is when somebody else was faster."""
    again = replace(artifact, status=Status.PROFILING, failure=None, note=None, progress=queued(service.clock()))
    return again if service.records.advance(again, since=Status.FAILED) else artifact
