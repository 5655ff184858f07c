"""What Lambda does to a call becomes an answer or an error that says whether to try again."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from botocore import exceptions as aws

from session_datasets.client import transport as transport_module
from session_datasets.client.errors import (
    Again,
    ConfigurationError,
    FunctionFailedError,
    FunctionTimedOutError,
    LostAnswerError,
    NotDeployedError,
    TransportError,
    UnexpectedAnswerError,
)
from session_datasets.client.lambda_errors import invoke_error
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import Verb

BODY = {"v": 1, "token": "secret-token"}


class Lambda:
    """A client of the Lambda API that does one thing."""

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.calls: list[dict[str, Any]] = []

    def invoke(self, **call: Any) -> dict[str, Any]:
        self.calls.append(call)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        reply: dict[str, Any] = self.outcome
        return reply


def payload(value: Any, **more: str) -> dict[str, Any]:
    return {"Payload": io.BytesIO(value if isinstance(value, bytes) else json.dumps(value).encode()), **more}


def refused(code: str, status: int, operation: str = "Invoke") -> aws.ClientError:
    response = {"Error": {"Code": code, "Message": "secret-token"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return aws.ClientError(response, operation)


class BrokenPayload:
    """An answer whose connection breaks while it is read."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self) -> bytes:
        raise self._error


def call(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> tuple[Any, Lambda]:
    client = Lambda(outcome)
    monkeypatch.setattr(transport_module, "lambda_client", lambda: client)
    return DeployedTransport("my-stack", "blue").call(Verb.READ_ROWS, dict(BODY)), client


def test_the_function_of_the_verb_is_invoked_by_its_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    answered, client = call(monkeypatch, payload({"rows": []}))
    assert answered == {"rows": []}
    (made,) = client.calls
    assert (made["FunctionName"], made["Qualifier"]) == ("my-stack-read-rows", "blue")
    assert json.loads(made["Payload"]) == BODY


def test_the_client_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Lambda] = []

    def make() -> Lambda:
        made.append(Lambda(None))
        return made[-1]

    monkeypatch.setattr(transport_module, "lambda_client", make)
    transport = DeployedTransport()
    for _ in range(3):
        transport._lambda()
    assert len(made) == 1


OUTCOMES = {
    "function missing": (refused("ResourceNotFoundException", 404), NotDeployedError, Again.NEVER),
    "not allowed": (refused("AccessDeniedException", 403), NotDeployedError, Again.NEVER),
    "throttled": (refused("TooManyRequestsException", 429), TransportError, Again.LATER),
    "lambda is down": (refused("ServiceException", 500), TransportError, Again.LATER),
    "bad gateway": (refused("502", 502), TransportError, Again.LATER),
    "no capacity": (refused("EC2ThrottledException", 502), TransportError, Again.LATER),
    "snapshot not ready": (refused("SnapStartNotReadyException", 409), TransportError, Again.LATER),
    "snapshot slow": (refused("SnapStartTimeoutException", 408), TransportError, Again.LATER),
    "function changing": (refused("ResourceConflictException", 409), TransportError, Again.LATER),
    "request too large": (refused("RequestTooLargeException", 413), TransportError, Again.NEVER),
    "no connection": (aws.EndpointConnectionError(endpoint_url="https://x"), TransportError, Again.SOON),
    "slow connection": (aws.ConnectTimeoutError(endpoint_url="https://x"), TransportError, Again.SOON),
    "broken connection": (aws.ConnectionClosedError(endpoint_url="https://x"), LostAnswerError, Again.SOON),
    "no answer in time": (aws.ReadTimeoutError(endpoint_url="https://x"), LostAnswerError, Again.ONCE),
    "broken answer": (
        {"Payload": BrokenPayload(aws.ResponseStreamingError(error="secret-token"))},
        LostAnswerError,
        Again.SOON,
    ),
    "short answer": (
        {"Payload": BrokenPayload(aws.IncompleteReadError(actual_bytes=1, expected_bytes=2))},
        LostAnswerError,
        Again.SOON,
    ),
    "crash": (payload({"errorType": "Runtime.ExitError"}, FunctionError="Unhandled"), FunctionFailedError, Again.SOON),
    "crash without words": (payload(b"\xff", FunctionError="Unhandled"), FunctionFailedError, Again.SOON),
    "crash of no form": (payload(["x"], FunctionError="Unhandled"), FunctionFailedError, Again.SOON),
    "out of time": (
        payload({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out"}, FunctionError="Unhandled"),
        FunctionTimedOutError,
        Again.NEVER,
    ),
    "not JSON": (payload(b"<html>"), UnexpectedAnswerError, Again.NEVER),
    "no object": (payload([1]), UnexpectedAnswerError, Again.NEVER),
}


@pytest.mark.parametrize(("outcome", "error", "again"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_a_failure_is_typed_and_says_when_to_try_again(
    monkeypatch: pytest.MonkeyPatch, outcome: Any, error: type[TransportError], again: Again
) -> None:
    with pytest.raises(error) as raised:
        call(monkeypatch, outcome)
    assert type(raised.value) is error
    assert raised.value.again is again
    assert "secret-token" not in str(raised.value)
    assert raised.value.__cause__ is None


ENVIRONMENTS = [
    aws.NoRegionError(),
    aws.NoCredentialsError(),
    aws.ProfileNotFound(profile="p"),
    aws.SSOTokenLoadError(error_msg="no token"),
    aws.UnauthorizedSSOTokenError(),
    aws.TokenRetrievalError(provider="sso", error_msg="expired"),
    aws.CredentialRetrievalError(provider="process", error_msg="failed"),
    refused("AccessDenied", 403, operation="AssumeRole"),
]


@pytest.mark.parametrize("missing", ENVIRONMENTS, ids=lambda error: type(error).__name__)
def test_an_environment_that_aws_can_not_be_called_from_is_a_configuration_error(
    monkeypatch: pytest.MonkeyPatch, missing: Exception
) -> None:
    with pytest.raises(ConfigurationError, match=r"AWS_REGION \(or AWS_DEFAULT_REGION\) and credentials"):
        call(monkeypatch, missing)


@pytest.mark.parametrize("code", ["ExpiredTokenException", "UnrecognizedClientException", "InvalidSignatureException"])
def test_credentials_that_are_not_accepted_are_to_be_renewed(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{code}.*Renew the credentials"):
        call(monkeypatch, refused(code, 403))


def test_an_endpoint_that_is_no_url_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "not an endpoint")
    with pytest.raises(ConfigurationError, match="not an endpoint"):
        DeployedTransport().call(Verb.READ_ROWS, BODY)


def test_a_profile_that_does_not_exist_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")
    with pytest.raises(ConfigurationError, match="no-such-profile"):
        DeployedTransport().call(Verb.READ_ROWS, BODY)


def test_a_mistake_of_this_code_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyError):
        call(monkeypatch, {})


@pytest.mark.parametrize(
    ("endpoint", "local"),
    [
        ("http://127.0.0.1:4566", True),
        ("http://localhost:4566", True),
        ("http://[::1]:4566", True),
        ("https://lambda.eu-west-1.amazonaws.com", False),
    ],
)
def test_only_who_looks_for_the_local_cloud_is_told_to_start_it(endpoint: str, local: bool) -> None:
    error = invoke_error("f", "live", aws.EndpointConnectionError(endpoint_url=endpoint))
    assert error is not None
    assert ("`make up`" in error.advice) is local
    assert "Check AWS_ENDPOINT_URL" in error.advice
