"""Removing what the table holds of the sessions of an ended conversation or run.

Everything is found by the sessions' own partitions, which are read consistently: an index may lag, and a record that
it does not show yet would stay for ever.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX
from session_datasets.domain.ending import Lease, Removed
from session_datasets.domain.names import (
    CONVERSATION_INDEX,
    CONVERSATION_KEY,
    PARTITION_KEY,
    RUN_INDEX,
    RUN_KEY,
    SORT_KEY,
)
from session_datasets.domain.scope import ScopeKind, SharedScope
from session_datasets.storage import keys
from session_datasets.storage.faults import error_code
from session_datasets.storage.many_items import batches, written_in_batches

if TYPE_CHECKING:
    from botocore.client import BaseClient

_INDEXES = {
    ScopeKind.CONVERSATION: (CONVERSATION_INDEX, CONVERSATION_KEY),
    ScopeKind.RUN: (RUN_INDEX, RUN_KEY),
}
_NAMES = {"#partition": PARTITION_KEY, "#sort": SORT_KEY, "#conversation": CONVERSATION_KEY, "#run": RUN_KEY}

Item = dict[str, Any]


class DynamoRecordRemoval:
    """``operations.ports.RecordRemoval`` on one table."""

    def __init__(self, dynamodb: BaseClient, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    def of_sessions(self, scope: SharedScope, leases: Sequence[Lease]) -> Iterator[Removed]:
        items = (item for lease in leases for item in self._items(scope, lease))
        for batch in batches(items):
            yield self._removed(scope, batch)

    def indexed(self, scope: SharedScope, now: datetime) -> Iterator[Sequence[Lease]]:
        index, key = _INDEXES[scope.kind]
        owner = keys.partition(scope.owner, "")
        seen: set[str] = set()
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=index,
            KeyConditionExpression="#scope = :scope",
            ProjectionExpression="#partition",
            ExpressionAttributeNames={"#scope": key, "#partition": PARTITION_KEY},
            ExpressionAttributeValues={":scope": {"S": keys.partition(scope.owner, scope.id)}},
        )
        for page in pages:
            found = {item[PARTITION_KEY]["S"].removeprefix(owner) for item in page["Items"]} - seen
            seen |= found
            if found:
                yield [Lease(session_id, node="", expires_at=now) for session_id in sorted(found)]

    def _items(self, scope: SharedScope, lease: Lease) -> Iterator[Item]:
        """What is to be removed of a session, and its records that are to be taken out of their conversation."""
        of_conversation = scope.kind is ScopeKind.CONVERSATION
        stays = of_conversation and lease.run_id is not None
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#partition = :session",
            ProjectionExpression=", ".join(_NAMES),
            ExpressionAttributeNames=_NAMES,
            ExpressionAttributeValues={":session": {"S": keys.partition(scope.owner, lease.session_id)}},
            ConsistentRead=True,
        )
        for item in (item for page in pages for item in page["Items"]):
            # Records sort before all else, and those of one session are of the same run or of none.
            stays = stays or (of_conversation and RUN_KEY in item)
            if item[SORT_KEY]["S"] == keys.ENDED_SORT_KEY:
                continue
            if not stays or CONVERSATION_KEY in item:
                yield item

    def _removed(self, scope: SharedScope, items: Sequence[Item]) -> Removed:
        """A file in the workspace of a run stays, and its record with it, when it is the conversation that ends."""
        kept = [item for item in items if scope.kind is ScopeKind.CONVERSATION and RUN_KEY in item]
        going = [item for item in items if item not in kept]
        written_in_batches(self._dynamodb, self._table, ({"DeleteRequest": {"Key": _key(item)}} for item in going))
        for item in kept:
            self._take_out_of_conversation(item)
        artifacts = sum(item[SORT_KEY]["S"].startswith(ARTIFACT_ID_PREFIX) for item in going)
        return Removed(artifacts=artifacts, artifacts_kept=len(kept), notes=len(going) - artifacts)

    def _take_out_of_conversation(self, item: Item) -> None:
        try:
            self._dynamodb.update_item(
                TableName=self._table,
                Key=_key(item),
                UpdateExpression="REMOVE #conversation",
                ConditionExpression="attribute_exists(#conversation)",
                ExpressionAttributeNames={"#conversation": CONVERSATION_KEY},
            )
        except ClientError as error:
            # Its run ended in this very moment, and took it along.
            if error_code(error) != "ConditionalCheckFailedException":
                raise


def _key(item: Item) -> Item:
    return {name: item[name] for name in (PARTITION_KEY, SORT_KEY)}
