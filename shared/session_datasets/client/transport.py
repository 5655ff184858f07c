"""The one seam between the client and the service: a verb and a body in, a body out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from session_datasets.client.errors import UnexpectedAnswerError
from session_datasets.client.lambda_client import lambda_client
from session_datasets.client.lambda_errors import function_error, invoke_error
from session_datasets.domain.names import DEFAULT_STACK, LIVE_ALIAS, Verb, function_name

if TYPE_CHECKING:
    from botocore.client import BaseClient

Body = dict[str, Any]


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
    """Invokes the stack's Lambda functions. Endpoint, region and credentials are those of the AWS SDKs.

    Connections are kept and shared by threads. Nothing is retried here; a TransportError says when to.
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
        failed, payload = self._invoked(name, json.dumps(body, allow_nan=False).encode())
        if failed:
            raise function_error(name, payload)
        try:
            answered = json.loads(payload)
        except ValueError:
            answered = None
        if not isinstance(answered, dict):
            raise UnexpectedAnswerError(f"{name} did not answer with a JSON object.")
        return answered

    def _invoked(self, name: str, payload: bytes) -> tuple[bool, bytes]:
        """Whether the function failed, and what it answered."""
        try:
            reply = self._lambda().invoke(FunctionName=name, Qualifier=self._qualifier, Payload=payload)
            return "FunctionError" in reply, reply["Payload"].read()
        except Exception as error:
            meant = invoke_error(name, self._qualifier, error)
            if meant is None:
                raise
            # The SDK's own text and traceback may quote the request.
            raise meant from None

    def _lambda(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = lambda_client()
            return self._client
