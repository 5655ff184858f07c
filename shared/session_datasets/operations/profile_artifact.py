"""profile_artifact: makes the profile of a registered file that was too large for the call that registered it.

A message of the queue asks for it, at least once. The crash model: the derived objects are stored first, then one
conditional write turns the record from PROFILING to READY or FAILED. A run that dies in between leaves a record that
is PROFILING, and the message comes again; a message that comes too often, twice at a time or too late finds a record
that is PROFILING no more, and changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum

from session_datasets.domain.artifact import Artifact, ProfilingTask, Status
from session_datasets.domain.errors import Problem, ProblemCode, Refusal
from session_datasets.domain.limits import PROFILE_TRIES_MAX
from session_datasets.domain.redaction import redact
from session_datasets.operations.measuring import DiskFull, measured
from session_datasets.operations.ports import Service
from session_datasets.operations.progress import NoLongerWanted, ProgressNotes, begun_anew, was_given_up


class Outcome(StrEnum):
    """What became of one delivery of a message."""

    READY = "ready"
    FAILED = "failed"
    # Nothing was left to do.
    DONE_BEFORE = "done_before"
    # There is no such record.
    UNKNOWN = "unknown"
    # The record says that the service failed; the message belongs in front of a person.
    GIVEN_UP = "given_up"


def profile_artifact(service: Service, *, task: ProfilingTask, attempt: int) -> Outcome:
    """Profiles the artifact; ``attempt`` counts the deliveries of this message from 1.

    Whatever fails for a passing reason, or for one of our own, is raised: the message comes again. A delivery after
    the last try only writes down that the service gave up.
    """
    artifact = service.records.of_task(task)
    if artifact is None:
        return Outcome.UNKNOWN
    if attempt <= PROFILE_TRIES_MAX and was_given_up(artifact):
        # The message lay before a person, who sent it once more.
        artifact = begun_anew(service, artifact)
    if artifact.status is not Status.PROFILING:
        return Outcome.DONE_BEFORE
    if attempt > PROFILE_TRIES_MAX:
        return _concluded(service, _given_up(artifact), Outcome.GIVEN_UP)
    try:
        ready = measured(service, artifact, ProgressNotes(service, artifact))
    except NoLongerWanted:
        return Outcome.DONE_BEFORE
    except DiskFull:
        return _concluded(service, _failed(artifact, _too_large().problem), Outcome.FAILED)
    except Refusal as refusal:
        if refusal.problem.code is ProblemCode.UNAVAILABLE:
            raise
        return _concluded(service, _failed(artifact, refusal.problem), Outcome.FAILED)
    return _concluded(service, ready, Outcome.READY)


def _concluded(service: Service, artifact: Artifact, outcome: Outcome) -> Outcome:
    done = service.records.advance(artifact, since=Status.PROFILING)
    return outcome if done else Outcome.DONE_BEFORE


def _failed(artifact: Artifact, problem: Problem) -> Artifact:
    # What a library said of a file may quote it, and a record is read by whoever can reach the artifact.
    problem = replace(problem, detail=redact(problem.detail))
    return replace(artifact, status=Status.FAILED, failure=problem, progress=None, note=problem.detail)


def _given_up(artifact: Artifact) -> Artifact:
    refusal = Refusal(
        ProblemCode.INTERNAL,
        f"The service failed {PROFILE_TRIES_MAX} times at profiling this file, and gave up.",
        advice="Register the file again to have it tried anew; if that fails too, write it as Parquet or in parts.",
    )
    return _failed(artifact, refusal.problem)


def _too_large() -> Refusal:
    return Refusal(
        ProblemCode.TOO_LARGE,
        "Unpacked and laid out, the file is larger than the disk of the service; its rows can not be paged.",
        advice="Write it as Parquet, or as several files, and register those.",
    )
