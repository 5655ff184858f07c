"""An artifact: a file made known, pinned to the version of its bytes; and the reference that is passed on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from session_datasets.domain.errors import Problem
from session_datasets.domain.profile import NO_HINTS, Format, Kind, Layout, Profile, ReadingHints
from session_datasets.domain.scope import Caller, Scope

ARTIFACT_ID_PREFIX = "art_"
# Crockford's base 32 in lower case, as ULIDs use it: no i, l, o, u.
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_TIME_CHARACTERS = 10
_HASH_CHARACTERS = 16
ARTIFACT_ID_PATTERN = f"^{ARTIFACT_ID_PREFIX}[{_ALPHABET}]{{{ID_TIME_CHARACTERS + _HASH_CHARACTERS}}}$"
ARTIFACT_ID_CHARACTERS = len(ARTIFACT_ID_PREFIX) + ID_TIME_CHARACTERS + _HASH_CHARACTERS


class Status(StrEnum):
    # Registered; its file is too large to be profiled within the call, and waits for it or is in the middle of it.
    PROFILING = "profiling"
    # Everything is known of it that the service can know.
    READY = "ready"
    # Could not be profiled; ``Artifact.failure`` says why. It lists and loads.
    FAILED = "failed"
    # Its file, or what was derived from it, is gone; ``Artifact.missing`` says what. It lists and describes.
    MISSING = "missing"


class Missing(StrEnum):
    """What of an artifact is gone."""

    # The registered version of its file, and nothing lies in its place.
    FILE = "file"
    # Likewise, and a later version lies in its place.
    REPLACED = "replaced"
    # The file is there; what the service wrote beside it, to read it by, is not.
    DERIVED = "derived"


class Stage(StrEnum):
    QUEUED = "queued"
    FETCHING = "fetching"
    LAYING_OUT = "laying_out"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a profile in the making has come: ``bytes`` of the file fetched and checked, ``rows`` laid out."""

    stage: Stage
    updated_at: datetime
    bytes: int = 0
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Announced:
    """What its producer said of a file before it was measured. ``sha256`` and ``rows`` are checked, never believed."""

    kind: Kind | None = None
    sha256: str | None = None
    rows: int | None = None


NOTHING_ANNOUNCED = Announced()


@dataclass(frozen=True, slots=True)
class Location:
    """One version of one object. ``size`` in bytes, ``sha256`` in lower-case hex of the whole file."""

    bucket: str
    key: str
    version_id: str
    size: int
    sha256: str

    @property
    def file_name(self) -> str:
        return self.key.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Reference:
    """The small value that is passed on: an address, never a permission.

    Only ``artifact_id`` is needed. ``session_id`` finds the record with one consistent read; ``key`` and
    ``version_id`` are checked against the record when they are given.
    """

    artifact_id: str
    session_id: str | None = None
    key: str | None = None
    version_id: str | None = None


@dataclass(frozen=True, slots=True)
class Artifact:
    """One record. ``profile`` and ``layout`` are None when the rows cannot be paged; ``note`` then says why.

    Until it is READY, ``format`` is OTHER, ``kind`` the announced one or OTHER, and ``location.sha256`` what was
    announced. ``progress`` is there while it is PROFILING, ``failure`` when it is FAILED, ``missing`` when it is
    MISSING; that keeps what it was before, so that it can be that again.
    """

    artifact_id: str
    scope: Scope
    node: str
    name: str
    description: str
    kind: Kind
    format: Format
    status: Status
    location: Location
    created_at: datetime
    profile: Profile | None = None
    layout: Layout | None = None
    profile_key: str | None = None
    note: str | None = None
    lineage: tuple[str, ...] = ()
    hints: ReadingHints = NO_HINTS
    announced: Announced = NOTHING_ANNOUNCED
    progress: Progress | None = None
    failure: Problem | None = None
    missing: Missing | None = None

    @property
    def reference(self) -> Reference:
        return Reference(self.artifact_id, self.scope.session_id, self.location.key, self.location.version_id)

    @property
    def session_id(self) -> str:
        return self.scope.session_id

    @property
    def size(self) -> int:
        return self.location.size

    @property
    def sha256(self) -> str:
        return self.location.sha256


@dataclass(frozen=True, slots=True)
class ArtifactSummary:
    """What a listing shows of an artifact. ``rows`` and ``columns`` are None where nothing can be paged."""

    artifact_id: str
    session_id: str
    node: str
    name: str
    description: str
    kind: Kind
    format: Format
    status: Status
    size: int
    rows: int | None
    columns: int | None
    created_at: datetime

    @classmethod
    def of(cls, artifact: Artifact) -> ArtifactSummary:
        shape = artifact.profile.shape if artifact.profile else None
        return cls(
            artifact_id=artifact.artifact_id,
            session_id=artifact.session_id,
            node=artifact.node,
            name=artifact.name,
            description=artifact.description,
            kind=artifact.kind,
            format=artifact.format,
            status=artifact.status,
            size=artifact.location.size,
            rows=shape.rows if shape else None,
            columns=shape.columns if shape else None,
            created_at=artifact.created_at,
        )

    @property
    def reference(self) -> Reference:
        return Reference(self.artifact_id, self.session_id)


@dataclass(frozen=True, slots=True)
class ProfilingTask:
    """What is asked of profile_artifact: the keys of one record."""

    owner: str
    session_id: str
    artifact_id: str

    @classmethod
    def of(cls, artifact: Artifact) -> ProfilingTask:
        return cls(artifact.scope.owner, artifact.session_id, artifact.artifact_id)


@dataclass(frozen=True, slots=True)
class Handoff:
    """A lineage edge: this session of this node loaded that artifact."""

    artifact: Artifact
    caller: Caller
    loaded_at: datetime


@dataclass(frozen=True, slots=True)
class RequestMark:
    """What a request token was used for: retried requests are recognised by it, changed ones refused."""

    token: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def differing_fields(self, other: RequestMark) -> tuple[str, ...]:
        names = sorted({*self.fields, *other.fields})
        return tuple(name for name in names if self.fields.get(name) != other.fields.get(name))


def artifact_id(*, owner: str, session_id: str, key: str, version_id: str, name: str, written_at: datetime) -> str:
    """The id of this registration: the same for every retry of it, unguessable, and sortable by time.

    48 bits of the file's own time of writing (milliseconds) and 80 bits of a hash, as in a ULID. The version
    id that S3 made up at random is among the hashed values, so an id says nothing to one who lacks it.
    """
    identity = "\0".join((owner, session_id, key, version_id, name)).encode()
    digest = int.from_bytes(hashlib.sha256(identity).digest()[:10], "big")
    milliseconds = int(written_at.timestamp() * 1000)
    return ARTIFACT_ID_PREFIX + _base32(milliseconds, ID_TIME_CHARACTERS) + _base32(digest, _HASH_CHARACTERS)


def _base32(number: int, characters: int) -> str:
    return "".join(_ALPHABET[(number >> 5 * place) & 31] for place in reversed(range(characters)))
