"""Measuring a registered file: fetched once, checked against what was announced, its rows laid out.

Shared by register_artifact, which answers with the result, and by profile_artifact, which puts it into the record.
"""

from __future__ import annotations

import errno
import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from session_datasets.domain.artifact import Announced, Artifact, Status
from session_datasets.domain.bounded import bounded_profile
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import MIB, RECORD_PROFILE_BYTES_MAX, TABLE_BYTES_MAX
from session_datasets.domain.profile import Format, Kind, LaidOutTable, Layout, Profile
from session_datasets.operations.ports import DerivedWriter, Service

# Called with (bytes fetched, rows laid out) as the work goes on; what it raises ends the work.
Tell = Callable[[int, int], None]


class DiskFull(Exception):
    """Unpacked and laid out, the file does not fit the disk of this function."""


def measured(service: Service, artifact: Artifact, tell: Tell) -> Artifact:
    """The artifact READY, with everything that its record holds; its derived objects are stored.

    ``artifact`` has at least scope, id, location (whose sha256 may be anything), hints and ``announced``. Raises
    DiskFull, and Refusal for what was announced and is not so, and for a file that is damaged or gone.
    """
    with _fetched(service, artifact, tell) as (path, sha256):
        check_sha256(artifact.announced, sha256)
        artifact = replace(artifact, location=replace(artifact.location, sha256=sha256))
        with service.derived.writer(artifact.scope, artifact.artifact_id) as writer:
            table = _laid_out(service, artifact, path, writer, tell)
            check_rows(artifact.announced, table.profile)
            kind = artifact.announced.kind or (Kind.TABLE if table.layout_name else Kind.OTHER)
            ready = replace(
                artifact, kind=kind, format=table.format, status=Status.READY, note=table.note, progress=None
            )
            return _with_derived(service, ready, table, writer)


def hashed(service: Service, key: str, version_id: str) -> str:
    """The sha256 of one version, read to its end and not kept."""
    digest = hashlib.sha256()
    for chunk in service.files.chunks(key, version_id):
        digest.update(chunk)
    return digest.hexdigest()


def check_sha256(announced: Announced, sha256: str) -> None:
    if announced.sha256 not in (None, sha256):
        raise Refusal(
            ProblemCode.CHECKSUM_MISMATCH,
            "The stored bytes do not have the announced sha256; the file was not taken.",
        )


def check_rows(announced: Announced, profile: Profile | None) -> None:
    counted = profile.shape.rows if profile else None
    if announced.rows in (None, counted):
        return
    there = "none that can be counted" if counted is None else str(counted)
    raise Refusal(
        ProblemCode.ROWS_MISMATCH,
        f"{announced.rows} rows were announced, the file has {there}; it was not taken.",
    )


@contextmanager
def _fetched(service: Service, artifact: Artifact, tell: Tell) -> Iterator[tuple[Path | None, str]]:
    """The file on local disk and its sha256; a file too large to lay out is hashed on its way and not kept."""
    location, digest, done = artifact.location, hashlib.sha256(), 0
    keep = location.size <= TABLE_BYTES_MAX
    with _on_disk(), tempfile.TemporaryDirectory(dir=service.scratch) as folder:
        path = Path(folder) / "original"
        with path.open("wb") as sink:
            for chunk in service.files.chunks(location.key, location.version_id):
                digest.update(chunk)
                done += len(chunk)
                if keep:
                    sink.write(chunk)
                tell(done, 0)
        yield (path if keep else None), digest.hexdigest()


@contextmanager
def _on_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise DiskFull from error


def _laid_out(
    service: Service, artifact: Artifact, path: Path | None, writer: DerivedWriter, tell: Tell
) -> LaidOutTable:
    location = artifact.location
    if path is None:
        note = (
            f"Larger than {TABLE_BYTES_MAX // MIB:,} MiB, so its rows are not laid out for paging; it lists and loads. "
            "Written as Parquet, or as several files, it would page."
        )
        return LaidOutTable(Format.OTHER, note=note)
    return service.tables.lay_out(
        path, location.file_name, artifact.hints, writer, lambda rows: tell(location.size, rows)
    )


def _with_derived(service: Service, artifact: Artifact, table: LaidOutTable, writer: DerivedWriter) -> Artifact:
    if table.profile is None or table.layout_name is None:
        return artifact
    layout = Layout(table.layout_name, writer.commit(), table.layout_parameters)
    bounded = bounded_profile(table.profile, RECORD_PROFILE_BYTES_MAX)
    profile_key = None
    if bounded.columns_omitted:
        profile_key = service.derived.write_profile(artifact.scope, artifact.artifact_id, table.profile)
    return replace(artifact, profile=bounded, layout=layout, profile_key=profile_key)
