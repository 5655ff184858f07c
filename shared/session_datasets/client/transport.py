"""The one seam between the client and the service: a verb and a body in, a body out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from session_datasets.client.errors import (
    ConfigurationError,
    FunctionFailedError,
    FunctionTimedOutError,
    NotDeployedError,
    TransportError,
    UnexpectedAnswerError,
)
from session_datasets.domain.names import DEFAULT_STACK, LIVE_ALIAS, Verb, function_name

if TYPE_CHECKING:
    from botocore.client import BaseClient

Body = dict[str, Any]

# Longer than the longest function may run (600 s for a registration), so the client never hangs up first.
_ANSWER_SECONDS = 630
_CONNECT_SECONDS = 5


class Transport(Protocol):
    def call(self, verb: Verb, body: Body) -> Body:
        """The answer's body, a refusal under ``problem`` included. TransportError when no answer came."""


class InProcessTransport:
    """Calls a function of this process, with the same JSON in between that a deployed one would see."""

    def __init__(self, serve: Callable[[Verb, Body], Body]) -> None:
        self._serve = serve

    def call(self, verb: Verb, body: Body) -> Body:
        answered: Body = _as_json(self._serve(verb, _as_json(body)))
        return answered


def _as_json(body: Body) -> Any:
    return json.loads(json.dumps(body, allow_nan=False))


class DeployedTransport:
    """Invokes the stack's Lambda functions. Endpoint, region and credentials are those that boto3 finds.

    Connections are kept and shared by threads. Nothing is retried here; a TransportError says whether to.
    """

    def __init__(self, stack: str = DEFAULT_STACK, qualifier: str = LIVE_ALIAS) -> None:
        self._stack = stack
        self._qualifier = qualifier
        self._lock = threading.Lock()
        self._client: BaseClient | None = None

    def __repr__(self) -> str:
        return f"DeployedTransport(stack={self._stack!r}, qualifier={self._qualifier!r})"

    def call(self, verb: Verb, body: Body) -> Body:
        name = function_name(self._stack, verb)
        reply = self._invoke(name, json.dumps(body, allow_nan=False).encode())
        payload = reply["Payload"].read()
        if "FunctionError" in reply:
            raise _function_error(name, payload)
        try:
            answered = json.loads(payload)
        except ValueError:
            answered = None
        if not isinstance(answered, dict):
            raise UnexpectedAnswerError(f"{name} did not answer with a JSON object.")
        return answered

    def _invoke(self, name: str, payload: bytes) -> Mapping[str, Any]:
        # Imported late: a node that only works in process never pays for boto3.
        from botocore import exceptions as aws

        try:
            reply: Mapping[str, Any] = self._lambda().invoke(
                FunctionName=name, Qualifier=self._qualifier, Payload=payload
            )
            return reply
        except aws.ClientError as error:
            raise _refused(name, self._qualifier, error.response) from None
        except (aws.NoRegionError, aws.NoCredentialsError, aws.PartialCredentialsError) as error:
            raise ConfigurationError(
                f"{name} was not called: {error}", "Set AWS_REGION and credentials as for the AWS command line."
            ) from None
        except aws.ReadTimeoutError:
            raise FunctionTimedOutError(f"{name} gave no answer in {_ANSWER_SECONDS} seconds.") from None
        except (aws.HTTPClientError, aws.ConnectionError) as error:
            raise TransportError(
                f"{name} could not be reached ({type(error).__name__}).",
                "Check AWS_ENDPOINT_URL, AWS_REGION and the network.",
                retryable=True,
            ) from None

    def _lambda(self) -> BaseClient:
        with self._lock:
            if self._client is None:
                self._client = _lambda_client()
            return self._client


def _lambda_client() -> BaseClient:
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_ANSWER_SECONDS,
        # A registration may be silent for minutes; without keep-alive a NAT gateway drops it after 350 seconds.
        tcp_keepalive=True,
        retries={"total_max_attempts": 1},
    )
    return boto3.session.Session().client("lambda", config=config)


def _refused(name: str, qualifier: str, response: Mapping[str, Any]) -> TransportError:
    """What the Lambda API's own refusal means."""
    code = str(response.get("Error", {}).get("Code", ""))
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    if code == "ResourceNotFoundException":
        return NotDeployedError(
            f"There is no function {name} with the alias {qualifier} in this account and region.",
            "Deploy the stack, or set SESSION_DATASETS_STACK to the name of the one that is deployed.",
        )
    if status in (401, 403):
        return NotDeployedError(
            f"{name} may not be invoked with these credentials ({code}).",
            "Attach the stack's node policy (or, to open sessions, its orchestrator policy) to this role.",
        )
    return TransportError(f"{name} was not invoked ({code}).", retryable=status == 429 or status >= 500)


def _function_error(name: str, payload: bytes) -> FunctionFailedError:
    """A function that ended without an answer. Its error text is not passed on: it may quote the request."""
    try:
        told = json.loads(payload)
        kind, message = str(told.get("errorType", "")), str(told.get("errorMessage", ""))
    except (ValueError, AttributeError):
        kind, message = "", ""
    if "Timedout" in kind or "timed out" in message:
        return FunctionTimedOutError(
            f"{name} ran out of its time.", "Ask for less in one call, or register a smaller file."
        )
    return FunctionFailedError(
        f"{name} ended without an answer ({kind or 'unknown error'}).",
        "Make the same call once more; if it fails again, look into the function's log.",
        retryable=True,
    )
