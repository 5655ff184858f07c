"""The index as an audit reads it: all of it by its keys, and the records of one file or of one derived object."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX, Artifact, Status
from session_datasets.domain.audit import DerivedPlace, FilePlace, RecordKey, RecordPage, WorkspaceOf
from session_datasets.domain.names import (
    CONVERSATION_INDEX,
    CONVERSATION_KEY,
    PARTITION_KEY,
    SORT_KEY,
    SUMMARY_ATTRIBUTE,
)
from session_datasets.storage import keys
from session_datasets.storage.artifact_records import KEY_IN_SUMMARY, DynamoArtifactRecords

if TYPE_CHECKING:
    from botocore.client import BaseClient

Item = Mapping[str, Any]


class DynamoAuditedRecords:
    """``operations.audit_records.AuditedRecords`` on one table.

    ``everywhere`` may see the keys of all items and nothing else of them; ``dynamodb`` is asked in an owner's name.
    """

    def __init__(
        self, everywhere: BaseClient, dynamodb: BaseClient, table: str, records: DynamoArtifactRecords
    ) -> None:
        self._everywhere = everywhere
        self._dynamodb = dynamodb
        self._table = table
        self._records = records

    def page(self, position: Mapping[str, str], limit: int) -> RecordPage:
        begins = {"ExclusiveStartKey": {name: {"S": value} for name, value in position.items()}} if position else {}
        page = self._everywhere.scan(
            TableName=self._table,
            Limit=limit,
            # Implied by the projection, and said because the grant asks for it.
            Select="SPECIFIC_ATTRIBUTES",
            ProjectionExpression="#partition, #sort",
            ExpressionAttributeNames={"#partition": PARTITION_KEY, "#sort": SORT_KEY},
            **begins,
        )
        found = tuple(_record_key(item) for item in page["Items"] if _is_record(item))
        return RecordPage(found, {name: each["S"] for name, each in page.get("LastEvaluatedKey", {}).items()})

    def find(self, key: RecordKey) -> Artifact | None:
        return self._records.of_task(key)

    def of_derived(self, place: DerivedPlace) -> Artifact | None:
        workspace = place.workspace
        if workspace.session_id is not None:
            return self.find(RecordKey(workspace.owner, workspace.session_id, place.artifact_id))
        items = self._in_workspace(workspace, artifact_id=place.artifact_id)
        found = next((_record_key(item) for item in items), None)
        return self.find(found) if found else None

    def of_file(self, place: FilePlace) -> Iterator[Artifact]:
        for item in self._in_workspace(place.workspace):
            # A record without its key in the summary is of a version of the service that did not write it there.
            if _file_key(item) in (None, place.key):
                artifact = self.find(_record_key(item))
                if artifact and artifact.location.key == place.key:
                    yield artifact

    def registered(self, workspace: WorkspaceOf) -> frozenset[str]:
        return frozenset(self._file_keys(workspace))

    def _file_keys(self, workspace: WorkspaceOf) -> Iterator[str]:
        for item in self._in_workspace(workspace):
            if known := _file_key(item):
                yield known
            elif artifact := self.find(_record_key(item)):
                yield artifact.location.key

    def advance(self, artifact: Artifact, since: Status) -> bool:
        return self._records.advance(artifact, since)

    def _in_workspace(self, workspace: WorkspaceOf, artifact_id: str | None = None) -> Iterator[Item]:
        """Keys and summaries: of a node's own session, consistently; of a conversation's sessions, by its index."""
        if workspace.session_id is not None:
            name, value = PARTITION_KEY, workspace.session_id
            where: dict[str, Any] = {"ConsistentRead": True}
        else:
            name, value = CONVERSATION_KEY, workspace.id
            where = {"IndexName": CONVERSATION_INDEX}
        sort = "#sort = :sort" if artifact_id else "begins_with(#sort, :sort)"
        pages = self._dynamodb.get_paginator("query").paginate(
            TableName=self._table,
            KeyConditionExpression=f"#of = :of AND {sort}",
            ProjectionExpression="#partition, #sort, #summary.#key",
            ExpressionAttributeNames={
                "#of": name,
                "#partition": PARTITION_KEY,
                "#sort": SORT_KEY,
                "#summary": SUMMARY_ATTRIBUTE,
                "#key": KEY_IN_SUMMARY,
            },
            ExpressionAttributeValues={
                ":of": {"S": keys.partition(workspace.owner, value)},
                ":sort": {"S": artifact_id or ARTIFACT_ID_PREFIX},
            },
            **where,
        )
        for page in pages:
            yield from page["Items"]


def _is_record(item: Item) -> bool:
    return str(item[SORT_KEY]["S"]).startswith(ARTIFACT_ID_PREFIX)


def _record_key(item: Item) -> RecordKey:
    owner, session_id = item[PARTITION_KEY]["S"].split(keys.JOINT)
    return RecordKey(owner, session_id, item[SORT_KEY]["S"])


def _file_key(item: Item) -> str | None:
    told = item.get(SUMMARY_ATTRIBUTE, {}).get("M", {}).get(KEY_IN_SUMMARY)
    return told["S"] if told else None
