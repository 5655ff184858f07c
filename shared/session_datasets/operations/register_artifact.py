"""register_artifact: makes an existing file of the workspace known.

The order is the crash model: the file is there first, then its derived objects, then the record in one
conditional write, and only then the reference is answered. A run that dies in between leaves nothing that a
reader could see, and the retry (which computes the same id) completes it.
"""

from __future__ import annotations

import errno
import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from session_datasets.domain.artifact import Artifact, Location, Reference, RequestMark, Status, artifact_id
from session_datasets.domain.bounded import bounded_profile
from session_datasets.domain.errors import ProblemCode, Refusal, not_found
from session_datasets.domain.files import StoredFile
from session_datasets.domain.limits import MIB, RECORD_PROFILE_BYTES_MAX, TABLE_BYTES_MAX
from session_datasets.domain.near_names import near_names
from session_datasets.domain.profile import Format, Kind, LaidOutTable, Layout, Profile, ReadingHints
from session_datasets.domain.scope import Caller, Scope
from session_datasets.operations.ports import DerivedWriter, Service


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
    if mark and (known := _answered_before(service, caller, mark)):
        return Registered(known, created=False)
    file = _the_file(service, caller, wanted)
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
    artifact = _measured(service, caller, wanted, file, new_id)
    if service.records.create(artifact, mark):
        return Registered(artifact, created=True)
    if mark and (known := _answered_before(service, caller, mark)):
        return Registered(known, created=False)
    if known := service.records.find(caller, own):
        return _known_already(service, caller, wanted, known, mark)
    raise Refusal(ProblemCode.UNAVAILABLE, "Another registration of this file is under way.")


def _known_already(
    service: Service, caller: Caller, wanted: Registration, known: Artifact, mark: RequestMark | None
) -> Registered:
    """The record that is there; what is announced of it is checked all the same, and the request remembered."""
    _check_hints(wanted, known)
    _check_sha256(wanted, known.location.sha256)
    _check_rows(wanted, known.profile)
    if mark and not service.records.remember(caller, mark, known.artifact_id):
        _answered_before(service, caller, mark)
    return Registered(known, created=False)


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


def _the_file(service: Service, caller: Caller, wanted: Registration) -> StoredFile:
    file = service.files.find(wanted.key, wanted.version_id)
    if file is None:
        raise _file_not_found(service, caller, wanted)
    if file.size == 0:
        raise Refusal(
            ProblemCode.EMPTY_FILE, f"{_tail(service, caller, wanted.key)} holds 0 bytes; nothing was registered."
        )
    if wanted.size not in (None, file.size):
        raise Refusal(
            ProblemCode.SIZE_MISMATCH,
            f"{wanted.size} bytes were announced, {file.size} are there; nothing was registered.",
        )
    return file


def _file_not_found(service: Service, caller: Caller, wanted: Registration) -> Refusal:
    workspace = service.files.workspace(caller)
    present = service.files.near_keys(workspace)
    if wanted.version_id is not None and wanted.key in present:
        return Refusal(
            ProblemCode.FILE_CHANGED, "The file has no version with this version_id; nothing was registered."
        )
    by_tail = {key.removeprefix(workspace): key for key in present}
    near = near_names(wanted.key.removeprefix(workspace), by_tail)
    return Refusal(
        ProblemCode.FILE_NOT_FOUND,
        f"The workspace has no file {_tail(service, caller, wanted.key)}; nothing was registered.",
        did_you_mean=[by_tail[tail] for tail in near],
    )


def _tail(service: Service, caller: Caller, key: str) -> str:
    return repr(key.removeprefix(service.files.workspace(caller)))


def _require_visible(service: Service, caller: Caller, lineage: Sequence[str]) -> None:
    for source_id in lineage:
        if service.records.find(caller, Reference(source_id)) is None:
            raise not_found()


def _measured(service: Service, caller: Caller, wanted: Registration, file: StoredFile, new_id: str) -> Artifact:
    """The artifact with everything that its record holds; its derived objects are stored."""
    with _fetched(service, file) as (path, sha256):
        _check_sha256(wanted, sha256)
        location = Location(service.files.bucket, file.key, file.version_id, file.size, sha256)
        with service.derived.writer(caller.owner, new_id) as writer:
            table = _laid_out(service, path, location, wanted.hints, writer)
            _check_rows(wanted, table.profile)
            artifact = Artifact(
                artifact_id=new_id,
                scope=Scope.of(caller),
                node=caller.node,
                name=wanted.name,
                description=wanted.description,
                kind=wanted.kind or (Kind.TABLE if table.layout_name else Kind.OTHER),
                format=table.format,
                status=Status.READY,
                location=location,
                created_at=service.clock(),
                note=table.note,
                lineage=wanted.lineage,
                hints=wanted.hints,
            )
            return _with_derived(service, artifact, table, writer)


@contextmanager
def _fetched(service: Service, file: StoredFile) -> Iterator[tuple[Path | None, str]]:
    """The file on local disk and its sha256; a file too large to lay out is hashed on its way and not kept."""
    digest = hashlib.sha256()
    keep = file.size <= TABLE_BYTES_MAX
    with _on_disk(), tempfile.TemporaryDirectory(dir=service.scratch) as folder:
        path = Path(folder) / "original"
        with path.open("wb") as sink:
            for chunk in service.files.chunks(file.key, file.version_id):
                digest.update(chunk)
                if keep:
                    sink.write(chunk)
        yield (path if keep else None), digest.hexdigest()


@contextmanager
def _on_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise Refusal(
            ProblemCode.TOO_LARGE,
            "Unpacked and laid out, the file is larger than the disk of the service; nothing was registered.",
            advice="Write it as Parquet, or as several files, and register those.",
        ) from error


def _laid_out(
    service: Service, path: Path | None, location: Location, hints: ReadingHints, writer: DerivedWriter
) -> LaidOutTable:
    if path is None:
        limit = TABLE_BYTES_MAX // MIB
        note = f"Larger than {limit} MiB, so its rows are not laid out for paging; it lists and loads."
        return LaidOutTable(Format.OTHER, note=note)
    return service.tables.lay_out(path, location.file_name, hints, writer)


def _check_hints(wanted: Registration, known: Artifact) -> None:
    if wanted.hints != known.hints:
        raise Refusal(
            ProblemCode.HINTS_CONFLICT,
            "This version of the file is registered under this name, and was read with other hints.",
        )


def _check_sha256(wanted: Registration, sha256: str) -> None:
    if wanted.sha256 not in (None, sha256):
        raise Refusal(
            ProblemCode.CHECKSUM_MISMATCH,
            "The stored bytes do not have the announced sha256; nothing was registered.",
        )


def _check_rows(wanted: Registration, profile: Profile | None) -> None:
    counted = profile.shape.rows if profile else None
    if wanted.rows in (None, counted):
        return
    there = "none that can be counted" if counted is None else str(counted)
    raise Refusal(
        ProblemCode.ROWS_MISMATCH, f"{wanted.rows} rows were announced, the file has {there}; nothing was registered."
    )


def _with_derived(service: Service, artifact: Artifact, table: LaidOutTable, writer: DerivedWriter) -> Artifact:
    if table.profile is None or table.layout_name is None:
        return artifact
    owner, new_id = artifact.scope.owner, artifact.artifact_id
    layout = Layout(table.layout_name, writer.commit(), table.layout_parameters)
    bounded = bounded_profile(table.profile, RECORD_PROFILE_BYTES_MAX)
    profile_key = service.derived.write_profile(owner, new_id, table.profile) if bounded.columns_omitted else None
    return replace(artifact, profile=bounded, layout=layout, profile_key=profile_key)
