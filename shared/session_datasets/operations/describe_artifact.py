"""describe_artifact: the whole record with schema, statistics and preview."""

from __future__ import annotations

from dataclasses import replace

from session_datasets.domain.artifact import Artifact, Reference, Status
from session_datasets.domain.bounded import bounded_profile
from session_datasets.domain.limits import DESCRIBE_PROFILE_BYTES_MAX
from session_datasets.domain.scope import Caller
from session_datasets.operations.finding import find_artifact
from session_datasets.operations.ports import Service


def describe_artifact(service: Service, caller: Caller, *, reference: Reference) -> Artifact:
    """The artifact, its profile whole up to DESCRIBE_PROFILE_BYTES_MAX of JSON; as the record holds it, when it is
    MISSING."""
    artifact = find_artifact(service, caller, reference)
    if artifact.profile_key is None or artifact.status is Status.MISSING:
        return artifact
    whole = service.derived.read_profile(artifact.profile_key)
    return replace(artifact, profile=bounded_profile(whole, DESCRIBE_PROFILE_BYTES_MAX))
