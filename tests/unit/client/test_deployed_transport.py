"""What Lambda does to a call becomes an answer or an error that says whether to try again."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from botocore import exceptions as aws

from session_datasets.client import transport as transport_module
from session_datasets.client.errors import (
    ConfigurationError,
    FunctionFailedError,
    FunctionTimedOutError,
    NotDeployedError,
    TransportError,
    UnexpectedAnswerError,
)
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


def refused(code: str, status: int) -> aws.ClientError:
    response = {"Error": {"Code": code, "Message": "secret-token"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return aws.ClientError(response, "Invoke")


def call(monkeypatch: pytest.MonkeyPatch, outcome: Any) -> tuple[Any, Lambda]:
    client = Lambda(outcome)
    monkeypatch.setattr(transport_module, "_lambda_client", lambda: client)
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

    monkeypatch.setattr(transport_module, "_lambda_client", make)
    transport = DeployedTransport()
    for _ in range(3):
        transport._lambda()
    assert len(made) == 1


def test_the_client_waits_longer_than_any_function_runs_and_retries_nothing_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    config = transport_module._lambda_client().meta.config
    assert config.read_timeout > 600
    assert config.retries["total_max_attempts"] == 1


OUTCOMES = {
    "function missing": (refused("ResourceNotFoundException", 404), NotDeployedError, False),
    "not allowed": (refused("AccessDeniedException", 403), NotDeployedError, False),
    "throttled": (refused("TooManyRequestsException", 429), TransportError, True),
    "lambda is down": (refused("ServiceException", 500), TransportError, True),
    "request too large": (refused("RequestTooLargeException", 413), TransportError, False),
    "no connection": (aws.EndpointConnectionError(endpoint_url="https://x"), TransportError, True),
    "broken connection": (aws.ConnectionClosedError(endpoint_url="https://x"), TransportError, True),
    "no answer in time": (aws.ReadTimeoutError(endpoint_url="https://x"), FunctionTimedOutError, False),
    "crash": (payload({"errorType": "Runtime.ExitError"}, FunctionError="Unhandled"), FunctionFailedError, True),
    "crash without words": (payload(b"\xff", FunctionError="Unhandled"), FunctionFailedError, True),
    "crash of no form": (payload(["x"], FunctionError="Unhandled"), FunctionFailedError, True),
    "out of time": (
        payload({"errorType": "Sandbox.Timedout", "errorMessage": "Task timed out"}, FunctionError="Unhandled"),
        FunctionTimedOutError,
        False,
    ),
    "not JSON": (payload(b"<html>"), UnexpectedAnswerError, False),
    "no object": (payload([1]), UnexpectedAnswerError, False),
}


@pytest.mark.parametrize(("outcome", "error", "retryable"), OUTCOMES.values(), ids=OUTCOMES.keys())
def test_a_failure_is_typed_and_says_whether_to_try_again(
    monkeypatch: pytest.MonkeyPatch, outcome: Any, error: type[TransportError], retryable: bool
) -> None:
    with pytest.raises(error) as raised:
        call(monkeypatch, outcome)
    assert type(raised.value) is error
    assert raised.value.retryable is retryable
    assert "secret-token" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("missing", [aws.NoRegionError(), aws.NoCredentialsError()])
def test_a_missing_region_or_credentials_are_named(monkeypatch: pytest.MonkeyPatch, missing: Exception) -> None:
    with pytest.raises(ConfigurationError, match="AWS_REGION"):
        call(monkeypatch, missing)
