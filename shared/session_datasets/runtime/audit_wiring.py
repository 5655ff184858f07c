"""The wiring of audit_records, which works for all owners, for one at a time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from session_datasets.domain.scope import Scope
from session_datasets.operations.audit_records import Audit
from session_datasets.runtime.settings import Settings
from session_datasets.storage import aws
from session_datasets.storage.artifact_records import DynamoArtifactRecords
from session_datasets.storage.audit_queue import SqsAuditQueue
from session_datasets.storage.audited_files import S3AuditedFiles
from session_datasets.storage.audited_records import DynamoAuditedRecords
from session_datasets.storage.narrowing import acting_for
from session_datasets.storage.workspace_files import S3WorkspaceFiles

# Stands where a node's call has its session.
_AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class Auditing:
    """What the door of audit_records needs."""

    stack: str
    bucket: str
    audit: Audit
    queue: SqsAuditQueue


@cache
def auditing() -> Auditing:
    settings = Settings.from_environment(verifies_tokens=False)
    keys = aws.caller_keys(settings.caller_role)
    everywhere = (aws.own_s3(), aws.own_dynamodb())
    return audited(settings, everywhere, aws.s3(keys), aws.dynamodb(keys), aws.sqs())


def audited(settings: Settings, everywhere: tuple[Any, Any], s3: Any, dynamodb: Any, sqs: Any) -> Auditing:
    """The same rooms on any clients; ``everywhere`` are those of the function itself, for S3 and DynamoDB."""
    clock: Callable[[], datetime] = _now
    records = DynamoArtifactRecords(dynamodb, settings.table, clock)
    files = S3WorkspaceFiles(s3, settings.bucket, clock)
    queue = SqsAuditQueue(sqs, settings.audit_queue)
    audit = Audit(
        records=DynamoAuditedRecords(everywhere[1], dynamodb, settings.table, records),
        files=S3AuditedFiles(everywhere[0], s3, settings.bucket, files),
        queue=queue,
        clock=clock,
        acting_for=_for_owner,
    )
    return Auditing(settings.stack, settings.bucket, audit, queue)


def _for_owner(owner: str) -> AbstractContextManager[None]:
    return acting_for(Scope(owner, _AUDIT, None, None))


def _now() -> datetime:
    return datetime.now(UTC)
