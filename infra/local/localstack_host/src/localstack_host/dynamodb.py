"""DynamoDB served by moto (PROVIDER_OVERRIDE_DYNAMODB=moto) instead of Amazon's Java program."""

from __future__ import annotations

from localstack.services.plugins import Service, aws_provider


@aws_provider(api="dynamodb", name="moto")
def dynamodb_moto() -> Service:
    """A service without an implementation of its own: every operation falls back to moto."""
    from localstack.aws.api.dynamodb import DynamodbApi
    from localstack.services.moto import MotoFallbackDispatcher

    class MotoDynamoDBProvider(DynamodbApi):
        service = "dynamodb"

    return Service.for_provider(MotoDynamoDBProvider(), dispatch_table_factory=MotoFallbackDispatcher)
