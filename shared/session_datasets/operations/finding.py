"""Finding the artifact that a reference leads to; every reading verb begins here."""

from __future__ import annotations

from session_datasets.domain.artifact import Artifact, Missing, Reference, Status
from session_datasets.domain.errors import ProblemCode, Refusal, not_found
from session_datasets.domain.profile import Layout
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service


def find_artifact(service: Service, caller: Caller, reference: Reference) -> Artifact:
    """The artifact, if the caller may see it and the reference agrees with its record.

    Raises Refusal not-found (the same for an unknown id and a foreign one) or reference-mismatch.
    """
    artifact = service.records.find_recent(caller, reference)
    if artifact is None:
        raise not_found()
    location = artifact.location
    if reference.key not in (None, location.key) or reference.version_id not in (None, location.version_id):
        raise Refusal(
            ProblemCode.REFERENCE_MISMATCH,
            f"{artifact.artifact_id} is not registered at the location that the reference names; nothing was read.",
        )
    return artifact


def layout_of(artifact: Artifact) -> Layout:
    """Where its rows lie; Refusal not-a-dataset when it has none that can be paged, still-profiling when not yet, and
    file-missing or file-changed when they, or the file, are known to be gone."""
    if artifact.status is Status.MISSING:
        raise known_missing(artifact)
    if artifact.status is Status.PROFILING:
        raise _still_profiling(artifact)
    if artifact.failure is not None:
        raise Refusal(
            ProblemCode.NOT_A_DATASET,
            f"{artifact.name!r} could not be profiled ({artifact.failure.code}): {artifact.failure.detail}",
            advice=artifact.failure.advice,
        )
    if artifact.layout is None:
        raise Refusal(
            ProblemCode.NOT_A_DATASET, artifact.note or f"{artifact.name!r} is a file of format {artifact.format}."
        )
    return artifact.layout


def _still_profiling(artifact: Artifact) -> Refusal:
    progress = artifact.progress
    stage = progress.stage.replace("_", " ") if progress else "queued"
    rows = f", {progress.rows:,} rows so far" if progress and progress.rows else ""
    return Refusal(
        ProblemCode.STILL_PROFILING, f"The rows of {artifact.name!r} can be read soon ({stage}{rows}); none was read."
    )


def known_missing(artifact: Artifact) -> Refusal:
    """What the record says is gone; no store needs to be asked."""
    if artifact.missing is Missing.REPLACED:
        return Refusal(
            ProblemCode.FILE_CHANGED, f"The registered version of {artifact.name!r} is gone; a later one is there."
        )
    if artifact.missing is Missing.DERIVED:
        return Refusal(ProblemCode.FILE_MISSING, "What the service wrote for reading this artifact has been deleted.")
    return Refusal(ProblemCode.FILE_MISSING, f"The file of {artifact.name!r} has been deleted since it was registered.")
