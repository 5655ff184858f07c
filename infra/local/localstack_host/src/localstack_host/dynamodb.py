"""DynamoDB served by moto (PROVIDER_OVERRIDE_DYNAMODB=moto) instead of Amazon's Java program."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from localstack.services.plugins import Service, aws_provider

Handler = Callable[[Any, Any], Any]

# Of all requests to tables and to their streams.
TURN = Lock()


@aws_provider(api="dynamodb", name="moto")
def dynamodb_moto() -> Service:
    """A service without an implementation of its own: every operation falls back to moto."""
    from localstack.aws.api.dynamodb import DynamodbApi
    from localstack.services.moto import MotoFallbackDispatcher

    class MotoDynamoDBProvider(DynamodbApi):
        service = "dynamodb"

    def in_turn(provider: object) -> dict[str, Handler]:
        return {name: after_another(TURN, handler) for name, handler in MotoFallbackDispatcher(provider).items()}

    return Service.for_provider(MotoDynamoDBProvider(), dispatch_table_factory=in_turn)


def after_another(turn: Lock, handler: Handler) -> Handler:
    """moto checks a condition and writes in two steps, DynamoDB does both in one: so requests take turns."""

    def handle(context: Any, request: Any) -> Any:
        with turn:
            return handler(context, request)

    return handle
