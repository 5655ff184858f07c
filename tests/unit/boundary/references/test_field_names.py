"""Names for the columns of a file that are none twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary.references.frames.names import field_names
from session_datasets.domain import numbered_names


def test_labels_that_occur_again_are_numbered() -> None:
    assert field_names(["a", "a", "a_2", None, "a"], ["a", "index"]) == [
        "a",
        "a_3",
        "a_2",
        "None",
        "a_4",
        "a_5",
        "index",
    ]


@given(st.lists(st.sampled_from(["a", "a_2", "a_3", "", None, 1, "1", "\0"]), max_size=20))
def test_every_column_has_a_name_of_its_own_and_first_labels_keep_theirs(labels: list[Any]) -> None:
    found = field_names(labels)
    assert len(set(found)) == len(labels)
    for label in {"a", "a_2", "1"} & {each for each in labels if isinstance(each, str)}:
        assert found[labels.index(label)] == label


@pytest.mark.parametrize("label", ["a", None, ""], ids=repr)
def test_naming_many_equal_labels_tries_each_number_once(label: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = 0
    numbered = numbered_names.numbered

    def counted(stem: str, number: int) -> str:
        nonlocal tried
        tried += 1
        return numbered(stem, number)

    monkeypatch.setattr(numbered_names, "numbered", counted)
    assert len(set(field_names([label] * 500))) == 500
    assert tried <= 1_000
