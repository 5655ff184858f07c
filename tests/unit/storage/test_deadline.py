"""Stores keep to the time that a call has."""

from __future__ import annotations

import math
from concurrent.futures import Future
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode
from session_datasets.storage import connections, deadline
from session_datasets.storage.deadline import OutOfTime, answering_within, clearing_up
from session_datasets.storage.faults import refusal_of
from session_datasets.storage.narrowing import CarryingThreads
from session_datasets.storage.range_connections import RangeConnections
from tests.support.faults import (
    ANSWER_LOST,
    RESET,
    SERVER_ERROR,
    SILENT,
    SLOW_DOWN,
    TABLE_THROTTLED,
    THROTTLED,
    UNREACHABLE,
    Clock,
    Fault,
    Faults,
    always,
    scripted,
)
from tests.support.moto_cloud import MotoCloud

LISTING = "s3.ListObjectsV2"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def listed(cloud: MotoCloud, faults: Faults, seconds: float) -> Any:
    """One request to S3 in a call that has so many seconds; the error when it fails."""
    with faults.clock.instead_of_time(), answering_within(seconds):
        return asked(cloud, faults)


def asked(cloud: MotoCloud, faults: Faults) -> Any:
    with faults.befalling(cloud.s3):
        try:
            return cloud.s3.list_objects_v2(Bucket=cloud.bucket)["KeyCount"]
        except (BotoCoreError, ClientError, OutOfTime) as error:
            return error


@pytest.mark.parametrize("fault", [SLOW_DOWN, SERVER_ERROR, RESET, UNREACHABLE, ANSWER_LOST], ids=lambda f: f.name)
def test_a_passing_fault_is_tried_three_times(cloud: MotoCloud, clock: Clock, fault: Fault) -> None:
    faults = Faults(always(fault), clock)
    error = listed(cloud, faults, seconds=60)
    assert refusal_of(error).problem.code is ProblemCode.UNAVAILABLE  # type: ignore[union-attr]
    assert faults.attempts == {LISTING: 3}


@pytest.mark.parametrize("fault", [THROTTLED, TABLE_THROTTLED], ids=lambda f: f.name)
def test_a_throttled_table_is_asked_three_times(cloud: MotoCloud, clock: Clock, fault: Fault) -> None:
    faults = Faults(always(fault), clock)
    with faults.befalling(cloud.dynamodb), answering_within(60), pytest.raises(ClientError) as raised:
        cloud.dynamodb.describe_table(TableName=cloud.table)
    assert refusal_of(raised.value).problem.kind.retryable  # type: ignore[union-attr]
    assert faults.attempts == {"dynamodb.DescribeTable": 3}


def test_what_fails_once_is_answered_by_the_second_try(cloud: MotoCloud, clock: Clock) -> None:
    faults = Faults(scripted(SLOW_DOWN), clock)
    assert listed(cloud, faults, seconds=15) == 0
    assert faults.attempts == {LISTING: 2}


def test_waits_are_drawn_below_a_bound_that_doubles(cloud: MotoCloud, clock: Clock) -> None:
    listed(cloud, Faults(always(SLOW_DOWN), clock), seconds=60)
    first, second = clock.slept
    assert 0 <= first <= 1
    assert 0 <= second <= 2


@pytest.mark.parametrize(
    ("seconds", "waits"),
    [
        # 4 that a request may take, 1 to answer, and the longest wait before the next try: 1, then 2.
        (7.01, 2),
        (6.01, 1),
        (5.01, 0),
    ],
)
def test_no_try_follows_that_would_not_fit(cloud: MotoCloud, clock: Clock, seconds: float, waits: int) -> None:
    faults = Faults(always(SLOW_DOWN), clock)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "sleep", lambda seconds: clock.slept.append(seconds))
        error = listed(cloud, faults, seconds)
    assert refusal_of(error).problem.code is ProblemCode.UNAVAILABLE  # type: ignore[union-attr]
    assert (len(clock.slept), faults.attempts[LISTING]) == (waits, waits + 1)


def test_a_wait_that_the_service_asks_for_has_to_fit_too(cloud: MotoCloud, clock: Clock) -> None:
    asking = Fault("asking", refused=(503, "SlowDown"), headers={"x-amz-retry-after": "5000"})
    faults = Faults(always(asking), clock)
    listed(cloud, faults, seconds=10)
    assert faults.attempts == {LISTING: 1}


def test_without_time_nothing_is_sent(cloud: MotoCloud, clock: Clock) -> None:
    faults = Faults(scripted(), clock)
    error = listed(cloud, faults, seconds=4.99)
    assert isinstance(error, OutOfTime)
    assert refusal_of(error).problem.code is ProblemCode.UNAVAILABLE  # type: ignore[union-attr]
    assert faults.attempts == {}


def test_no_request_takes_more_than_half_of_what_is_left(cloud: MotoCloud, clock: Clock) -> None:
    faults = Faults(scripted(SILENT), clock)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "sleep", lambda seconds: None)
        assert listed(cloud, faults, seconds=15) == 0
    assert (clock.now, faults.attempts[LISTING]) == (7, 2)


def test_where_nobody_says_how_long_requests_take_what_they_take(cloud: MotoCloud, clock: Clock) -> None:
    faults = Faults(scripted(SILENT, SILENT), clock)
    assert listed(cloud, faults, seconds=math.inf) == 0
    assert round(clock.now - sum(clock.slept), 6) == 2 * deadline.READ_SECONDS


FAULTS = st.builds(
    Fault,
    name=st.just("any"),
    seconds=st.floats(0, 60),
    refused=st.sampled_from([None, (503, "SlowDown"), (500, "InternalError")]),
    unreachable=st.booleans(),
    headers=st.sampled_from([{}, {"x-amz-retry-after": "5000"}]),
)


@settings(deadline=None, max_examples=60)
@given(seconds=st.floats(0, 60), met=st.lists(FAULTS, max_size=12))
def test_whatever_happens_a_call_is_over_before_its_time_is(moto_server: str, seconds: float, met: list[Fault]) -> None:
    clock = Clock()
    faults = Faults(scripted(*met), clock)
    cloud = _shared(moto_server)
    answers = []
    with clock.instead_of_time(), answering_within(seconds):
        while len(answers) < 4 and not any(isinstance(each, Exception) for each in answers):
            answers.append(asked(cloud, faults))
    assert all(each == 0 or refusal_of(each) for each in answers)
    assert clock.now <= seconds


_CLOUDS: dict[str, MotoCloud] = {}


def _shared(endpoint: str) -> MotoCloud:
    return _CLOUDS.setdefault(endpoint, MotoCloud(endpoint))


def test_threads_keep_to_the_time_of_the_call_that_they_work_for(clock: Clock) -> None:
    with clock.instead_of_time(), answering_within(15), CarryingThreads(1) as threads:
        inside: Future[float] = threads.submit(deadline.seconds_left)
    assert inside.result() == 14


def test_a_call_inside_another_ends_with_its_own_time(clock: Clock) -> None:
    with clock.instead_of_time(), answering_within(900):
        with answering_within(15):
            assert deadline.seconds_left() == 14
        assert deadline.seconds_left() == 899


def test_taking_back_may_use_up_what_other_requests_may_not(clock: Clock) -> None:
    with clock.instead_of_time(), answering_within(3):
        with pytest.raises(OutOfTime):
            deadline.read_seconds()
        with clearing_up():
            assert deadline.read_seconds() == 1


def test_a_wait_that_leaves_no_time_for_a_request_is_not_begun(clock: Clock) -> None:
    with clock.instead_of_time(), answering_within(5.5), pytest.MonkeyPatch.context() as patch:
        patch.setattr("session_datasets.storage.deadline.random.random", lambda: 0.75)
        with pytest.raises(OutOfTime):
            deadline.wait_after(1)
    assert clock.slept == []


@pytest.mark.parametrize("failure", [1, 2, 3])
def test_a_wait_is_drawn_below_its_bound(clock: Clock, failure: int) -> None:
    with clock.instead_of_time(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("session_datasets.storage.deadline.random.random", lambda: 0.5)
        deadline.wait_after(failure)
    assert clock.slept == [0.5 * 2 ** (failure - 1)]


def test_requests_without_a_client_keep_to_it_too(clock: Clock) -> None:
    with clock.instead_of_time(), answering_within(11):
        assert (connections.timeout().connect_timeout, connections.timeout().read_timeout) == (3, 5)
    with clock.instead_of_time(), answering_within(4), pytest.raises(OutOfTime):
        connections.timeout()


def test_a_range_is_not_asked_for_without_time(cloud: MotoCloud, clock: Clock) -> None:
    stored = cloud.s3.put_object(Bucket=cloud.bucket, Key="k", Body=b"0123456789")
    wanted = {"Bucket": cloud.bucket, "Key": "k", "VersionId": stored["VersionId"]}
    url = cloud.s3.generate_presigned_url("get_object", Params=wanted)
    ranges = RangeConnections(connections.trusting)
    with clock.instead_of_time(), answering_within(15):
        assert ranges.get(url, 2, 4) == b"234"
    with clock.instead_of_time(), answering_within(4), pytest.raises(OutOfTime):
        ranges.get(url, 2, 4)


def test_an_unreachable_host_is_given_up_within_the_time_of_a_request(cloud: MotoCloud, clock: Clock) -> None:
    error = listed(cloud, Faults(always(UNREACHABLE), clock), seconds=5.5)
    assert isinstance(error, ConnectTimeoutError)
    assert clock.now == deadline.CONNECT_SECONDS
