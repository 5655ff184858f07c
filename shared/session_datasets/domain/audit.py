"""Whether what the index tells of is there: where an object lies, and what an audit has found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum

from session_datasets.domain.artifact import Artifact, ProfilingTask
from session_datasets.domain.scope import ScopeKind

# The keys of one record, as a message names them.
RecordKey = ProfilingTask


@dataclass(frozen=True, slots=True)
class WorkspaceOf:
    """Whose workspace a key lies in; ``session_id`` is of a run's node, and None in a conversation."""

    owner: str
    kind: ScopeKind
    id: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A node's file."""

    workspace: WorkspaceOf
    key: str


@dataclass(frozen=True, slots=True)
class DerivedPlace:
    """What the service wrote beside the files of a workspace, for one artifact."""

    workspace: WorkspaceOf
    artifact_id: str


Place = FilePlace | DerivedPlace


@dataclass(frozen=True, slots=True)
class ObjectNews:
    """S3 says that something became of an object. ``version_id`` is None where it names none.

    ``written`` when an object was created there, ``place`` None for a key that no workspace has.
    """

    place: Place | None
    version_id: str | None
    written: bool


class Phase(StrEnum):
    RECORDS = "records"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Findings:
    """Counts of one audit so far."""

    records: int = 0
    # Records that are missing since now, and those that are not any more.
    missing: int = 0
    restored: int = 0
    # Files below datasets/ that are older than UNREGISTERED_AFTER_SECONDS; ``unregistered`` have no record, and
    # ``bytes`` are theirs.
    files: int = 0
    unregistered: int = 0
    bytes: int = 0

    def __add__(self, other: Findings) -> Findings:
        return Findings(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


@dataclass(frozen=True, slots=True)
class Sweep:
    """Where an audit of everything stands: one page of it is one message.

    ``position`` is where the phase goes on, as the store spells it; empty at its beginning. In the phase of files
    ``owner`` is whose files are looked at, and ``of_owner`` what was found of them.
    """

    name: str = ""
    phase: Phase = Phase.RECORDS
    position: Mapping[str, str] = field(default_factory=dict)
    owner: str = ""
    of_owner: Findings = Findings()
    found: Findings = Findings()


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Keys of records, and where the next page begins; ``position`` is empty after the last one."""

    keys: tuple[RecordKey, ...]
    position: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ListedFile:
    place: FilePlace
    size: int
    written_at: datetime


@dataclass(frozen=True, slots=True)
class FilePage:
    """Files of one owner below datasets/, in the order of their keys."""

    files: tuple[ListedFile, ...]
    position: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit tells of the files of one owner."""

    sweep: str
    owner: str
    found: Findings
    at: datetime


def objects_of(artifact: Artifact) -> tuple[tuple[str, str | None, int | None], ...]:
    """Key, version and size of everything that was derived from it; None where no record pins them."""
    derived = artifact.layout.objects.values() if artifact.layout else ()
    pinned: list[tuple[str, str | None, int | None]] = [(each.key, each.version_id, each.size) for each in derived]
    if artifact.profile_key is not None:
        pinned.append((artifact.profile_key, None, None))
    return tuple(pinned)
