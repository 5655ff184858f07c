"""In whose name the stores are asked while a call is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from session_datasets.domain.names import Verb
from session_datasets.domain.scope import Scope
from session_datasets.storage.narrowing import CredentialsUnavailable, acting_scope
from tests.support.moto_cloud import MotoCloud, door
from tests.support.sessions import Session, problem_code

Asked = list[tuple[str, Scope | None]]


@pytest.fixture
def asked(cloud: MotoCloud) -> Iterator[Asked]:
    """Which operations S3 and DynamoDB were asked, and in whose name, since the test began."""
    with watched(cloud) as found:
        yield found


@contextmanager
def watched(cloud: MotoCloud) -> Iterator[Asked]:
    found: Asked = []

    def keep(event_name: str, **_: Any) -> None:
        found.append((event_name.rsplit(".", 1)[-1], acting_scope()))

    for client in (cloud.s3, cloud.dynamodb):
        client.meta.events.register("before-send", keep)
    yield found
    for client in (cloud.s3, cloud.dynamodb):
        client.meta.events.unregister("before-send", keep)


def test_every_request_of_a_sessions_calls_is_made_in_its_name(cloud: MotoCloud, asked: Asked) -> None:
    session = Session.open(cloud, conversation_id="talk-1", run_id="run-7")
    key = session.put("sales.csv", b"a,b\n1,x\n2,y\n")
    asked.clear()
    registered = session.call("register_artifact", key=key, name="sales")["artifact_id"]
    session.call("describe_artifact", reference={"artifact_id": registered})
    session.call("read_rows", reference={"artifact_id": registered})
    session.call("list_artifacts")
    session.call("load_artifact", reference={"artifact_id": registered}, into="workspace")
    session.call("prepare_upload", file_name="more.csv", size=3, sha256="0" * 64)
    assert {scope for _, scope in asked} == {Scope("acme", session.session_id, "talk-1", "run-7")}
    assert {"HeadObject", "GetObject", "PutObject", "CopyObject", "TransactWriteItems", "GetItem", "Query"} <= {
        operation for operation, _ in asked
    }


def test_a_profile_is_made_in_the_name_of_the_session_that_registered_the_file(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    session = Session.open(cloud)
    session.register()
    with watched(cloud) as found:
        cloud.run_profiling()
    assert {scope for _, scope in found} == {Scope("acme", session.session_id, None, None)}


def test_the_orchestrator_acts_for_the_owner_that_it_names(cloud: MotoCloud, asked: Asked) -> None:
    Session.open(cloud, owner="acme", run_id="run-7")
    assert {scope for _, scope in asked} <= {Scope("acme", "orchestrator", None, "run-7")}


def test_nobody_is_acted_for_when_a_call_is_over(cloud: MotoCloud) -> None:
    Session.open(cloud).call("list_artifacts")
    assert acting_scope() is None


def test_what_a_store_denies_is_counted_and_told_as_a_failure_of_ours(
    cloud: MotoCloud, capsys: pytest.CaptureFixture[str]
) -> None:
    session = Session.open(cloud)

    def deny(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not theirs"}}, "Query")

    cloud.dynamodb.meta.events.register_first("before-send.dynamodb.Query", deny)
    try:
        told = counted(cloud, "list_artifacts", {"token": session.token}, capsys)
    finally:
        cloud.dynamodb.meta.events.unregister("before-send.dynamodb.Query", deny)
    assert told["denied"] == [1.0]
    assert problem_code(told["answer"]) == "internal"
    assert "not theirs" not in json.dumps(told["answer"])


@pytest.mark.parametrize(("code", "denied"), [("AccessDenied", [1.0]), ("ThrottlingException", None)])
def test_a_callers_role_that_may_not_be_put_on_is_counted_as_denied_and_one_that_is_busy_is_not(
    cloud: MotoCloud, capsys: pytest.CaptureFixture[str], code: str, denied: list[float] | None
) -> None:
    session = Session.open(cloud)

    def refuse(**_: Any) -> None:
        raise CredentialsUnavailable("role") from ClientError({"Error": {"Code": code}}, "AssumeRole")

    cloud.dynamodb.meta.events.register_first("before-send.dynamodb.Query", refuse)
    try:
        told = counted(cloud, "list_artifacts", {"token": session.token}, capsys)
    finally:
        cloud.dynamodb.meta.events.unregister("before-send.dynamodb.Query", refuse)
    # It may be a new role that AWS does not know everywhere yet, so the call may be repeated.
    assert (told.get("denied"), problem_code(told["answer"])) == (denied, "unavailable")


def test_a_call_that_is_answered_counts_no_denial(cloud: MotoCloud, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session.open(cloud)
    assert "denied" not in counted(cloud, "list_artifacts", {"token": session.token}, capsys)


class Context:
    """What the doors ask of Lambda's."""

    aws_request_id = "request-1"
    function_name = "function"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:function"

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


def counted(cloud: MotoCloud, verb: str, body: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The metrics of one call through the door as Lambda opens it, and the ``answer``."""
    handler = door(Verb(verb))
    wire, handler._wire = handler._wire, lambda: cloud.wired
    capsys.readouterr()
    try:
        answer = handler(body, Context())
    finally:
        handler._wire = wire
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    (metrics,) = (line for line in lines if "_aws" in line and "calls" in line)
    return {**metrics, "answer": answer}
