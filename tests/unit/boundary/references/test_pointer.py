"""Which values are references."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from tests.unit.boundary.typed_values import VALUES

GOOD: dict[str, Any] = {
    "v": 1,
    "format": "json",
    "value": "list",
    "bytes": 3,
    "sha256": "a" * 64,
    "place": {"key": "value-a.json"},
}


def test_what_save_answers_is_a_reference(store: FolderStore) -> None:
    assert references.is_reference(references.save([1], store))


def test_the_right_form_is_a_reference() -> None:
    assert references.is_reference({"$dataset": GOOD})


@pytest.mark.parametrize("field", GOOD)
def test_without_any_one_field_it_is_none(field: str) -> None:
    assert not references.is_reference({"$dataset": {name: each for name, each in GOOD.items() if name != field}})


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("v", 2),
        ("v", True),
        ("v", "1"),
        ("format", "pickle"),
        ("format", None),
        ("value", 1),
        ("bytes", -1),
        ("bytes", 1.0),
        ("bytes", True),
        ("sha256", "A" * 64),
        ("sha256", "a" * 63),
        ("place", {}),
        ("place", "value-a.json"),
    ],
    ids=str,
)
def test_with_a_field_of_another_form_it_is_none(field: str, wrong: Any) -> None:
    assert not references.is_reference({"$dataset": {**GOOD, field: wrong}})


@pytest.mark.parametrize(
    "value",
    [None, "$dataset", [], {}, {"$dataset": None}, {"$dataset": GOOD, "more": 1}, {"dataset": GOOD}, [GOOD]],
    ids=str,
)
def test_other_values_are_none(value: Any) -> None:
    assert not references.is_reference(value)


@given(VALUES | st.dictionaries(st.just("$dataset"), st.dictionaries(st.sampled_from(list(GOOD)), VALUES)))
def test_asking_never_raises(value: Any) -> None:
    assert references.is_reference(value) is False
