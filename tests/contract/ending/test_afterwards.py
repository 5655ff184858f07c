"""What can be done after an end."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from tests.contract.ending.ends import BODY, NOTHING, end_conversation, end_run, items, objects, removed
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, problem_code


@pytest.mark.parametrize(
    "scope", [{"run_id": "run-1"}, {"run_id": "run-1", "conversation_id": "talk-9"}], ids=["run", "run and chat"]
)
def test_no_session_opens_in_what_has_ended(cloud: MotoCloud, scope: dict[str, str]) -> None:
    end_run(cloud)
    answer = cloud.call("open_session", {"owner": "acme", **scope})
    assert problem_code(answer) == "ended"
    assert answer["problem"]["detail"] == "The run run-1 of acme has ended; no session was opened."
    # The session that did not come about holds nothing.
    assert end_conversation(cloud, "talk-9", release_leases=False)["done"]


WRITING: dict[str, dict[str, Any]] = {
    "register_artifact": {"name": "again"},
    "prepare_upload": {"file_name": "a.csv", "size": 3, "sha256": "0" * 64},
    "load_artifact": {"into": "workspace"},
}


@pytest.mark.parametrize("verb", WRITING)
def test_a_session_that_still_holds_a_token_can_write_nothing(cloud: MotoCloud, opened: Opened, verb: str) -> None:
    session = opened(run_id="run-1", conversation_id="talk-1")
    key = session.put("a.csv", BODY)
    reference = opened(conversation_id="talk-1").register(body=BODY)["reference"]
    end_run(cloud)
    arguments = dict(WRITING[verb])
    arguments |= {"key": key} if verb == "register_artifact" else {}
    arguments |= {"reference": reference} if verb == "load_artifact" else {}
    assert problem_code(session.call(verb, **arguments)) == "ended"
    assert objects(cloud, "acme/runs/") == []


def test_not_even_a_hand_over_is_noted(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1", conversation_id="talk-1")
    reference = opened(conversation_id="talk-1").register(body=BODY)["reference"]
    end_run(cloud)
    assert problem_code(session.call("load_artifact", reference=reference)) == "ended"
    assert [sort for partition, sort in items(cloud) if partition == f"acme#{session.session_id}"] == ["ended"]


@pytest.mark.parametrize("token", [{}, {"request_token": "once"}], ids=["plain", "with a request token"])
def test_a_registration_that_began_before_the_end_makes_no_record(
    cloud: MotoCloud, opened: Opened, token: dict[str, str]
) -> None:
    session = opened(run_id="run-1")
    create = cloud.wired.service.records.create

    def ended_meanwhile(*arguments: Any) -> bool:
        end_run(cloud)
        return create(*arguments)

    with patch.object(cloud.wired.service.records, "create", ended_meanwhile):
        assert problem_code(session.register(body=BODY, **token)) == "ended"
    assert [item for item in items(cloud) if item[1] != "ended"] == [("acme#runs#run-1", "scope")]


READING = ["describe_artifact", "load_artifact", "read_rows"]


@pytest.mark.parametrize("verb", READING)
def test_what_was_removed_is_not_found(cloud: MotoCloud, opened: Opened, verb: str) -> None:
    session = opened(run_id="run-1")
    reference = session.register(body=BODY)["reference"]
    end_run(cloud)
    assert problem_code(session.call(verb, reference=reference)) == "not-found"
    assert session.listed() == []


def test_a_call_after_the_last_removes_nothing(cloud: MotoCloud, opened: Opened) -> None:
    opened(run_id="run-1").register(body=BODY)
    first = end_run(cloud)
    again = end_run(cloud)
    assert set(again["removed"]) == NOTHING
    assert removed(again) == {}
    assert again["ended_at"] == first["ended_at"]


def test_a_call_after_the_last_sweeps_what_landed_late(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    end_run(cloud)
    session.put("late.csv", BODY)
    assert removed(end_run(cloud)) == {"file_versions": 1, "bytes": len(BODY)}


def test_what_never_was_can_be_ended(cloud: MotoCloud) -> None:
    assert removed(end_run(cloud, "run-9")) == {}
    assert problem_code(cloud.call("open_session", {"owner": "acme", "run_id": "run-9"})) == "ended"
