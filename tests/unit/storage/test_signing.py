"""What is signed without a client is, to the letter, what the client would sign."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlsplit

import boto3
import pytest
from botocore.compat import get_current_datetime
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.storage import signing
from session_datasets.storage.aws import s3_client
from session_datasets.storage.signing import function_keys, presigned_get, signed_call

LAMBDA = {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "eu-west-1"}
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "to/ke+n="}
VARIABLES = (*LAMBDA, *KEYS, *signing._UNUSUAL_VARIABLES, "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
NOON = get_current_datetime().replace(hour=12, minute=0, second=0, microsecond=0)


@pytest.fixture(scope="module", autouse=True)
def a_functions_environment() -> Any:
    with pytest.MonkeyPatch.context() as patched:
        for name in VARIABLES:
            patched.delenv(name, raising=False)
        for name, value in {**LAMBDA, **KEYS}.items():
            patched.setenv(name, value)
        # The session of earlier tests of this process holds their credentials.
        patched.setattr(boto3, "DEFAULT_SESSION", None)
        signing._container_credentials.cache_clear()
        yield
        signing._container_credentials.cache_clear()


@pytest.fixture(scope="module")
def client(a_functions_environment: Any) -> Any:
    return s3_client()


@pytest.fixture(scope="module")
def client_of_an_emulator(a_functions_environment: Any) -> Any:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
        return s3_client()


def presigned_by(client: Any, key: str, version_id: str) -> str:
    wanted = {"Bucket": "workspaces", "Key": key, "VersionId": version_id}
    return str(client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=900))


@given(key=st.text(min_size=1, max_size=40), version_id=st.text("abcXYZ019._-", min_size=1, max_size=32))
def test_a_url_is_the_clients_own_whatever_the_key(client: Any, key: str, version_id: str) -> None:
    with patch("botocore.auth.get_current_datetime", return_value=NOON):
        assert presigned_get("workspaces", key, version_id, 900, function_keys) == presigned_by(client, key, version_id)


def test_a_url_of_an_emulator_is_the_clients_own(client_of_an_emulator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
    with patch("botocore.auth.get_current_datetime", return_value=NOON):
        url = presigned_get("workspaces", "a/b c", "v1", 900, function_keys)
        assert url == presigned_by(client_of_an_emulator, "a/b c", "v1")


@pytest.mark.parametrize(
    ("service", "target", "operation", "members"),
    [
        (
            "dynamodb",
            "DynamoDB_20120810.GetItem",
            "get_item",
            {"TableName": "t", "Key": {"pk": {"S": "a#ü"}}, "ConsistentRead": True},
        ),
        ("secretsmanager", "secretsmanager.GetSecretValue", "get_secret_value", {"SecretId": "arn:key"}),
    ],
)
def test_a_call_is_addressed_as_the_clients_is(
    service: str, target: str, operation: str, members: dict[str, Any]
) -> None:
    sent: list[Any] = []
    client = boto3.client(service)
    client.meta.events.register("before-send.*.*", lambda request, **_: sent.append(request) or _Stop())
    with pytest.raises(_Stopped):
        getattr(client, operation)(**members)
    call = signed_call(service, target, members, function_keys)
    assert call is not None
    assert call.url == sent[0].url
    theirs = {name.lower(): _text(value) for name, value in sent[0].headers.items()}
    ours = {name.lower(): value for name, value in call.headers.items()}
    for name in ("content-type", "x-amz-target", "x-amz-security-token"):
        assert ours[name] == theirs[name]
    # Credential, scope and signature: the client signs headers of its own beside these.
    assert ours["authorization"].split(",")[0] == theirs["authorization"].split(",")[0]


class _Stopped(Exception):
    pass


class _Stop:
    def __getattr__(self, name: str) -> Any:
        raise _Stopped


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@pytest.mark.parametrize("region", ["cn-north-1", "us-iso-east-1", "eusc-de-east-1", ""])
def test_where_host_names_end_otherwise_the_client_is_asked(region: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    monkeypatch.setenv("AWS_REGION", region)
    assert presigned_get("workspaces", "key", "v1", 900, function_keys) is None
    assert signed_call("dynamodb", "DynamoDB_20120810.GetItem", {}, function_keys) is None


@pytest.mark.parametrize("variable", signing._UNUSUAL_VARIABLES)
def test_what_only_the_client_understands_is_left_to_it(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "true")
    assert presigned_get("workspaces", "key", "v1", 900, function_keys) is None


def test_a_bucket_with_a_point_in_its_name_is_left_to_the_client() -> None:
    assert presigned_get("work.spaces", "key", "v1", 900, function_keys) is None


def test_without_credentials_the_client_says_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    signing._container_credentials.cache_clear()
    assert presigned_get("workspaces", "key", "v1", 900, function_keys) is None


def test_after_a_restore_the_keys_are_those_that_the_container_hands_over_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    handed = iter([Credentials("first", "s", "t"), Credentials("second", "s", "t")])
    held = _Renewed(handed)
    monkeypatch.setattr(signing, "_container_credentials", lambda: held)
    urls = [presigned_get("workspaces", "key", "v1", 900, function_keys) or "" for _ in range(2)]
    names = [parse_qs(urlsplit(url).query)["X-Amz-Credential"][0].split("/")[0] for url in urls]
    assert names == ["first", "second"]


class _Renewed:
    def __init__(self, handed: Any) -> None:
        self._handed = handed

    def get_frozen_credentials(self) -> Any:
        return next(self._handed).get_frozen_credentials()
