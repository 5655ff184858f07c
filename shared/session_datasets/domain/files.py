"""Files as the service sees them: what is stored where, and where a transfer may go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One stored version of one object. ``size`` in bytes."""

    key: str
    version_id: str
    size: int
    written_at: datetime
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PresignedRequest:
    """An HTTP request that whoever holds it may make until ``expires_at``. Never logged."""

    method: str
    url: str
    headers: Mapping[str, str]
    expires_at: datetime

    def __repr__(self) -> str:  # the URL is a permission and never lands in a log by way of a traceback
        return f"PresignedRequest(method={self.method!r}, expires_at={self.expires_at.isoformat()})"


@dataclass(frozen=True, slots=True)
class UploadPart:
    """One part: bytes ``offset`` to ``offset + size`` of the file go into this request's body."""

    number: int
    offset: int
    size: int
    request: PresignedRequest


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """How to bring one file into the workspace: one ``put``, or ``parts`` followed by ``complete``.

    ``upload_id`` is that of the parts: with it, a later plan goes on with them. ``present`` means that there is
    nothing to bring, for ``version_id`` is announced to be this file already.
    """

    key: str
    put: PresignedRequest | None = None
    parts: tuple[UploadPart, ...] = ()
    complete: PresignedRequest | None = None
    upload_id: str | None = None
    present: bool = False
    version_id: str | None = None


class LoadTarget(StrEnum):
    """Where a load brings the file: a download to the working directory, or a copy in the workspace."""

    WORKING_DIRECTORY = "working_directory"
    WORKSPACE = "workspace"
