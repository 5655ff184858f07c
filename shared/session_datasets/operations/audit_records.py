"""audit_records: whether the files that the index tells of are there, and the files that it does not tell of.

What S3 says of an object only tells where to look; whether a record is missing is decided by asking for the versions
that it pins, and written down by one write, on condition that the record is as it was read. So a message that comes
twice, late or out of order changes nothing, and neither does a delete marker, or a file that was written over: the
pinned version is still there. Nothing is ever deleted here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from session_datasets.domain.artifact import Artifact, Missing, Status
from session_datasets.domain.audit import (
    DerivedPlace,
    FilePage,
    FilePlace,
    Findings,
    ListedFile,
    ObjectNews,
    Phase,
    RecordKey,
    RecordPage,
    Report,
    Sweep,
    WorkspaceOf,
    objects_of,
)
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import (
    AUDITED_FILES_OF_A_PAGE,
    AUDITED_RECORDS_OF_A_PAGE,
    UNREGISTERED_AFTER_SECONDS,
)
from session_datasets.operations.ports import Clock


class AuditedRecords(Protocol):
    """The index, as an audit reads it. All but ``page`` asks in the name of whoever is acted for."""

    def page(self, position: Mapping[str, str], limit: int) -> RecordPage:
        """Keys of records of all owners, from ``limit`` items of the table."""

    def find(self, key: RecordKey) -> Artifact | None: ...

    def of_derived(self, place: DerivedPlace) -> Artifact | None:
        """The record that the object was derived for."""

    def of_file(self, place: FilePlace) -> Iterable[Artifact]:
        """The records that pin a version of this key."""

    def registered(self, workspace: WorkspaceOf) -> frozenset[str]:
        """The keys that records of this workspace pin."""

    def advance(self, artifact: Artifact, since: Status) -> bool: ...


class AuditedFiles(Protocol):
    def is_there(self, key: str, version_id: str | None, size: int | None) -> bool:
        """Whether this version, or any when None, is there, and of this size when one is given."""

    def owner_after(self, owner: str) -> str | None:
        """The next owner, in the order of names, of any file at all."""

    def page(self, owner: str, position: Mapping[str, str], limit: int) -> FilePage: ...

    def write_report(self, report: Report) -> None: ...


class AuditQueue(Protocol):
    def send(self, sweep: Sweep) -> None: ...


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that an audit may reach. Stores are asked in the name of the owner that ``acting_for`` is given."""

    records: AuditedRecords
    files: AuditedFiles
    queue: AuditQueue
    clock: Clock
    acting_for: Callable[[str], AbstractContextManager[None]]


def audit_object(audit: Audit, news: ObjectNews) -> Findings:
    """Looks at the records that pin what S3 says something became of."""
    place = news.place
    # What is written beside a version that is kept changes nothing; only where versions are not kept it may.
    if place is None or (news.written and news.version_id is not None):
        return Findings()
    with audit.acting_for(place.workspace.owner):
        if isinstance(place, FilePlace):
            artifacts = list(audit.records.of_file(place))
        else:
            found = audit.records.of_derived(place)
            artifacts = [found] if found else []
        return _sum(_audited(audit, artifact) for artifact in artifacts)


def audit_page(audit: Audit, sweep: Sweep) -> tuple[Findings, Sweep | None]:
    """One page of an audit of everything: what it found, and what is left to do, which is asked for by then."""
    if not sweep.name:
        sweep = replace(sweep, name=audit.clock().strftime("%Y-%m-%dT%H-%M-%SZ"))
    found, left = _records_page(audit, sweep) if sweep.phase is Phase.RECORDS else _files_page(audit, sweep)
    if left is not None:
        left = replace(left, found=left.found + found)
        audit.queue.send(left)
    return found, left


def _records_page(audit: Audit, sweep: Sweep) -> tuple[Findings, Sweep | None]:
    page = audit.records.page(sweep.position, AUDITED_RECORDS_OF_A_PAGE)
    found = _sum(_audited_record(audit, key) for key in page.keys)
    if page.position:
        return found, replace(sweep, position=page.position)
    return found, _next_owner(audit, sweep, after="")


def _audited_record(audit: Audit, key: RecordKey) -> Findings:
    with audit.acting_for(key.owner):
        artifact = audit.records.find(key)
        return _audited(audit, artifact) if artifact else Findings()


def _files_page(audit: Audit, sweep: Sweep) -> tuple[Findings, Sweep | None]:
    with audit.acting_for(sweep.owner):
        page = audit.files.page(sweep.owner, sweep.position, AUDITED_FILES_OF_A_PAGE)
        found = _unregistered(audit, page.files)
        of_owner = sweep.of_owner + found
        if page.position:
            return found, replace(sweep, position=page.position, of_owner=of_owner)
        audit.files.write_report(Report(sweep.name, sweep.owner, of_owner, audit.clock()))
    return found, _next_owner(audit, sweep, after=sweep.owner)


def _next_owner(audit: Audit, sweep: Sweep, after: str) -> Sweep | None:
    owner = audit.files.owner_after(after)
    if owner is None:
        return None
    return replace(sweep, phase=Phase.FILES, position={}, owner=owner, of_owner=Findings())


def _unregistered(audit: Audit, files: Iterable[ListedFile]) -> Findings:
    """A file that was written a moment ago may be about to be registered, and is not counted."""
    settled = audit.clock() - timedelta(seconds=UNREGISTERED_AFTER_SECONDS)
    registered: dict[WorkspaceOf, frozenset[str]] = {}
    found = Findings()
    for file in (each for each in files if each.written_at < settled):
        workspace = file.place.workspace
        if workspace not in registered:
            registered[workspace] = audit.records.registered(workspace)
        known = file.place.key in registered[workspace]
        found += Findings(files=1) if known else Findings(files=1, unregistered=1, bytes=file.size)
    return found


def _audited(audit: Audit, artifact: Artifact) -> Findings:
    """Writes down what has become of the record, if anything has."""
    missing = _missing_of(audit, artifact)
    if missing is artifact.missing:
        return Findings(records=1)
    after = replace(artifact, status=Status.MISSING, missing=missing) if missing else _restored(artifact)
    if not audit.records.advance(after, since=artifact.status):
        # Somebody else wrote it meanwhile: as it is now, nobody has looked at it.
        raise Refusal(ProblemCode.UNAVAILABLE, f"{artifact.artifact_id} changed while it was looked at.")
    if missing is None:
        return Findings(records=1, restored=1)
    return Findings(records=1, missing=int(artifact.status is not Status.MISSING))


def _missing_of(audit: Audit, artifact: Artifact) -> Missing | None:
    location = artifact.location
    if not audit.files.is_there(location.key, location.version_id, location.size):
        return Missing.REPLACED if audit.files.is_there(location.key, None, None) else Missing.FILE
    return None if all(audit.files.is_there(*each) for each in objects_of(artifact)) else Missing.DERIVED


def _restored(artifact: Artifact) -> Artifact:
    """As it was before; but a profile that was in the making then is nobody's any more, and is begun by registering."""
    if artifact.progress is None:
        status = Status.FAILED if artifact.failure else Status.READY
        return replace(artifact, status=status, missing=None)
    refusal = Refusal(
        ProblemCode.INTERNAL,
        "The file was gone while it was to be profiled, and is there again.",
        advice="Register the file again to have it profiled.",
    )
    note = refusal.problem.detail
    return replace(artifact, status=Status.FAILED, missing=None, progress=None, failure=refusal.problem, note=note)


def _sum(findings: Iterable[Findings]) -> Findings:
    return sum(findings, start=Findings())
