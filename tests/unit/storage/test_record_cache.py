"""What a process remembers of records, and for how long."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from session_datasets.domain.artifact import Artifact, Reference, Status
from session_datasets.domain.scope import Scope
from session_datasets.storage.narrowing import acting_for
from session_datasets.storage.record_cache import SECONDS_MAX, RecordCache
from tests.support.builders import A_MOMENT, an_artifact


@dataclass
class Clock:
    now: datetime = A_MOMENT

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def numbered(number: int) -> Artifact:
    return an_artifact(artifact_id=f"art_{number:026}")


def held(artifact: Artifact, clock: Clock | None = None, **changes: Any) -> RecordCache:
    cache = RecordCache(clock or Clock(), **changes)
    cache.keep(artifact, 100)
    return cache


def test_a_record_that_was_kept_is_known_by_its_id_and_by_its_whole_reference() -> None:
    artifact = an_artifact()
    cache = held(artifact)
    assert cache.get("acme", Reference(artifact.artifact_id)) is artifact
    assert cache.get("acme", artifact.reference) is artifact


def test_another_owner_another_id_and_another_session_are_unknown() -> None:
    artifact = an_artifact()
    cache = held(artifact)
    assert cache.get("other", artifact.reference) is None
    assert cache.get("acme", replace(artifact.reference, artifact_id="art_" + "0" * 26)) is None
    assert cache.get("acme", replace(artifact.reference, session_id="ses-2")) is None


def test_what_was_read_in_the_name_of_one_owner_is_not_told_in_the_name_of_another() -> None:
    # An operation that names the wrong owner finds nothing here, as its credentials would find nothing in the table.
    artifact = an_artifact()
    cache = RecordCache(Clock())
    with acting_for(Scope("acme", "ses-1", None, None)):
        cache.keep(artifact, 100)
    with acting_for(Scope("other", "ses-1", None, None)):
        assert cache.get("acme", artifact.reference) is None
    assert cache.get("acme", artifact.reference) is None
    with acting_for(Scope("acme", "ses-2", None, None)):
        assert cache.get("acme", artifact.reference) is artifact


@pytest.mark.parametrize(
    ("seconds", "known"), [(0, True), (SECONDS_MAX - 1, True), (SECONDS_MAX, False), (10 * SECONDS_MAX, False)]
)
def test_a_record_is_asked_for_again_after_a_minute(seconds: float, known: bool) -> None:
    clock = Clock()
    cache = held(an_artifact(), clock)
    clock.pass_(seconds)
    assert (cache.get("acme", an_artifact().reference) is not None) is known


def test_a_record_that_is_read_often_grows_no_younger() -> None:
    clock = Clock()
    cache = held(an_artifact(), clock)
    for _ in range(2):
        clock.pass_(SECONDS_MAX / 2)
        known = cache.get("acme", an_artifact().reference)
    assert known is None


def test_a_clock_that_was_set_back_does_not_keep_a_record_alive() -> None:
    clock = Clock()
    cache = held(an_artifact(), clock)
    clock.pass_(-1)
    assert cache.get("acme", an_artifact().reference) is None


def test_the_least_recently_used_records_give_way_when_the_bytes_run_out() -> None:
    cache = held(numbered(1), bytes_max=200)
    cache.keep(numbered(2), 100)
    assert cache.get("acme", numbered(1).reference) is not None
    cache.keep(numbered(3), 100)
    known = [number for number in (1, 2, 3) if cache.get("acme", numbered(number).reference)]
    assert known == [1, 3]


def test_a_record_kept_again_counts_once() -> None:
    cache = held(numbered(1), bytes_max=200)
    for _ in range(5):
        cache.keep(numbered(1), 100)
    cache.keep(numbered(2), 100)
    assert cache.get("acme", numbered(1).reference) is not None


def test_a_record_larger_than_the_memory_is_not_kept_and_drives_nothing_out() -> None:
    cache = held(numbered(1), bytes_max=200)
    cache.keep(numbered(2), 201)
    assert cache.get("acme", numbered(2).reference) is None
    assert cache.get("acme", numbered(1).reference) is not None


@pytest.mark.parametrize("status", [Status.PROFILING, Status.FAILED])
def test_a_record_that_may_still_change_is_not_kept(status: Status) -> None:
    artifact = an_artifact(status=status)
    assert held(artifact).get("acme", artifact.reference) is None
