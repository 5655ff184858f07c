"""register_artifact: makes an existing file of the workspace known.

The order is the crash model: the file is there first, then its derived objects, then the record in one
conditional write, and only then the reference is answered. A run that dies in between leaves nothing that a
reader could see, and the retry (which computes the same id) completes it.

A file whose profile takes longer than a call gets its record without one, PROFILING, and then a message to
profile_artifact; a repeated registration sends the message again until somebody is seen to work on it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from session_datasets.domain.artifact import (
    Announced,
    Artifact,
    Location,
    ProfilingTask,
    Reference,
    RequestMark,
    Status,
    artifact_id,
)
from session_datasets.domain.errors import ProblemCode, Refusal, not_found
from session_datasets.domain.files import StoredFile
from session_datasets.domain.limits import PROFILED_AT_ONCE_SECONDS_MAX
from session_datasets.domain.profile import Format, Kind, ReadingHints
from session_datasets.domain.scope import Caller, Scope
from session_datasets.operations.measuring import DiskFull, check_rows, check_sha256, hashed, measured
from session_datasets.operations.ports import Service
from session_datasets.operations.progress import begun_anew, is_under_way, queued, was_given_up
from session_datasets.operations.still_open import require_open
from session_datasets.operations.stored_file import the_file

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Registration:
    """What a caller declares of a file. Declared ``size``, ``sha256`` and ``rows`` are checked, never believed."""

    key: str
    version_id: str | None
    name: str
    description: str
    kind: Kind | None
    lineage: tuple[str, ...]
    size: int | None
    sha256: str | None
    rows: int | None
    hints: ReadingHints

    @property
    def announced(self) -> Announced:
        return Announced(self.kind, self.sha256, self.rows)

    def mark(self, request_token: str | None) -> RequestMark | None:
        if request_token is None:
            return None
        fields = {
            "key": self.key,
            "version_id": self.version_id,
            "name": self.name,
            "description": self.description,
            "kind": self.kind.value if self.kind else None,
            "lineage": list(self.lineage),
            "size": self.size,
            "sha256": self.sha256,
            "rows": self.rows,
            "hints": {**asdict(self.hints), "nulls": list(self.hints.nulls)},
        }
        return RequestMark(request_token, fields)


@dataclass(frozen=True, slots=True)
class Registered:
    """``created`` is False when this very registration was known already."""

    artifact: Artifact
    created: bool


def register_artifact(
    service: Service,
    caller: Caller,
    *,
    key: str,
    version_id: str | None,
    name: str,
    description: str,
    kind: Kind | None,
    lineage: Sequence[str],
    size: int | None,
    sha256: str | None,
    rows: int | None,
    hints: ReadingHints,
    request_token: str | None,
) -> Registered:
    """Pins the file's version, measures it, lays out its rows and records it; idempotent."""
    wanted = Registration(key, version_id, name, description, kind, tuple(lineage), size, sha256, rows, hints)
    mark = wanted.mark(request_token)
    service.files.require_inside(caller, key)
    require_open(service, caller)
    if mark and (known := _answered_before(service, caller, mark)):
        return Registered(_asked_for(service, known), created=False)
    file = the_file(service, caller, wanted)
    new_id = artifact_id(
        owner=caller.owner,
        session_id=caller.session_id,
        key=key,
        version_id=file.version_id,
        name=name,
        written_at=file.written_at,
    )
    _require_visible(service, caller, wanted.lineage)
    own = Reference(new_id, caller.session_id)
    if known := service.records.find(caller, own):
        return _known_already(service, caller, wanted, known, mark)
    artifact = _profiled_or_queued(service, _draft(service, caller, wanted, file, new_id), file)
    if service.records.create(artifact, mark):
        return Registered(_asked_for(service, artifact), created=True)
    if mark and (known := _answered_before(service, caller, mark)):
        return Registered(_asked_for(service, known), created=False)
    if known := service.records.find(caller, own):
        return _known_already(service, caller, wanted, known, mark)
    raise Refusal(ProblemCode.UNAVAILABLE, "Another registration of this file is under way.")


def _known_already(
    service: Service, caller: Caller, wanted: Registration, known: Artifact, mark: RequestMark | None
) -> Registered:
    """The record that is there; what is announced of it is checked all the same, and the request remembered."""
    _check_hints(wanted, known)
    check_sha256(wanted.announced, known.location.sha256)
    if known.status is Status.READY:
        check_rows(wanted.announced, known.profile)
    if mark and not service.records.remember(caller, mark, known.artifact_id):
        _answered_before(service, caller, mark)
    return Registered(_asked_for(service, known), created=False)


def _asked_for(service: Service, artifact: Artifact) -> Artifact:
    """The artifact; its profile is on the way when it has none yet, also if an earlier call died before it asked."""
    if was_given_up(artifact):
        artifact = begun_anew(service, artifact)
    if artifact.status is Status.PROFILING and not is_under_way(artifact, service.clock()):
        service.profile_queue.send(ProfilingTask.of(artifact))
    return artifact


def _answered_before(service: Service, caller: Caller, mark: RequestMark) -> Artifact | None:
    """The artifact that this request token led to, or None when the token is new."""
    found = service.records.find_request(caller, mark.token)
    if found is None:
        return None
    earlier, known_id = found
    if differing := mark.differing_fields(earlier):
        raise Refusal(
            ProblemCode.REQUEST_TOKEN_CONFLICT,
            f"The request_token was used with another {', '.join(differing)}; the first registration is untouched.",
        )
    return service.records.find(caller, Reference(known_id, caller.session_id))


def _require_visible(service: Service, caller: Caller, lineage: Sequence[str]) -> None:
    for source_id in lineage:
        if service.records.find(caller, Reference(source_id)) is None:
            raise not_found()


def _draft(service: Service, caller: Caller, wanted: Registration, file: StoredFile, new_id: str) -> Artifact:
    """All that is known of the artifact before its file was opened; ``location.sha256`` is what was announced."""
    announced = wanted.announced
    location = Location(service.files.bucket, file.key, file.version_id, file.size, announced.sha256 or "")
    return Artifact(
        artifact_id=new_id,
        scope=Scope.of(caller),
        node=caller.node,
        name=wanted.name,
        description=wanted.description,
        kind=announced.kind or Kind.OTHER,
        format=Format.OTHER,
        status=Status.PROFILING,
        location=location,
        created_at=service.clock(),
        lineage=wanted.lineage,
        hints=wanted.hints,
        announced=announced,
    )


def _profiled_or_queued(service: Service, draft: Artifact, file: StoredFile) -> Artifact:
    """READY when that takes seconds; PROFILING, for the queue, when the file is large or turns out to be."""
    if file.size <= service.profiled_at_once_bytes:
        try:
            return measured(service, draft, _Hurry())
        except (DiskFull, _TakesTooLong):
            pass
    # The upload's own word is as good as the caller's: both are checked when the file is profiled.
    uploaded_as = file.metadata.get("sha256", "")
    sha256 = draft.location.sha256 or (uploaded_as if _SHA256.fullmatch(uploaded_as) else "")
    announced = replace(draft.announced, sha256=sha256 or hashed(service, file.key, file.version_id))
    location = replace(draft.location, sha256=str(announced.sha256))
    return replace(draft, location=location, announced=announced, progress=queued(service.clock()))


class _TakesTooLong(Exception):
    """The profile is not made within the call."""


class _Hurry:
    """A ``measuring.Tell`` that ends the work when a caller has waited long enough."""

    def __init__(self) -> None:
        self._ends = time.monotonic() + PROFILED_AT_ONCE_SECONDS_MAX

    def __call__(self, _bytes_fetched: int, _rows: int) -> None:
        if time.monotonic() > self._ends:
            raise _TakesTooLong


def _check_hints(wanted: Registration, known: Artifact) -> None:
    if wanted.hints != known.hints:
        raise Refusal(
            ProblemCode.HINTS_CONFLICT,
            "This version of the file is registered under this name, and was read with other hints.",
        )
