"""DynamoDB's streams served by moto, of the tables that moto serves (PROVIDER_OVERRIDE_DYNAMODBSTREAMS=moto)."""

from __future__ import annotations

from typing import Any

from localstack.services.plugins import Service, aws_provider

from localstack_host.dynamodb import TURN, Handler, after_another


@aws_provider(api="dynamodbstreams", name="moto")
def dynamodbstreams_moto() -> Service:
    """Every operation falls back to moto, in turn with those of the tables: none sees half of a transaction."""
    from localstack.aws.api.dynamodbstreams import DynamodbstreamsApi
    from localstack.services.moto import MotoFallbackDispatcher
    from moto.dynamodbstreams.models import ShardIterator

    class MotoDynamoDBStreamsProvider(DynamodbstreamsApi):
        service = "dynamodbstreams"

    def in_turn(provider: object) -> dict[str, Handler]:
        return {name: after_another(TURN, handler) for name, handler in MotoFallbackDispatcher(provider).items()}

    _mend(ShardIterator)
    return Service.for_provider(MotoDynamoDBStreamsProvider(), dispatch_table_factory=in_turn)


def _mend(iterators: Any) -> None:
    """A transaction that is refused puts a copy in the table's place; an iterator would go on reading the old one."""
    of_shard = iterators.get

    def get(iterator: Any, limit: int = 1000) -> dict[str, Any]:
        name = iterator.stream_shard.table.name
        iterator.stream_shard = iterator.streams_backend.dynamodb.get_table(name).stream_shard
        records: dict[str, Any] = of_shard(iterator, limit)
        return records

    iterators.get = get
