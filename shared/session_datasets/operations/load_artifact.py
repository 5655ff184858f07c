"""load_artifact: the file itself, for this session. The source stays untouched; the hand-over is recorded."""

from __future__ import annotations

from dataclasses import dataclass, replace

from session_datasets.domain.artifact import Artifact, Handoff, Missing, Reference
from session_datasets.domain.files import LoadTarget, PresignedRequest
from session_datasets.domain.scope import Caller
from session_datasets.operations.finding import find_artifact, known_missing
from session_datasets.operations.ports import Service
from session_datasets.operations.still_open import require_open


@dataclass(frozen=True, slots=True)
class Loaded:
    """Where the file is: a ``download`` for the working directory, or ``key`` and ``version_id`` of the copy."""

    artifact: Artifact
    download: PresignedRequest | None = None
    key: str | None = None
    version_id: str | None = None

    @property
    def artifact_id(self) -> str:
        return self.artifact.artifact_id

    @property
    def file_name(self) -> str:
        return self.artifact.location.file_name

    @property
    def size(self) -> int:
        return self.artifact.location.size

    @property
    def sha256(self) -> str:
        return self.artifact.location.sha256


def load_artifact(service: Service, caller: Caller, *, reference: Reference, into: LoadTarget) -> Loaded:
    """The registered version of the file, or a refusal that says whether it is gone or was replaced."""
    artifact = find_artifact(service, caller, reference)
    _require_present(service, artifact)
    if into is LoadTarget.WORKSPACE:
        loaded = _copied(service, caller, artifact)
    else:
        loaded = Loaded(artifact, download=service.files.presign_download(artifact.location))
    service.records.record_handoff(Handoff(artifact, caller, service.clock()))
    return loaded


def _require_present(service: Service, artifact: Artifact) -> None:
    if artifact.missing not in (None, Missing.DERIVED):
        raise known_missing(artifact)
    location = artifact.location
    if service.files.find(location.key, location.version_id):
        return
    newest = service.files.find(location.key)
    raise known_missing(replace(artifact, missing=Missing.REPLACED if newest else Missing.FILE))


def _copied(service: Service, caller: Caller, artifact: Artifact) -> Loaded:
    """Loading again finds the copy that is there, as long as nobody wrote over it."""
    require_open(service, caller)
    key = service.files.copy_key(caller, artifact)
    copy = service.files.find(key)
    if copy is None or copy.metadata.get("sha256") != artifact.location.sha256:
        copy = service.files.copy(artifact.location, key)
    return Loaded(artifact, key=copy.key, version_id=copy.version_id)
