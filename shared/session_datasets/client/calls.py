"""One call of the service: a verb and its arguments in, a typed answer or a typed error out."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from session_datasets.client.errors import ProblemError, TransportError, UnexpectedAnswerError, error_of
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body, Transport
from session_datasets.domain.names import Verb
from session_datasets.wire.base import WIRE_VERSION, Answer
from session_datasets.wire.catalogue import EXCHANGES
from session_datasets.wire.problem import ProblemModel

A = TypeVar("A", bound=Answer)


class Calls:
    """Every verb is safe to repeat, so a busy service and a lost connection are tried again here."""

    def __init__(self, transport: Transport, token: str | None = None, patience: Patience | None = None) -> None:
        self._transport = transport
        self._token = token
        self._patience = patience or Patience()

    def ask(self, verb: Verb, answer: type[A], **arguments: Any) -> A:
        """``arguments`` that are None are left to the service's own defaults."""
        if unknown := arguments.keys() - EXCHANGES[verb].request.model_fields.keys():
            raise TypeError(f"{verb} takes no {', '.join(sorted(unknown))}")
        body: Body = {"v": WIRE_VERSION} | {name: value for name, value in arguments.items() if value is not None}
        if self._token is not None:
            body["token"] = self._token
        answered = self._patience.retried(lambda: self._once(verb, body), _worth_another_try)
        try:
            return answer.model_validate(answered)
        except ValidationError as error:
            raise _not_understood(verb, error) from None

    def _once(self, verb: Verb, body: Body) -> Body:
        answered = self._transport.call(verb, body)
        if "problem" not in answered:
            return answered
        try:
            problem = ProblemModel.model_validate(answered["problem"])
        except ValidationError as error:
            raise _not_understood(verb, error) from None
        raise error_of(problem)


def _worth_another_try(error: Exception) -> bool:
    if isinstance(error, TransportError):
        return error.retryable
    # A retryable 409 asks for another upload, not for the same call.
    return isinstance(error, ProblemError) and error.problem.retryable and error.problem.status >= 500


def _not_understood(verb: Verb, error: ValidationError) -> UnexpectedAnswerError:
    fields = ", ".join(".".join(str(step) for step in item["loc"]) for item in error.errors()[:3])
    return UnexpectedAnswerError(
        f"The answer of {verb} does not have the form of wire version {WIRE_VERSION} (at {fields}).",
        "Use an SDK of the same major version as the service.",
    )
