from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.storage.profile_queue import UnknownMessage, body_of, task_of

TASK = ProfilingTask("acme", "ses-1", "art_1")


IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,127}", fullmatch=True)


@given(IDS, IDS, IDS)
def test_a_message_is_read_as_it_was_written(owner: str, session_id: str, artifact_id: str) -> None:
    task = ProfilingTask(owner, session_id, artifact_id)
    assert task_of(body_of(task)) == task


@pytest.mark.parametrize(
    "change",
    [{"v": 2}, {"v": None}, {"owner": 7}, {"more": "x"}, {"owner": "../x"}, {"session_id": "a#b"}],
    ids=["version", "no version", "number", "unknown", "no owner's id", "no session's id"],
)
def test_anything_else_is_no_message(change: dict[str, object]) -> None:
    with pytest.raises(UnknownMessage):
        task_of(json.dumps({**json.loads(body_of(TASK)), **change}))


@given(st.text() | st.recursive(st.none() | st.integers(), st.lists).map(json.dumps))
def test_no_text_does_worse_than_to_be_refused(body: str) -> None:
    with pytest.raises(UnknownMessage):
        task_of(body)
