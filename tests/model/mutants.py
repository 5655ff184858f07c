"""Broken builds, kept to show that the machine finds them. Within each of these contexts the product is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import jwt

from session_datasets.domain.artifact import Artifact, ProfilingTask, Status
from session_datasets.domain.files import StoredFile
from session_datasets.domain.scope import Caller
from session_datasets.operations import register_artifact
from session_datasets.operations.ports import Service
from session_datasets.storage.artifact_records import DynamoArtifactRecords
from session_datasets.storage.cursor import SignedCursors

_profiled_or_queued = register_artifact._profiled_or_queued


@contextmanager
def record_before_file() -> Iterator[None]:
    """The record is written first; the file is read and its derived objects are stored behind it."""

    def record_first(service: Service, draft: Artifact, file: StoredFile) -> Artifact:
        service.records.create(replace(draft, status=Status.READY), None)
        return _profiled_or_queued(service, draft, file)

    def create(records: DynamoArtifactRecords, artifact: Artifact, mark: Any) -> bool:
        if records.of_task(ProfilingTask.of(artifact)) is None:
            return _create(records, artifact, mark)
        return records.advance(artifact, since=Status.READY)

    _create = DynamoArtifactRecords.create
    with (
        patch.object(register_artifact, "_profiled_or_queued", record_first),
        patch.object(DynamoArtifactRecords, "create", create),
    ):
        yield


@contextmanager
def missing_condition() -> Iterator[None]:
    """Records and marks of requests are put without the condition that they are new."""
    _new = DynamoArtifactRecords._new

    def overwriting(records: DynamoArtifactRecords, item: Any) -> dict[str, Any]:
        put = _new(records, item)
        return {name: put[name] for name in ("TableName", "Item")}

    with patch.object(DynamoArtifactRecords, "_new", overwriting):
        yield


@contextmanager
def unsigned_cursor() -> Iterator[None]:
    """A cursor is taken for what it says, whoever wrote it."""

    def trusting(cursors: SignedCursors, caller: Caller, query: Mapping[str, Any], cursor: str) -> str:
        return str(jwt.decode(cursor, options={"verify_signature": False})["pos"])

    with patch.object(SignedCursors, "open", trusting):
        yield


MUTANTS: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
    "record before file": record_before_file,
    "missing condition": missing_condition,
    "unsigned cursor": unsigned_cursor,
}
