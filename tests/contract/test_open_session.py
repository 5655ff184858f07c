from __future__ import annotations

import pytest

from session_datasets.domain.limits import SESSION_SECONDS_MAX, SESSION_SECONDS_MIN
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import problem_code


def test_a_chat_session_works_in_its_conversations_workspace(cloud: MotoCloud) -> None:
    answer = cloud.call("open_session", {"owner": "acme", "conversation_id": "talk-1"})
    assert answer["workspace"] == "acme/conversations/talk-1/"


def test_a_node_of_a_run_works_in_a_workspace_of_its_own(cloud: MotoCloud) -> None:
    body = {"owner": "acme", "conversation_id": "talk-1", "run_id": "run-1", "node": "extract"}
    first, second = cloud.call("open_session", body), cloud.call("open_session", body)
    assert first["workspace"] == f"acme/runs/run-1/{first['session_id']}/"
    assert first["session_id"] != second["session_id"]


def test_a_session_of_nothing_is_refused(cloud: MotoCloud) -> None:
    assert problem_code(cloud.call("open_session", {"owner": "acme"})) == "invalid-request"


@pytest.mark.parametrize("field", ["owner", "conversation_id", "run_id", "node"])
@pytest.mark.parametrize("value", ["", "..", "a/b", "a#b", "é", "x" * 129, 7])
def test_an_id_that_is_no_plain_segment_is_refused(cloud: MotoCloud, field: str, value: object) -> None:
    body = {"owner": "acme", "conversation_id": "talk-1", field: value}
    answer = cloud.call("open_session", body)
    assert problem_code(answer) == "invalid-request"
    assert answer["problem"]["detail"].startswith(f"{field}:")


@pytest.mark.parametrize("seconds", [SESSION_SECONDS_MIN, SESSION_SECONDS_MAX])
def test_a_lifetime_at_its_bounds_is_granted(cloud: MotoCloud, seconds: int) -> None:
    assert "token" in cloud.call("open_session", {"owner": "a", "run_id": "r", "ttl_seconds": seconds})


@pytest.mark.parametrize("seconds", [SESSION_SECONDS_MIN - 1, SESSION_SECONDS_MAX + 1, "3600", True, 60.5])
def test_any_other_lifetime_is_refused(cloud: MotoCloud, seconds: object) -> None:
    answer = cloud.call("open_session", {"owner": "a", "run_id": "r", "ttl_seconds": seconds})
    assert problem_code(answer) == "invalid-request"


def test_nobody_is_granted_the_opening_of_sessions(cloud: MotoCloud) -> None:
    answer = cloud.call("open_session", {"owner": "a", "run_id": "r", "verbs": ["open_session"]})
    assert problem_code(answer) == "invalid-request"
