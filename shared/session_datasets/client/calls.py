"""One call of the service: a verb and its arguments in, a typed answer or a typed error out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import ValidationError

from session_datasets.client.errors import (
    Again,
    LostAnswerError,
    ProblemError,
    SessionDatasetsError,
    TransportError,
    UnexpectedAnswerError,
    error_of,
)
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body, Transport
from session_datasets.domain.correlation import correlated
from session_datasets.domain.names import Verb
from session_datasets.wire.base import WIRE_VERSION, Answer
from session_datasets.wire.catalogue import EXCHANGES
from session_datasets.wire.problem import ProblemModel

A = TypeVar("A", bound=Answer)


class Calls:
    """Trying again happens here. Every verb is safe to repeat: a registration finds itself, a session that nobody
    got the token of is used by nobody. But opening one more is up to the orchestrator."""

    def __init__(self, transport: Transport, token: str | None = None, patience: Patience | None = None) -> None:
        self._transport = transport
        self._token = token
        patience = patience or Patience()
        self._patience = {
            Again.SOON: patience,
            Again.LATER: patience.longer(),
            Again.ONCE: patience.once(),
        }

    def ask(self, verb: Verb, answer: type[A], **arguments: Any) -> A:
        """``arguments`` that are None are left to the service's own defaults."""
        if unknown := arguments.keys() - EXCHANGES[verb].request.model_fields.keys():
            raise TypeError(f"{verb} takes no {', '.join(sorted(unknown))}")
        body: Body = {"v": WIRE_VERSION} | {name: value for name, value in arguments.items() if value is not None}
        if self._token is not None:
            body["token"] = self._token
        # The same id at every try: they belong together.
        with correlated() as correlation_id, _told_in_errors(correlation_id):
            answered = self._answered(verb, body | {"correlation_id": correlation_id})
            try:
                return answer.model_validate(answered)
            except ValidationError as error:
                raise _not_understood(verb, error) from None

    def _answered(self, verb: Verb, body: Body) -> Body:
        """Tries are counted for each kind of failure, so that a slow start does not use up those of a lost answer."""
        failures: Counter[Again] = Counter()
        while True:
            try:
                return self._once(verb, body)
            except SessionDatasetsError as error:
                again = _again(verb, error)
                failures[again] += 1
                if again is Again.NEVER or not self._patience[again].tries_again(failures[again]):
                    raise

    def _once(self, verb: Verb, body: Body) -> Body:
        answered = self._transport.call(verb, body)
        if "problem" not in answered:
            return answered
        try:
            problem = ProblemModel.model_validate(answered["problem"])
        except ValidationError as error:
            raise _not_understood(verb, error) from None
        raise error_of(problem)


@contextmanager
def _told_in_errors(correlation_id: str) -> Iterator[None]:
    try:
        yield
    except SessionDatasetsError as error:
        if not error.correlation_id:
            error.correlation_id = correlation_id
            error.add_note(f"Correlation id: {correlation_id}")
        raise


def _again(verb: Verb, error: SessionDatasetsError) -> Again:
    if isinstance(error, LostAnswerError) and verb is Verb.OPEN_SESSION:
        return Again.NEVER
    if isinstance(error, TransportError):
        return error.again
    # A retryable 409 asks for another upload, not for the same call.
    passing = isinstance(error, ProblemError) and error.problem.retryable and error.problem.status >= 500
    return Again.SOON if passing else Again.NEVER


def _not_understood(verb: Verb, error: ValidationError) -> UnexpectedAnswerError:
    fields = ", ".join(".".join(str(step) for step in item["loc"]) for item in error.errors()[:3])
    return UnexpectedAnswerError(
        f"The answer of {verb} does not have the form of wire version {WIRE_VERSION} (at {fields}).",
        "Use an SDK of the same major version as the service.",
    )
