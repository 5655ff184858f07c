"""A reference is taken in every form in which it reaches a node."""

from __future__ import annotations

import json
from typing import Any

import pytest

from session_datasets.client.references import reference_of
from session_datasets.domain.artifact import Reference
from session_datasets.wire.answers import LoadArtifactAnswer, RegisterArtifactAnswer
from session_datasets.wire.reference import ReferenceModel

ID = "art_" + 26 * "0"
FULL = {"artifact_id": ID, "session_id": "ses-1", "key": "acme/runs/r/ses-1/datasets/a.csv", "version_id": "v1"}
MODEL = ReferenceModel.model_validate(FULL)
ANSWER = RegisterArtifactAnswer.model_validate(
    {
        "artifact_id": ID,
        "reference": FULL,
        "name": "a",
        "kind": "table",
        "format": "csv",
        "status": "ready",
        "created": True,
    }
)
LOADED = LoadArtifactAnswer(artifact_id=ID, file_name="a.csv", size=1, sha256=64 * "0", key="of the copy")

FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "an answer": (ANSWER, FULL),
    "the reference": (MODEL, FULL),
    "the domain's reference": (Reference(**FULL), FULL),
    "its dict": (dict(FULL), FULL),
    "its dump with nulls": (ReferenceModel(artifact_id=ID).model_dump(), {"artifact_id": ID}),
    "the dict of an answer": (ANSWER.to_json(), FULL),
    "its JSON": (json.dumps(FULL), FULL),
    "the JSON of an answer": (json.dumps(ANSWER.to_json()), FULL),
    "an id": (ID, {"artifact_id": ID}),
    "an id with a line end": (f"{ID}\n", {"artifact_id": ID}),
    "an id under the name reference": ({"reference": ID}, {"artifact_id": ID}),
    "an answer that tells the place of a copy": (LOADED, {"artifact_id": ID}),
    "the dict of such an answer": (LOADED.to_json(), {"artifact_id": ID}),
}


@pytest.mark.parametrize(("form", "travels"), FORMS.values(), ids=FORMS.keys())
def test_a_reference_is_taken_as(form: Any, travels: dict[str, Any]) -> None:
    assert reference_of(form) == travels


@pytest.mark.parametrize(
    "value", [None, 7, b"art_", [], {}, {"key": "a"}, object()], ids=lambda value: type(value).__name__
)
def test_what_can_be_no_reference_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="no reference"):
        reference_of(value)


def test_broken_json_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"neither an artifact id nor a reference's JSON: Expecting"):
        reference_of("{artifact_id")
