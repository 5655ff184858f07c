"""Arbitrary valid things, for tests whose fact is about something else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from session_datasets.domain.artifact import Artifact, Location, Status
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.names import NODE_VERBS
from session_datasets.domain.profile import (
    Column,
    ColumnStatistics,
    Format,
    Kind,
    Preview,
    Profile,
    Shape,
)
from session_datasets.domain.scope import Caller, Scope

A_MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
AN_ARTIFACT_ID = "art_01jg00000000000000000000ab"


def a_caller(**changes: Any) -> Caller:
    values: dict[str, Any] = {
        "owner": "acme",
        "session_id": "ses-1",
        "node": "extract",
        "conversation_id": "talk-1",
        "run_id": None,
        "verbs": frozenset(NODE_VERBS),
    }
    return Caller(**{**values, **changes})


def a_keyring(*, previous: bool = False) -> Keyring:
    old = SigningKey("k0", "previous-secret-of-thirty-two-bytes!!")
    return Keyring(SigningKey("k1", "current-secret-of-thirty-two-bytes!!!"), old if previous else None)


def a_profile(columns: int = 2, name: str = "c{}", rows: int = 3) -> Profile:
    names = [name.format(number) for number in range(columns)]
    return Profile(
        shape=Shape(rows, columns),
        columns=tuple(Column(each, "int64") for each in names),
        statistics=tuple(ColumnStatistics(nulls=0, min=1, max=9, mean=4.5) for _ in names),
        preview=Preview(tuple(tuple(range(columns)) for _ in range(rows))),
    )


def an_artifact(**changes: Any) -> Artifact:
    values: dict[str, Any] = {
        "artifact_id": AN_ARTIFACT_ID,
        "scope": Scope("acme", "ses-1", "talk-1", None),
        "node": "extract",
        "name": "Sales",
        "description": "Sales by day",
        "kind": Kind.TABLE,
        "format": Format.CSV,
        "status": Status.READY,
        "location": Location("bucket", "acme/conversations/talk-1/datasets/sales.csv", "v1", 10, "0" * 64),
        "created_at": A_MOMENT,
        "profile": a_profile(),
    }
    return Artifact(**{**values, **changes})
