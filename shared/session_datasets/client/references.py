"""A reference in any form that reaches a node: an answer, the reference itself, JSON of either, or an id."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Protocol

from session_datasets.domain.artifact import Reference
from session_datasets.wire.reference import ReferenceModel


class HasReference(Protocol):
    @property
    def reference(self) -> ReferenceModel: ...


class HasArtifactId(Protocol):
    @property
    def artifact_id(self) -> str: ...


AnyReference = HasReference | HasArtifactId | Mapping[str, Any] | str

_FIELDS = tuple(name for name in ReferenceModel.model_fields if name != "v")


def reference_of(value: AnyReference) -> dict[str, Any]:
    """The reference as it travels; whether it is a good one, the service says.

    TypeError for what can be none, ValueError for a text that begins as JSON and is not.
    """
    if isinstance(value, str):
        text = value.strip()
        return reference_of(_parsed(text)) if text.startswith("{") else {"artifact_id": text}
    if isinstance(value, Mapping):
        return _of_mapping(value)
    inner = getattr(value, "reference", value)
    if isinstance(inner, ReferenceModel | Reference):
        return _given({name: getattr(inner, name) for name in _FIELDS})
    if isinstance(artifact_id := getattr(value, "artifact_id", None), str):
        return {"artifact_id": artifact_id}
    raise TypeError(f"{type(value).__name__} is no reference: pass an answer, a reference or an artifact id")


def artifact_id_of(value: AnyReference) -> str:
    """The id alone, as a lineage names it."""
    return str(reference_of(value)["artifact_id"])


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        parsed: Mapping[str, Any] = json.loads(text)
    except ValueError as error:
        raise ValueError(f"neither an artifact id nor a reference's JSON: {error}") from None
    return parsed


def _of_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    inner = value.get("reference")
    if isinstance(inner, Mapping | str):
        return reference_of(inner)
    if "artifact_id" not in value:
        raise TypeError("the mapping holds no artifact_id, so it is no reference")
    if value.keys() - {"v", *_FIELDS}:
        # The JSON of an answer: its key may be that of a copy, which the artifact is not registered at.
        return {"artifact_id": value["artifact_id"]}
    return _given(value)


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fields[name] for name in _FIELDS if fields.get(name) is not None}
