"""What a message of the queue of audits asks for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.audit import Findings, ObjectNews, Phase, Sweep
from session_datasets.storage import keys
from session_datasets.storage.audit_queue import UnknownAuditMessage, body_of, wanted

KEY = "acme/runs/run-1/ses-1/datasets/a b+c=1.csv"
counts = st.builds(Findings, *[st.integers(0, 10**9)] * 6)
sweeps = st.builds(
    Sweep,
    st.text(),
    st.sampled_from(Phase),
    st.dictionaries(st.text(), st.text(), max_size=2),
    st.text(),
    counts,
    counts,
)


def news(**object_: Any) -> dict[str, Any]:
    return {
        "detail-type": "Object Deleted",
        "detail": {"bucket": {"name": "b"}, "object": {"key": KEY, "version-id": "v1", **object_}},
    }


@given(sweeps)
def test_a_page_of_an_audit_is_read_as_it_was_written(sweep: Sweep) -> None:
    assert wanted(body_of(sweep), "b") == sweep


@pytest.mark.parametrize("key", [KEY, KEY.replace(" ", "%20").replace("+", "%2B").replace("=", "%3D")])
def test_news_of_an_object_name_its_place_and_version(key: str) -> None:
    assert wanted(json.dumps(news(key=key)), "b") == ObjectNews(keys.place_of(KEY), "v1", written=False)


@pytest.mark.parametrize(
    "change",
    [{"detail-type": "Object Tags Added"}, {"detail": {}}, {"detail": None}],
    ids=["another type", "no object", "nothing"],
)
def test_other_news_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UnknownAuditMessage):
        wanted(json.dumps({**news(), **change}), "b")


def test_news_of_another_bucket_are_refused() -> None:
    with pytest.raises(UnknownAuditMessage):
        wanted(json.dumps(news()), "another")


@given(st.text() | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_no_text_does_worse_than_to_be_refused(body: str) -> None:
    with pytest.raises(UnknownAuditMessage):
        wanted(body, "b")
