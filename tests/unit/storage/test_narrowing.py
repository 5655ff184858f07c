"""Whose credentials a store is asked with."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.limits import ID_CHARACTERS_MAX, PRESIGNED_SECONDS
from session_datasets.domain.scope import Scope
from session_datasets.storage import aws
from session_datasets.storage.direct_clients import DirectDynamoDb, DirectS3
from session_datasets.storage.faults import refusal_of
from session_datasets.storage.narrowing import (
    CallerKeys,
    CarryingThreads,
    CredentialsUnavailable,
    Issued,
    acting_for,
    acting_scope,
    put_on_with,
    session_tags,
)
from session_datasets.storage.signing import Keys
from tests.support.moto_cloud import MotoCloud

ACME = Scope("acme", "ses-1", "talk", "run-7")
OTHER = Scope("other", "ses-2", None, "run-7")


class Sts:
    """Issues ``AKIA-<owner>-<session>-<n>``, good for an hour from ``now``, and keeps what it was asked."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[tuple[str, int, str, dict[str, str]]] = []

    def __call__(self, role: str, seconds: int, name: str, tags: dict[str, str]) -> Issued:
        self.asked.append((role, seconds, name, tags))
        key = f"AKIA-{tags['owner']}-{tags['session']}-{len(self.asked)}"
        return Issued(Keys(key, "secret", "token"), self.now + seconds)


@pytest.fixture
def sts() -> Sts:
    return Sts()


@pytest.fixture
def keys(sts: Sts) -> CallerKeys:
    return CallerKeys("arn:role", sts, lambda: sts.now)


def test_a_role_is_put_on_with_the_callers_ids_as_tags(sts: Sts, keys: CallerKeys) -> None:
    with acting_for(ACME):
        keys()
    tags = {"owner": "acme", "session": "ses-1", "conversation": "talk", "run": "run-7"}
    assert sts.asked == [("arn:role", 3600, "for-ses-1", tags)]


def test_an_id_that_a_session_lacks_is_no_tag() -> None:
    assert session_tags(OTHER) == {"owner": "other", "session": "ses-2", "run": "run-7"}


def test_the_name_of_an_audit_is_one_that_aws_takes_however_long_the_id(sts: Sts, keys: CallerKeys) -> None:
    with acting_for(Scope("a", "s" * ID_CHARACTERS_MAX, None, None)):
        keys()
    assert len(sts.asked[0][2]) == 64


def test_one_caller_puts_the_role_on_once(sts: Sts, keys: CallerKeys) -> None:
    with acting_for(ACME):
        assert [keys().access_key for _ in range(3)] == ["AKIA-acme-ses-1-1"] * 3
    assert len(sts.asked) == 1


@pytest.mark.parametrize(
    "another",
    [
        Scope("other", "ses-1", "talk", "run-7"),
        Scope("acme", "ses-2", "talk", "run-7"),
        Scope("acme", "ses-1", "talk-2", "run-7"),
        Scope("acme", "ses-1", "talk", None),
    ],
)
def test_what_was_put_on_for_one_is_never_used_for_another(sts: Sts, keys: CallerKeys, another: Scope) -> None:
    with acting_for(ACME):
        mine = keys()
    with acting_for(another):
        assert keys() != mine
    with acting_for(ACME):
        assert keys() == mine
    assert len(sts.asked) == 2


@pytest.mark.parametrize(("left", "asked"), [(PRESIGNED_SECONDS + 60, 1), (PRESIGNED_SECONDS + 59, 2), (-1, 2)])
def test_keys_are_renewed_before_a_url_could_outlive_them(sts: Sts, keys: CallerKeys, left: int, asked: int) -> None:
    with acting_for(ACME):
        keys()
        sts.now = 3600.0 - left
        keys()
    assert len(sts.asked) == asked


def test_no_more_than_some_callers_are_held_and_the_last_used_stay(sts: Sts, keys: CallerKeys) -> None:
    def use(number: int) -> str:
        with acting_for(Scope("acme", f"ses-{number}", None, None)):
            return keys().access_key

    first = [use(number) for number in range(256)]
    assert use(0) == first[0]
    use(256)
    assert use(0) == first[0]
    assert len(sts.asked) == 257
    assert use(1) != first[1]


def test_in_nobodys_name_nothing_is_asked(sts: Sts, keys: CallerKeys) -> None:
    with pytest.raises(RuntimeError, match="in nobody's name"):
        keys()
    assert sts.asked == []


def test_whom_one_acts_for_ends_with_the_call_also_when_it_fails() -> None:
    with acting_for(ACME):
        with pytest.raises(ValueError, match="boom"), acting_for(OTHER):
            raise ValueError("boom")
        assert acting_scope() == ACME
    assert acting_scope() is None


def test_threads_of_an_operation_act_for_its_caller_and_others_for_nobody() -> None:
    with CarryingThreads(2) as carrying, ThreadPoolExecutor(2) as plain, acting_for(ACME):
        assert list(carrying.map(lambda _: acting_scope(), range(4))) == [ACME] * 4
        assert list(plain.map(lambda _: acting_scope(), range(4))) == [None] * 4


def test_two_callers_at_the_same_time_are_kept_apart(keys: CallerKeys) -> None:
    meet = threading.Barrier(2)

    def use(scope: Scope) -> str:
        with acting_for(scope):
            meet.wait()
            return keys().access_key

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(use, [ACME, OTHER]))
    assert ["acme" in found[0], "other" in found[1]] == [True, True]


def test_threads_of_one_call_put_the_role_on_once(sts: Sts, keys: CallerKeys) -> None:
    with CarryingThreads(8) as pool, acting_for(ACME):
        assert len(set(pool.map(lambda _: keys().access_key, range(64)))) == 1
    assert len(sts.asked) == 1


@pytest.mark.parametrize(
    "failure",
    [
        ClientError({"Error": {"Code": "AccessDenied"}}, "AssumeRole"),
        EndpointConnectionError(endpoint_url="https://sts"),
    ],
)
def test_when_the_role_can_not_be_put_on_the_call_may_be_repeated(failure: Exception) -> None:
    class Failing:
        def assume_role(self, **_: Any) -> None:
            raise failure

    with acting_for(ACME), pytest.raises(CredentialsUnavailable) as raised:
        CallerKeys("arn:role", put_on_with(Failing()))()
    told = refusal_of(raised.value)
    assert told is not None
    assert told.problem.code is ProblemCode.UNAVAILABLE


# --- clients ---------------------------------------------------------------------------------------------


@pytest.fixture
def signed_with(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The access key of every request that a client of boto3 made here sends, in order."""
    for name, value in cloud.environment().items():
        monkeypatch.setenv(name, value)
    found: list[str] = []
    make = boto3.Session.client

    def watched(self: Any, service: str, **more: Any) -> Any:
        client = make(self, service, **more)

        def keep(request: Any, **_: Any) -> None:
            authorization = request.headers["Authorization"]
            text = authorization.decode() if isinstance(authorization, bytes) else authorization
            found.append(text.split("Credential=")[1].split("/")[0])

        client.meta.events.register("before-send", keep)
        return client

    monkeypatch.setattr(boto3.Session, "client", watched)
    return found


def test_one_client_signs_each_request_for_its_caller(
    cloud: MotoCloud, keys: CallerKeys, signed_with: list[str]
) -> None:
    client = aws.s3_client(keys)
    for scope in (ACME, OTHER, ACME):
        with acting_for(scope):
            client.put_object(Bucket=cloud.bucket, Key="key", Body=b"")
    assert signed_with == ["AKIA-acme-ses-1-1", "AKIA-other-ses-2-2", "AKIA-acme-ses-1-1"]


def test_a_url_is_signed_for_its_caller(cloud: MotoCloud, keys: CallerKeys, signed_with: list[str]) -> None:
    s3: list[Callable[..., str]] = [
        aws.s3_client(keys).generate_presigned_url,
        DirectS3(partial(aws.s3_client, keys), keys).generate_presigned_url,
    ]
    wanted = {"Bucket": cloud.bucket, "Key": "key", "VersionId": "v"}
    for presign in s3:
        with acting_for(OTHER):
            url = presign("get_object", Params=wanted, ExpiresIn=60)
        assert "AKIA-other-ses-2-1" in url
        assert "X-Amz-Security-Token=token" in url


def test_in_nobodys_name_no_client_sends_or_signs_anything(
    cloud: MotoCloud, keys: CallerKeys, signed_with: list[str]
) -> None:
    s3 = DirectS3(partial(aws.s3_client, keys), keys)
    dynamodb = DirectDynamoDb(partial(aws.dynamodb_client, keys), keys)
    wanted = {"Bucket": cloud.bucket, "Key": "key", "VersionId": "v"}
    for call in (
        partial(s3.put_object, Bucket=cloud.bucket, Key="key", Body=b""),
        partial(s3.generate_presigned_url, "get_object", Params=wanted, ExpiresIn=60),
        partial(dynamodb.get_item, TableName=cloud.table, Key={}),
        partial(dynamodb.scan, TableName=cloud.table),
    ):
        with pytest.raises(RuntimeError, match="in nobody's name"):
            call()
    assert signed_with == []
