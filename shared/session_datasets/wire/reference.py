"""The reference as it travels: an object, or just the artifact's id."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from session_datasets.domain.artifact import Reference
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.wire.base import WIRE_VERSION, ArtifactId, Id, Model


class ReferenceModel(Model):
    """An address, never a permission: what it leads to depends on the token beside it."""

    v: int = WIRE_VERSION
    artifact_id: ArtifactId
    session_id: Id | None = None
    key: str | None = None
    version_id: str | None = None

    def to_domain(self) -> Reference:
        return Reference(self.artifact_id, self.session_id, self.key, self.version_id)

    @classmethod
    def of(cls, reference: Reference) -> ReferenceModel:
        return cls(
            artifact_id=reference.artifact_id,
            session_id=reference.session_id,
            key=reference.key,
            version_id=reference.version_id,
        )


def _widened(value: object) -> object:
    """Accepts the id alone for the object that holds it."""
    if isinstance(value, str):
        return {"artifact_id": value}
    if not isinstance(value, dict | ReferenceModel):
        raise ValueError("takes an artifact_id, or a reference as a JSON object")
    if isinstance(value, dict) and "artifact_id" not in value and ("key" in value or "location" in value):
        raise Refusal(
            ProblemCode.INVALID_REQUEST,
            "The reference names a location but no artifact_id.",
            advice="Pass the artifact_id that register_artifact gave; one location may be registered more than once.",
        )
    return value


ReferenceField = Annotated[
    ReferenceModel,
    BeforeValidator(_widened, json_schema_input_type=ArtifactId | ReferenceModel),
    Field(description="Reference as given by register_artifact or list_artifacts, or its artifact_id alone."),
]
