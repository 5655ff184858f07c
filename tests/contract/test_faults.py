"""Throttling, server errors, lost connections and silence of AWS: a call answers what it must, or that it may be
repeated, and leaves nothing half written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.names import Verb
from session_datasets.storage.deadline import answering_within
from session_datasets.storage.object_sink import ObjectSink
from tests.support.faults import (
    ANSWER_LOST,
    CUT,
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
    drawn,
    scripted,
)
from tests.support.moto_cloud import MotoCloud, door
from tests.support.sessions import Answer, Session, problem_code

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(500))
# What a small function has.
SECONDS = 15


def named(each: object) -> str:
    return each.name if isinstance(each, Fault) else str(each)


@pytest.fixture
def node(cloud: MotoCloud) -> Session:
    return Session.open(cloud)


def called(faults: Faults, node: Session, verb: str, **body: Any) -> Answer:
    """One call among faults, in a process that remembers nothing."""
    cloud: MotoCloud = node.cloud  # type: ignore[assignment]
    cloud.restart()
    with faults.befalling(cloud.s3, cloud.dynamodb), faults.clock.instead_of_time(), answering_within(SECONDS):
        return node.call(verb, **body)


def unfinished_uploads(cloud: MotoCloud) -> list[str]:
    return [each["Key"] for each in cloud.s3.list_multipart_uploads(Bucket=cloud.bucket).get("Uploads", [])]


def records(cloud: MotoCloud) -> list[str]:
    found = cloud.dynamodb.scan(TableName=cloud.table)["Items"]
    return sorted(item["artifact_id"]["S"] for item in found if "document" in item and "artifact_id" in item)


OPERATIONS = [
    ("register_artifact", "s3.HeadObject"),
    ("register_artifact", "s3.GetObject"),
    ("register_artifact", "s3.PutObject"),
    ("register_artifact", "dynamodb.GetItem"),
    ("register_artifact", "dynamodb.TransactWriteItems"),
    ("describe_artifact", "dynamodb.GetItem"),
    ("list_artifacts", "dynamodb.Query"),
    ("read_rows", "dynamodb.GetItem"),
    ("load_artifact", "s3.HeadObject"),
    ("load_artifact", "dynamodb.TransactWriteItems"),
]
OF_S3 = [SLOW_DOWN, SERVER_ERROR, RESET, SILENT, ANSWER_LOST]
OF_DYNAMODB = [THROTTLED, TABLE_THROTTLED, UNREACHABLE, SILENT, ANSWER_LOST]
MEETINGS = [
    (verb, operation, fault)
    for verb, operation in OPERATIONS
    for fault in (OF_S3 if operation.startswith("s3.") else OF_DYNAMODB)
]


def asked(node: Session, verb: str) -> dict[str, Any]:
    """The arguments of a call whose answer is known."""
    if verb == "register_artifact":
        return {"key": node.put("a.csv", BODY), "name": "Numbers"}
    artifact_id = node.register("a.csv", BODY, name="Numbers")["artifact_id"]
    return {"scope": "session"} if verb == "list_artifacts" else {"reference": artifact_id}


def comparable(answer: Answer) -> Answer:
    """Without what differs from call to call, and whether this one or the try before it made the record."""
    return {name: value for name, value in answer.items() if name not in ("created", "download", "s3_requests")}


@pytest.mark.parametrize(("verb", "operation", "fault"), MEETINGS, ids=named)
def test_a_fault_that_passes_is_not_noticed(node: Session, verb: str, operation: str, fault: Fault) -> None:
    body = asked(node, verb)
    faults = Faults(scripted(fault, operation=operation), Clock())
    answer = called(faults, node, verb, **body)
    assert faults.attempts[operation] >= 2
    assert comparable(answer) == comparable(node.call(verb, **body))


@pytest.mark.parametrize(("verb", "operation", "fault"), MEETINGS, ids=named)
def test_a_fault_that_stays_is_told_as_one_that_may_pass(
    cloud: MotoCloud, node: Session, verb: str, operation: str, fault: Fault
) -> None:
    body = asked(node, verb)
    faults = Faults(always(fault, operation), Clock())
    problem = called(faults, node, verb, **body)["problem"]
    assert (problem["code"], problem["retryable"]) == ("unavailable", True)
    assert "make the same call again" in problem["advice"]
    assert 1 <= faults.attempts[operation] <= 3
    assert faults.clock.now <= SECONDS
    assert unfinished_uploads(cloud) == []
    assert "problem" not in node.call(verb, **body)


@pytest.mark.parametrize("operation", ["s3.GetObject", "s3.PutObject"])
def test_a_registration_that_could_not_be_made_leaves_no_record(
    cloud: MotoCloud, node: Session, operation: str
) -> None:
    body = asked(node, "register_artifact")
    called(Faults(always(SLOW_DOWN, operation), Clock()), node, "register_artifact", **body)
    assert node.listed(scope="session") == []
    created = node.call("register_artifact", **body)
    assert created["created"] is True
    assert node.listed(scope="session") == [created["artifact_id"]]


def test_a_file_whose_connection_breaks_is_read_on_from_there(node: Session) -> None:
    body = asked(node, "register_artifact")
    asked_for: list[str | None] = []
    choose = always(CUT, "s3.GetObject")
    faults = Faults(choose, Clock())

    def remember(request: Any, **_: Any) -> None:
        asked_for.append((request.headers.get("Range") or b"").decode() or None)

    events = node.cloud.s3.meta.events
    events.register_first("before-send.s3.GetObject", remember)
    try:
        answer = called(faults, node, "register_artifact", **body)
    finally:
        events.unregister("before-send.s3.GetObject", remember)
    loaded = node.call("load_artifact", reference=answer["artifact_id"])
    assert (loaded["sha256"], answer["profile"]["shape"]["rows"]) == (hashlib.sha256(BODY).hexdigest(), 500)
    cuts = range(0, len(BODY), 1_000)
    assert asked_for == [None, *(f"bytes={done}-" for done in cuts[1:])]


def test_a_body_of_which_nothing_comes_is_asked_for_three_times(node: Session) -> None:
    body = asked(node, "register_artifact")
    faults = Faults(always(Fault("cut at once", cut_after=0), "s3.GetObject"), Clock())
    assert problem_code(called(faults, node, "register_artifact", **body)) == "unavailable"
    assert faults.attempts["s3.GetObject"] == 3


def test_parts_are_taken_back_also_when_there_is_no_time_for_more(cloud: MotoCloud) -> None:
    faults = Faults(always(SILENT, "s3.UploadPart"), Clock())
    sink = ObjectSink(cloud.s3, cloud.bucket, "made", part_bytes=10)
    with faults.befalling(cloud.s3), answering_within(SECONDS):
        sink.write(b"0123456789")
        with pytest.raises(Exception, match=r"timeout|time is left"):
            sink.commit()
        sink.abandon()
    assert unfinished_uploads(cloud) == []
    assert faults.clock.now <= SECONDS


def test_a_function_without_time_asks_nobody_and_says_so(cloud: MotoCloud, node: Session) -> None:
    handler = door(Verb.LIST_ARTIFACTS)
    with cloud.failing_when_asked(), patch.object(handler, "_wire", lambda: cloud.wired):
        answer = handler({"token": node.token}, _Context())
    assert problem_code(answer) == "unavailable"


class _Context:
    aws_request_id = "request-1"
    function_name = "function"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:function"

    def get_remaining_time_in_millis(self) -> int:
        return 4_500


@contextmanager
def losing_ranges(cloud: MotoCloud, draw: Callable[[], float], share: float) -> Iterator[None]:
    """While it lasts, this share of the ranges that are asked for without a client is lost."""
    straight = cloud.wired.service.derived._gets._connections  # type: ignore[attr-defined]
    asked_for = straight.get
    with patch.object(straight, "get", lambda *of: None if draw() < share else asked_for(*of)):
        yield


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.05, 0.2, 0.5]))
def test_among_faults_no_answer_is_wrong(moto_server: str, seed: int, share: float) -> None:
    cloud, random = _shared(moto_server), Random(seed)
    node = Session.open(cloud, conversation_id=f"talk-{random.getrandbits(64)}")
    body = {"key": node.put("a.csv", BODY + b"%d,last\n" % seed), "name": "Numbers"}
    faults = Faults(drawn(seed, share), Clock())
    answers: list[tuple[str, dict[str, Any], Answer]] = []

    def ask(verb: str, **arguments: Any) -> Answer:
        began = faults.clock.now
        with losing_ranges(cloud, random.random, share):
            answer = called(faults, node, verb, **arguments)
        assert faults.clock.now - began <= SECONDS
        answers.append((verb, arguments, answer))
        return answer

    registered = ask("register_artifact", **body)
    reference = registered.get("artifact_id") or node.call("register_artifact", **body)["artifact_id"]
    for verb in ("read_rows", "list_artifacts", "load_artifact", "describe_artifact", "register_artifact"):
        ask(verb, **body) if verb == "register_artifact" else ask(
            verb, **({"scope": "session"} if verb == "list_artifacts" else {"reference": reference})
        )

    for verb, arguments, answer in answers:
        if "problem" in answer:
            assert (answer["problem"]["code"], answer["problem"]["retryable"]) == ("unavailable", True)
        else:
            assert comparable(answer) == comparable(node.call(verb, **arguments))
    assert node.listed(scope="session") == [reference]


_CLOUDS: dict[str, MotoCloud] = {}


def _shared(endpoint: str) -> MotoCloud:
    return _CLOUDS.setdefault(endpoint, MotoCloud(endpoint))
