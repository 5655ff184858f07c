"""Leases of sessions, and the marks of what has ended, in the table of records.

In the partition of a conversation or a run lie an item that tells of it as a whole, and one lease a session. The
order is what keeps an end from missing a session, without a lock that sessions would wait for: a session puts its
lease first and is counted second, on condition that nothing has ended; an end reads the count, then the leases, and
sets its mark on condition that the count is still the same.

In the partition of a session that was open when its conversation or run ended lies a mark, which every write into
that partition is conditioned on: an item of its own for each session, so that sessions do not contend for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from session_datasets.domain.ending import Lease, Removed, ScopeState
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from session_datasets.domain.scope import Caller, ScopeKind, SharedScope
from session_datasets.storage import keys
from session_datasets.storage.faults import error_code
from session_datasets.storage.many_items import written_in_batches

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Attributes of the item of a whole conversation or run; what is made of the table's stream reads them.
OPENED, ENDED_AT, DONE_AT = "opened", "ended_at", "done_at"
_REMOVED_PREFIX = "removed_"
_EXPIRES_AT = "expires_at"

Item = dict[str, Any]


def still_open(table: str, session_partition: str) -> dict[str, Any]:
    """The condition, for a transaction, that nothing has ended of what the session belongs to."""
    return {
        "TableName": table,
        "Key": _key(session_partition, keys.ENDED_SORT_KEY),
        "ConditionExpression": "attribute_not_exists(#sort)",
        "ExpressionAttributeNames": {"#sort": SORT_KEY},
    }


class DynamoLeases:
    """``operations.ports.Leases`` on one table."""

    def __init__(self, dynamodb: BaseClient, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    # --- of a session ------------------------------------------------------------------------------------

    def take(self, caller: Caller, now: datetime, expires_at: datetime) -> SharedScope | None:
        self._put_leases(caller, expires_at)
        for scope in caller.shared_scopes:
            if not self._counted(scope):
                # Nobody gets a token of this session: it holds nothing.
                self._put_leases(caller, Lease.over_by(now))
                return scope
        return None

    def is_over(self, caller: Caller) -> bool:
        key = _key(keys.partition(caller.owner, caller.session_id), keys.ENDED_SORT_KEY)
        return "Item" in self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)

    def _put_leases(self, caller: Caller, expires_at: datetime) -> None:
        for scope in caller.shared_scopes:
            item = {
                **_key(keys.shared_partition(scope), keys.lease_sort_key(caller.session_id)),
                "node": {"S": caller.node},
                _EXPIRES_AT: {"S": expires_at.isoformat()},
                **_texts(conversation_id=caller.conversation_id, run_id=caller.run_id),
            }
            self._dynamodb.put_item(TableName=self._table, Item=item)

    def _counted(self, scope: SharedScope) -> bool:
        return self._updated(
            scope,
            "ADD #opened :one",
            {"#opened": OPENED, "#ended_at": ENDED_AT},
            {":one": {"N": "1"}},
            condition="attribute_not_exists(#ended_at)",
        )

    # --- of a conversation or a run ----------------------------------------------------------------------

    def state(self, scope: SharedScope) -> ScopeState:
        found = self._dynamodb.get_item(
            TableName=self._table, Key=_key(keys.shared_partition(scope), keys.SCOPE_SORT_KEY), ConsistentRead=True
        )
        item = found.get("Item", {})
        return ScopeState(int(item.get(OPENED, {"N": "0"})["N"]), _moment(item, ENDED_AT), _moment(item, DONE_AT))

    def of(self, scope: SharedScope) -> Sequence[Lease]:
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression="#partition = :partition AND begins_with(#sort, :lease)",
            ExpressionAttributeNames={"#partition": PARTITION_KEY, "#sort": SORT_KEY},
            ExpressionAttributeValues=_texts(
                **{":partition": keys.shared_partition(scope), ":lease": keys.LEASE_SORT_PREFIX}
            ),
            ConsistentRead=True,
        )
        return [_lease(item) for page in pages for item in page["Items"]]

    def mark_ended(self, scope: SharedScope, state: ScopeState, now: datetime) -> bool:
        told = {"owner": scope.owner, "kind": scope.kind.value, "id": scope.id, ENDED_AT: now.isoformat()}
        values = _texts(**{f":{name}": value for name, value in told.items()})
        as_read = "attribute_not_exists(#opened)"
        if state.opened:
            as_read = "#opened = :opened"
            values[":opened"] = {"N": str(state.opened)}
        return self._updated(
            scope,
            "SET " + ", ".join(f"#{name} = :{name}" for name in told),
            {f"#{name}": name for name in [*told, OPENED]},
            values,
            condition=f"attribute_not_exists(#{ENDED_AT}) AND {as_read}",
        )

    def shut_out(self, scope: SharedScope, session_ids: Sequence[str], now: datetime) -> None:
        marks = [
            {
                **_key(keys.partition(scope.owner, session_id), keys.ENDED_SORT_KEY),
                **_texts(ended_at=now.isoformat(), ended_with=str(scope)),
            }
            for session_id in session_ids
        ]
        written_in_batches(self._dynamodb, self._table, ({"PutRequest": {"Item": mark}} for mark in marks))

    def drop(self, scope: SharedScope, leases: Sequence[Lease], now: datetime) -> None:
        gone = []
        for lease in leases:
            other = _other_scope(scope, lease)
            if other is not None and scope.kind is ScopeKind.RUN:
                gone.append(_lease_key(other, lease))
            elif other is not None and lease.is_held(now):
                self._expire(other, lease, now)
            gone.append(_lease_key(scope, lease))
        written_in_batches(self._dynamodb, self._table, ({"DeleteRequest": {"Key": key}} for key in gone))

    def note(self, scope: SharedScope, removed: Removed, done_at: datetime | None) -> None:
        changes = []
        names = {f"#{name}": f"{_REMOVED_PREFIX}{name}" for name, count in asdict(removed).items() if count}
        values: Item = {f":{name}": {"N": str(count)} for name, count in asdict(removed).items() if count}
        if names:
            changes.append("ADD " + ", ".join(f"{name} :{name[1:]}" for name in names))
        if done_at is not None:
            changes.append("SET #done_at = if_not_exists(#done_at, :done_at)")
            names["#done_at"] = DONE_AT
            values[":done_at"] = {"S": done_at.isoformat()}
        if changes:
            self._updated(scope, " ".join(changes), names, values)

    def _expire(self, scope: SharedScope, lease: Lease, now: datetime) -> None:
        """The session is over; its run goes on, and finds what is left of it by its lease."""
        self._conditioned(
            Key=_lease_key(scope, lease),
            UpdateExpression="SET #expires_at = :now",
            ConditionExpression="attribute_exists(#expires_at)",
            ExpressionAttributeNames={"#expires_at": _EXPIRES_AT},
            ExpressionAttributeValues=_texts(**{":now": Lease.over_by(now).isoformat()}),
        )

    def _updated(
        self,
        scope: SharedScope,
        change: str,
        names: Mapping[str, str],
        values: Item,
        condition: str | None = None,
    ) -> bool:
        return self._conditioned(
            Key=_key(keys.shared_partition(scope), keys.SCOPE_SORT_KEY),
            UpdateExpression=change,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=values,
            **({"ConditionExpression": condition} if condition else {}),
        )

    def _conditioned(self, **update: Any) -> bool:
        try:
            self._dynamodb.update_item(TableName=self._table, **update)
        except ClientError as error:
            if error_code(error) == "ConditionalCheckFailedException":
                return False
            raise
        return True


def _key(partition: str, sort_key: str) -> Item:
    return _texts(**{PARTITION_KEY: partition, SORT_KEY: sort_key})


def _texts(**values: str | None) -> Item:
    return {name: {"S": str(value)} for name, value in values.items() if value is not None}


def _lease_key(scope: SharedScope, lease: Lease) -> Item:
    return _key(keys.shared_partition(scope), keys.lease_sort_key(lease.session_id))


def _other_scope(scope: SharedScope, lease: Lease) -> SharedScope | None:
    """The conversation of a run's session, or the run of a conversation's."""
    kind = ScopeKind.CONVERSATION if scope.kind is ScopeKind.RUN else ScopeKind.RUN
    other_id = lease.conversation_id if scope.kind is ScopeKind.RUN else lease.run_id
    return SharedScope(kind, scope.owner, other_id) if other_id is not None else None


def _lease(item: Item) -> Lease:
    texts = {name: value["S"] for name, value in item.items() if "S" in value}
    return Lease(
        session_id=texts[SORT_KEY].removeprefix(keys.LEASE_SORT_PREFIX),
        node=texts["node"],
        expires_at=datetime.fromisoformat(texts[_EXPIRES_AT]),
        conversation_id=texts.get("conversation_id"),
        run_id=texts.get("run_id"),
    )


def _moment(item: Item, name: str) -> datetime | None:
    return datetime.fromisoformat(item[name]["S"]) if name in item else None
