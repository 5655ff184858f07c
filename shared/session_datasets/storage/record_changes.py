"""Records of the table's stream: which writes they tell of."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX, ArtifactSummary, Missing, Status
from session_datasets.domain.events import Change, EndChange, RecordChange, RecordImage
from session_datasets.domain.names import CONVERSATION_KEY, PARTITION_KEY, RUN_KEY, SORT_KEY, SUMMARY_ATTRIBUTE
from session_datasets.domain.profile import Format, Kind
from session_datasets.domain.scope import Scope, ScopeKind, SharedScope
from session_datasets.storage import keys
from session_datasets.storage.leases import ENDED_AT

Item = Mapping[str, Any]


class UnreadableChange(ValueError):
    """The stream tells of an item that no version of this service wrote."""


def change_of(record: Mapping[str, Any]) -> Change:
    """What one record of the stream, as Lambda hands it over, tells. Raises UnreadableChange."""
    try:
        told = record["dynamodb"]
        sort_key = told["Keys"][SORT_KEY]["S"]
        before, after = told.get("OldImage") or None, told.get("NewImage") or None
        if after is None:
            return None
        at = datetime.fromtimestamp(float(told["ApproximateCreationDateTime"]), UTC)
        if sort_key.startswith(ARTIFACT_ID_PREFIX):
            return RecordChange(
                _scope(after), _image(before) if before else None, _image(after), told["SequenceNumber"], at
            )
        if sort_key == keys.SCOPE_SORT_KEY and ENDED_AT in after and ENDED_AT not in (before or {}):
            return EndChange(_shared_scope(after), told["SequenceNumber"], datetime.fromisoformat(after[ENDED_AT]["S"]))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnreadableChange(f"{type(error).__name__}: {error}") from error
    return None


def _scope(item: Item) -> Scope:
    owner, session_id = _ids(item, PARTITION_KEY)
    conversation_id = _ids(item, CONVERSATION_KEY)[1] if CONVERSATION_KEY in item else None
    run_id = _ids(item, RUN_KEY)[1] if RUN_KEY in item else None
    return Scope(owner, session_id, conversation_id, run_id)


def _ids(item: Item, name: str) -> tuple[str, str]:
    owner, id_ = item[name]["S"].split(keys.JOINT)
    return owner, id_


def _shared_scope(item: Item) -> SharedScope:
    return SharedScope(ScopeKind(item["kind"]["S"]), item["owner"]["S"], item["id"]["S"])


def _image(item: Item) -> RecordImage:
    told = item[SUMMARY_ATTRIBUTE]["M"]
    status = Status(told["status"]["S"])
    failure_code = missing = None
    # Only then is the whole record looked into: it is many times as long as its summary.
    if status in (Status.FAILED, Status.MISSING):
        document = json.loads(item["document"]["S"])
        failure_code = (document.get("failure") or {}).get("code")
        missing = Missing(document["missing"]) if document.get("missing") else None
    return RecordImage(_summary(told, status), failure_code, missing)


def _summary(told: Item, status: Status) -> ArtifactSummary:
    return ArtifactSummary(
        artifact_id=told["artifact_id"]["S"],
        session_id=told["session_id"]["S"],
        node=told["node"]["S"],
        name=told["name"]["S"],
        description=told["description"]["S"],
        kind=Kind(told["kind"]["S"]),
        format=Format(told["format"]["S"]),
        status=status,
        size=int(told["size"]["N"]),
        rows=_number(told["rows"]),
        columns=_number(told["columns"]),
        created_at=datetime.fromisoformat(told["created_at"]["S"]),
    )


def _number(value: Item) -> int | None:
    return int(value["N"]) if "N" in value else None
