"""Which real stores stand behind the operations of a function. Built once a process, at its first call."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

from session_datasets.domain.keyring import Keyring
from session_datasets.operations.ports import Service, Tables
from session_datasets.runtime.settings import Settings
from session_datasets.runtime.signing_key import SecretKeyring
from session_datasets.runtime.tokens import AccessTokens
from session_datasets.storage import aws
from session_datasets.storage.artifact_records import DynamoArtifactRecords
from session_datasets.storage.cursor import SignedCursors
from session_datasets.storage.derived_files import S3DerivedFiles
from session_datasets.storage.file_removal import S3FileRemoval
from session_datasets.storage.leases import DynamoLeases
from session_datasets.storage.profile_queue import SqsProfileQueue
from session_datasets.storage.record_removal import DynamoRecordRemoval
from session_datasets.storage.secrets import secret_text
from session_datasets.storage.workspace_files import S3WorkspaceFiles


@dataclass(frozen=True, slots=True)
class Wired:
    """What a door needs: the tokens to check, the service to call, the stack to count for, the queue it serves."""

    stack: str
    tokens: AccessTokens
    service: Service
    profile_queue: SqsProfileQueue


@cache
def light() -> Wired:
    """For the verbs that never open a file as a table; their bundle has no pyarrow."""
    return from_environment(_NoTables())


@cache
def keyless() -> Wired:
    """For the orchestrator's verbs that look at no token; they know no key."""
    return from_environment(_NoTables(), verifies_tokens=False)


def wired(
    settings: Settings,
    keyring: Callable[[], Keyring],
    s3: Any,
    dynamodb: Any,
    sqs: Any,
    tables: Tables,
    scratch: Path | None = None,
) -> Wired:
    """The same rooms on any clients. ``scratch`` is the folder for working files, the system's when None."""
    tokens = AccessTokens(keyring, settings.stack)
    profile_queue = SqsProfileQueue(sqs, settings.profile_queue)
    service = Service(
        files=S3WorkspaceFiles(s3, settings.bucket, _now),
        derived=S3DerivedFiles(s3, settings.bucket),
        records=DynamoArtifactRecords(dynamodb, settings.table, _now),
        leases=DynamoLeases(dynamodb, settings.table),
        record_removal=DynamoRecordRemoval(dynamodb, settings.table),
        file_removal=S3FileRemoval(s3, settings.bucket),
        cursors=SignedCursors(keyring),
        tokens=tokens,
        tables=tables,
        profile_queue=profile_queue,
        clock=_now,
        new_id=new_session_id,
        scratch=scratch,
        profiled_at_once_bytes=settings.profiled_at_once_bytes,
    )
    return Wired(settings.stack, tokens, service, profile_queue)


def from_environment(tables: Tables, scratch: Path | None = None, *, verifies_tokens: bool = True) -> Wired:
    """On the stores that the function's environment names."""
    settings = Settings.from_environment(verifies_tokens=verifies_tokens)
    keyring = SecretKeyring(partial(secret_text, aws.secrets(), settings.signing_key_secret))
    keys = aws.caller_keys(settings.caller_role)
    return wired(settings, keyring, aws.s3(keys), aws.dynamodb(keys), aws.sqs(), tables, scratch)


def _now() -> datetime:
    return datetime.now(UTC)


def new_session_id() -> str:
    """96 random bits, after SnapStart's restore as well: nothing is drawn before the first call."""
    return f"ses-{secrets.token_hex(12)}"


class _NoTables:
    """Stands where a function's bundle has no tables room."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{name}: this function's bundle opens no tables")
