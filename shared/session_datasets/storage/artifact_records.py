"""The index in DynamoDB.

One item a record: keys, the sparse index keys, ``summary`` (what a listing shows, projected into both indexes)
and ``document`` (the whole artifact as JSON text, so that statistics of any type survive). Beside the records
of a session lie its request marks and its hand-overs, under sort keys of their own.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from pydantic import TypeAdapter

from session_datasets.domain.artifact import (
    ARTIFACT_ID_PREFIX,
    Artifact,
    ArtifactSummary,
    Handoff,
    ProfilingTask,
    Reference,
    RequestMark,
    Status,
)
from session_datasets.domain.errors import session_ended
from session_datasets.domain.names import (
    CONVERSATION_INDEX,
    CONVERSATION_KEY,
    PARTITION_KEY,
    RUN_INDEX,
    RUN_KEY,
    SORT_KEY,
    SUMMARY_ATTRIBUTE,
)
from session_datasets.domain.scope import Caller, ListScope
from session_datasets.storage import keys
from session_datasets.storage.faults import error_code
from session_datasets.storage.leases import still_open
from session_datasets.storage.many_items import written_together
from session_datasets.storage.record_cache import RecordCache

if TYPE_CHECKING:
    from botocore.client import BaseClient

_DOCUMENT = "document"
KEY_IN_SUMMARY = "key"
# Sorts after every artifact id: their alphabet ends with 'z'.
_AFTER_ALL_IDS = ARTIFACT_ID_PREFIX + "~"
_INDEXES = {ListScope.CONVERSATION: (CONVERSATION_INDEX, CONVERSATION_KEY), ListScope.RUN: (RUN_INDEX, RUN_KEY)}

Item = dict[str, Any]


# Made when they are needed, for a page needs but one of them, and made once.
@cache
def _artifacts() -> TypeAdapter[Artifact]:
    return TypeAdapter(Artifact)


@cache
def _summaries() -> TypeAdapter[ArtifactSummary]:
    return TypeAdapter(ArtifactSummary)


@cache
def _marks() -> TypeAdapter[RequestMark]:
    return TypeAdapter(RequestMark)


class DynamoArtifactRecords:
    """``operations.ports.ArtifactRecords`` on one table."""

    def __init__(self, dynamodb: BaseClient, table: str, clock: Callable[[], datetime]) -> None:
        self._dynamodb = dynamodb
        self._table = table
        self._recent = RecordCache(clock)

    # --- writing -----------------------------------------------------------------------------------------

    def create(self, artifact: Artifact, mark: RequestMark | None) -> bool:
        partition = keys.partition(artifact.scope.owner, artifact.session_id)
        puts = [self._new(_record_item(artifact))]
        if mark is not None:
            puts.append(self._new(_mark_item(partition, mark, artifact.artifact_id)))
        return self._all_put(partition, puts)

    def remember(self, caller: Caller, mark: RequestMark, artifact_id: str) -> bool:
        partition = keys.partition(caller.owner, caller.session_id)
        return self._all_put(partition, [self._new(_mark_item(partition, mark, artifact_id))])

    def advance(self, artifact: Artifact, since: Status) -> bool:
        item = _record_item(artifact)
        try:
            # Only what the profile tells: the keys of the indexes are not this writer's to bring back.
            self._dynamodb.update_item(
                TableName=self._table,
                Key=_wire({name: item[name] for name in (PARTITION_KEY, SORT_KEY)}),
                UpdateExpression="SET #summary = :summary, #document = :document",
                ConditionExpression="#summary.#status = :since",
                ExpressionAttributeNames={
                    "#summary": SUMMARY_ATTRIBUTE,
                    "#document": _DOCUMENT,
                    "#status": "status",
                },
                ExpressionAttributeValues=_wire(
                    {":summary": item[SUMMARY_ATTRIBUTE], ":document": item[_DOCUMENT], ":since": since}
                ),
            )
        except ClientError as error:
            if error_code(error) == "ConditionalCheckFailedException":
                return False
            raise
        return True

    def record_handoff(self, handoff: Handoff) -> None:
        caller, artifact = handoff.caller, handoff.artifact
        partition = keys.partition(caller.owner, caller.session_id)
        item = {
            PARTITION_KEY: partition,
            SORT_KEY: keys.handoff_sort_key(artifact.artifact_id),
            "from_session": artifact.session_id,
            "node": caller.node,
            "loaded_at": handoff.loaded_at.isoformat(),
        }
        self._all_put(partition, [{"TableName": self._table, "Item": _wire(item)}])

    def _all_put(self, partition: str, puts: list[dict[str, Any]]) -> bool:
        """All of them or none; False when one of them is there already. Refusal ended when the session is over."""
        writes = [{"ConditionCheck": still_open(self._table, partition)}, *({"Put": put} for put in puts)]
        cancelled = written_together(self._dynamodb, writes)
        if cancelled and cancelled[0]:
            raise session_ended()
        return not cancelled

    def _new(self, item: Item) -> dict[str, Any]:
        """A put that never overwrites."""
        return {
            "TableName": self._table,
            "Item": _wire(item),
            "ConditionExpression": "attribute_not_exists(#sort)",
            "ExpressionAttributeNames": {"#sort": SORT_KEY},
        }

    # --- finding one -------------------------------------------------------------------------------------

    def of_task(self, task: ProfilingTask) -> Artifact | None:
        return self._record(task.owner, task.session_id, task.artifact_id)

    def find_request(self, caller: Caller, token: str) -> tuple[RequestMark, str] | None:
        item = self._get(keys.partition(caller.owner, caller.session_id), keys.request_sort_key(token))
        return (_marks().validate_json(item[_DOCUMENT]), item["led_to"]) if item else None

    def find(self, caller: Caller, reference: Reference) -> Artifact | None:
        artifact = self._found(caller, reference)
        return artifact if artifact and artifact.scope.visible_to(caller) else None

    def find_recent(self, caller: Caller, reference: Reference) -> Artifact | None:
        recent = self._recent.get(caller.owner, reference)
        # What the caller may not see costs it the requests of an unknown id: to save them would tell that it is there.
        return recent if recent and recent.scope.visible_to(caller) else self.find(caller, reference)

    def _found(self, caller: Caller, reference: Reference) -> Artifact | None:
        """By the session that the reference names; by id alone, in the caller's own scopes."""
        if reference.session_id is not None:
            return self._record(caller.owner, reference.session_id, reference.artifact_id)
        if own := self._record(caller.owner, caller.session_id, reference.artifact_id):
            return own
        for scope, scope_id in ((ListScope.CONVERSATION, caller.conversation_id), (ListScope.RUN, caller.run_id)):
            if scope_id is not None and (partition := self._indexed(caller.owner, scope, scope_id, reference)):
                return self._artifact(partition, reference.artifact_id)
        return None

    def _record(self, owner: str, session_id: str, artifact_id: str) -> Artifact | None:
        return self._artifact(keys.partition(owner, session_id), artifact_id)

    def _artifact(self, partition: str, artifact_id: str) -> Artifact | None:
        item = self._get(partition, artifact_id)
        if item is None:
            return None
        artifact = _artifacts().validate_json(item[_DOCUMENT])
        if CONVERSATION_KEY not in item and artifact.scope.conversation_id is not None:
            # The conversation has ended, and the artifact stays with its run.
            artifact = replace(artifact, scope=replace(artifact.scope, conversation_id=None))
        self._recent.keep(artifact, len(item[_DOCUMENT]))
        return artifact

    def _indexed(self, owner: str, scope: ListScope, scope_id: str, reference: Reference) -> str | None:
        """The partition of the record with this id, as the scope's index knows it."""
        index, key = _INDEXES[scope]
        found = self._dynamodb.query(
            TableName=self._table,
            IndexName=index,
            KeyConditionExpression="#scope = :scope AND #id = :id",
            ExpressionAttributeNames={"#scope": key, "#id": SORT_KEY},
            ExpressionAttributeValues=_wire({":scope": keys.partition(owner, scope_id), ":id": reference.artifact_id}),
            Limit=1,
        )
        return str(_plain(found["Items"][0])[PARTITION_KEY]) if found["Items"] else None

    def _get(self, partition: str, sort_key: str) -> dict[str, str] | None:
        """The attributes of an item that are texts."""
        key = {PARTITION_KEY: {"S": partition}, SORT_KEY: {"S": sort_key}}
        found = self._dynamodb.get_item(TableName=self._table, Key=key, ConsistentRead=True)
        return _texts(found["Item"]) if "Item" in found else None

    # --- listing -----------------------------------------------------------------------------------------

    def newest_first(
        self, caller: Caller, scope: ListScope, before: str | None, at_once: int
    ) -> Iterator[ArtifactSummary]:
        """A wider scope's index lags by moments; what this session wrote itself is merged in, read consistently."""
        own_partition = keys.partition(caller.owner, caller.session_id)
        own = self._descending(None, PARTITION_KEY, own_partition, before, at_once)
        if scope is ListScope.SESSION:
            return own
        index, key = _INDEXES[scope]
        scope_id = caller.conversation_id if scope is ListScope.CONVERSATION else caller.run_id
        wider = self._descending(index, key, keys.partition(caller.owner, scope_id or ""), before, at_once)
        return _without_repeats(heapq.merge(own, wider, key=lambda summary: summary.artifact_id, reverse=True))

    def _descending(
        self, index: str | None, key: str, partition: str, before: str | None, at_once: int
    ) -> Iterator[ArtifactSummary]:
        query: dict[str, Any] = {
            "TableName": self._table,
            "KeyConditionExpression": "#scope = :scope AND #id BETWEEN :first AND :last",
            "ProjectionExpression": "#summary",
            "ExpressionAttributeNames": {"#scope": key, "#id": SORT_KEY, "#summary": SUMMARY_ATTRIBUTE},
            "ExpressionAttributeValues": _wire(
                {":scope": partition, ":first": ARTIFACT_ID_PREFIX, ":last": before or _AFTER_ALL_IDS}
            ),
            "ScanIndexForward": False,
            **({"IndexName": index} if index else {"ConsistentRead": True}),
        }
        # Bounded, for a projection spares the wire but not the cost: DynamoDB charges for the whole items it looks at.
        bounded = {"PageSize": at_once}
        for page in self._dynamodb.get_paginator("query").paginate(**query, PaginationConfig=bounded):
            for item in page["Items"]:
                summary = _summaries().validate_python(_plain(item)[SUMMARY_ATTRIBUTE])
                if summary.artifact_id != before:
                    yield summary


def _without_repeats(summaries: Iterator[ArtifactSummary]) -> Iterator[ArtifactSummary]:
    last_id = None
    for summary in summaries:
        if summary.artifact_id != last_id:
            yield summary
        last_id = summary.artifact_id


def _record_item(artifact: Artifact) -> Item:
    scope = artifact.scope
    item = {
        PARTITION_KEY: keys.partition(scope.owner, scope.session_id),
        SORT_KEY: artifact.artifact_id,
        SUMMARY_ATTRIBUTE: _summary_map(artifact),
        _DOCUMENT: _artifacts().dump_json(artifact).decode(),
    }
    # Sparse: a record without a conversation, or without a run, is in neither the one index nor the other.
    if scope.conversation_id is not None:
        item[CONVERSATION_KEY] = keys.partition(scope.owner, scope.conversation_id)
    if scope.run_id is not None:
        item[RUN_KEY] = keys.partition(scope.owner, scope.run_id)
    return item


def _summary_map(artifact: Artifact) -> Mapping[str, Any]:
    summary = asdict(ArtifactSummary.of(artifact))
    summary["created_at"] = summary["created_at"].isoformat()
    # No listing shows it: an audit finds by it the records of a file.
    summary[KEY_IN_SUMMARY] = artifact.location.key
    return summary


def _mark_item(partition: str, mark: RequestMark, artifact_id: str) -> Item:
    return {
        PARTITION_KEY: partition,
        SORT_KEY: keys.request_sort_key(mark.token),
        "led_to": artifact_id,
        _DOCUMENT: _marks().dump_json(mark).decode(),
    }


def _wire(item: Item) -> dict[str, Any]:
    # Imported here, as below: importing anything of boto3 takes longer than a page that needs none of it.
    from boto3.dynamodb.types import TypeSerializer

    serialize = TypeSerializer().serialize
    return {name: serialize(value) for name, value in item.items()}


def _plain(item: Mapping[str, Any]) -> Item:
    from boto3.dynamodb.types import TypeDeserializer

    deserialize = TypeDeserializer().deserialize
    return {name: deserialize(value) for name, value in item.items()}


def _texts(item: Mapping[str, Any]) -> dict[str, str]:
    return {name: value["S"] for name, value in item.items() if "S" in value}
