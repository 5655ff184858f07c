"""Calls without a client, on moto: what is answered straight, and what the client is asked instead."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

import boto3
import pytest
import urllib3
from botocore.exceptions import ClientError

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from session_datasets.storage.direct_clients import DirectDynamoDb, DirectS3, DirectSecrets, DirectSts
from session_datasets.storage.lazy_client import LazyClient
from session_datasets.storage.secrets import secret_text
from session_datasets.storage.signing import function_keys
from tests.support.moto_cloud import MotoCloud

ITEM = {
    PARTITION_KEY: {"S": "acme#ses"},
    SORT_KEY: {"S": "art_1"},
    "size": {"N": "12"},
    "nested": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}, {"S": "ü"}]}}},
}
KEY = {PARTITION_KEY: ITEM[PARTITION_KEY], SORT_KEY: ITEM[SORT_KEY]}


class Making:
    """Makes a client, and counts."""

    def __init__(self, client: Any) -> None:
        self.made = 0
        self._client = client

    def __call__(self) -> Any:
        self.made += 1
        return self._client


@pytest.fixture
def cloud_of_variables(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> MotoCloud:
    """The cloud, as a function finds it: in its environment."""
    for name, value in cloud.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    cloud.dynamodb.put_item(TableName=cloud.table, Item=ITEM)
    return cloud


def secrets_of(cloud: MotoCloud) -> Any:
    return boto3.client("secretsmanager", endpoint_url=cloud.endpoint)


def test_an_item_is_what_the_client_answers_and_no_client_is_made(cloud_of_variables: MotoCloud) -> None:
    making = Making(cloud_of_variables.dynamodb)
    wanted = {"TableName": cloud_of_variables.table, "Key": KEY, "ConsistentRead": True}
    assert DirectDynamoDb(making, function_keys).get_item(**wanted)["Item"] == ITEM
    assert cloud_of_variables.dynamodb.get_item(**wanted)["Item"] == ITEM
    assert making.made == 0


def test_an_item_that_is_not_there_needs_no_client_either(cloud_of_variables: MotoCloud) -> None:
    making = Making(cloud_of_variables.dynamodb)
    other = {**KEY, SORT_KEY: {"S": "art_2"}}
    answer = DirectDynamoDb(making, function_keys).get_item(
        TableName=cloud_of_variables.table, Key=other, ConsistentRead=True
    )
    assert "Item" not in answer
    assert making.made == 0


def test_what_fails_is_the_clients_error(cloud_of_variables: MotoCloud) -> None:
    making = Making(cloud_of_variables.dynamodb)
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        DirectDynamoDb(making, function_keys).get_item(TableName="no-such-table", Key=KEY)
    assert making.made == 1


@pytest.mark.parametrize("lost", [urllib3.exceptions.ProtocolError("lost"), urllib3.exceptions.MaxRetryError(None, "")])
def test_a_lost_connection_is_the_clients_to_try_again(
    cloud_of_variables: MotoCloud, monkeypatch: pytest.MonkeyPatch, lost: Exception
) -> None:
    making = Making(cloud_of_variables.dynamodb)
    direct = DirectDynamoDb(making, function_keys)

    def fail(*_: object, **__: object) -> None:
        raise lost

    monkeypatch.setattr(urllib3.PoolManager, "request", fail)
    assert direct.get_item(TableName=cloud_of_variables.table, Key=KEY)["Item"] == ITEM
    assert making.made == 1


def test_behind_a_proxy_the_client_is_asked(cloud_of_variables: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    making = Making(cloud_of_variables.dynamodb)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
    DirectDynamoDb(making, function_keys).get_item(TableName=cloud_of_variables.table, Key=KEY)
    assert making.made == 1


def test_every_other_operation_is_the_clients_and_it_is_made_once(cloud_of_variables: MotoCloud) -> None:
    making = Making(cloud_of_variables.dynamodb)
    direct = DirectDynamoDb(making, function_keys)
    for _ in range(2):
        assert direct.scan(TableName=cloud_of_variables.table)["Count"] == 1
    assert making.made == 1


def test_a_secret_is_read_without_a_client(cloud_of_variables: MotoCloud) -> None:
    arn = secrets_of(cloud_of_variables).create_secret(Name=cloud_of_variables.table, SecretString="{ü}")["ARN"]
    making = Making(None)
    assert secret_text(DirectSecrets(making, function_keys), arn) == "{ü}"
    assert making.made == 0


def test_a_secret_that_can_not_be_fetched_now_is_worth_another_try(cloud_of_variables: MotoCloud) -> None:
    with pytest.raises(Refusal) as refused:
        secret_text(DirectSecrets(lambda: secrets_of(cloud_of_variables), function_keys), "no-such-secret")
    assert refused.value.problem.code is ProblemCode.UNAVAILABLE


def test_a_url_of_a_version_is_good_for_its_object_and_made_without_a_client(cloud_of_variables: MotoCloud) -> None:
    cloud, making = cloud_of_variables, Making(None)
    version = cloud.s3.put_object(Bucket=cloud.bucket, Key="a/b ü", Body=b"old")["VersionId"]
    cloud.s3.put_object(Bucket=cloud.bucket, Key="a/b ü", Body=b"new")
    wanted = {"Bucket": cloud.bucket, "Key": "a/b ü", "VersionId": version}
    url = DirectS3(making, function_keys).generate_presigned_url("get_object", Params=wanted, ExpiresIn=60)
    assert urllib3.request("GET", url).data == b"old"
    assert making.made == 0


ROLE = {
    "RoleArn": "arn:aws:iam::123456789012:role/caller",
    "RoleSessionName": "for-ses-1",
    "DurationSeconds": 3600,
    "Tags": [{"Key": "owner", "Value": "a.b_c@d-e"}, {"Key": "session", "Value": "ses-1"}],
}


def test_a_role_is_put_on_without_a_client(cloud_of_variables: MotoCloud) -> None:
    making = Making(None)
    issued = DirectSts(making, function_keys).assume_role(**ROLE)["Credentials"]
    assert issued.keys() == {"AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration"}
    left = (issued["Expiration"] - datetime.now(UTC)).total_seconds()
    assert 3_500 < left <= 3_600
    assert making.made == 0


def test_a_role_is_asked_for_as_the_client_asks(cloud_of_variables: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    client = boto3.client("sts", endpoint_url=cloud_of_variables.endpoint)
    sent: list[dict[str, list[str]]] = []

    def keep(request: Any, **_: Any) -> None:
        sent.append(parse_qs(request.body.decode() if isinstance(request.body, bytes) else request.body))

    client.meta.events.register("before-send.sts.AssumeRole", keep)
    client.assume_role(**ROLE)
    asked = urllib3.PoolManager.request

    def keep_too(self: Any, method: str, url: str, **more: Any) -> Any:
        sent.append(parse_qs(more["body"].decode()))
        return asked(self, method, url, **more)

    monkeypatch.setattr(urllib3.PoolManager, "request", keep_too)
    DirectSts(Making(None), function_keys).assume_role(**ROLE)
    assert sent[0] == sent[1]


@pytest.mark.parametrize("operation", ["put_object", "get_object"])
def test_any_other_url_is_the_clients(cloud_of_variables: MotoCloud, operation: str) -> None:
    making = Making(cloud_of_variables.s3)
    wanted = {"Bucket": cloud_of_variables.bucket, "Key": "key"}
    assert "/key?" in DirectS3(making, function_keys).generate_presigned_url(operation, Params=wanted, ExpiresIn=60)
    assert making.made == 1


def test_a_client_that_nobody_asks_is_never_made() -> None:
    making = Making(None)
    LazyClient(making)
    assert making.made == 0
