"""An artifact that is somebody else's answers exactly as one that does not exist."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.sessions import Opened, problem_code, without_request_id

RANDOM_ID = "art_01jg00000000000000000000zz"
READING: dict[str, dict[str, Any]] = {
    "describe_artifact": {},
    "load_artifact": {},
    "read_rows": {},
    "read_columns": {"columns": ["a"]},
}
STRANGERS: dict[str, dict[str, str]] = {
    "another owner": {"owner": "other", "conversation_id": "talk-1", "run_id": "run-1"},
    "another run and conversation": {"conversation_id": "talk-2", "run_id": "run-2"},
    "ids swapped": {"conversation_id": "run-1", "run_id": "talk-1"},
}


@pytest.mark.parametrize("verb", READING)
@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=list(STRANGERS))
@pytest.mark.parametrize("by_id_alone", [True, False], ids=["id alone", "whole reference"])
def test_foreign_is_answered_byte_for_byte_as_unknown(
    opened: Opened, verb: str, stranger: dict[str, str], by_id_alone: bool
) -> None:
    reference = opened(conversation_id="talk-1", run_id="run-1").register()["reference"]
    outsider = opened(**stranger)
    unknown = {**reference, "artifact_id": RANDOM_ID}
    asked = [each["artifact_id"] if by_id_alone else each for each in (reference, unknown)]
    answers = [outsider.call(verb, reference=each, **READING[verb]) for each in asked]
    assert problem_code(answers[0]) == "not-found"
    assert without_request_id(answers[0]) == without_request_id(answers[1])


@pytest.mark.parametrize("verb", READING)
def test_a_body_that_names_the_other_scope_changes_nothing(opened: Opened, verb: str) -> None:
    victim = opened(conversation_id="talk-1")
    reference = victim.register()["reference"]
    outsider = opened(owner="other")
    claimed = {"owner": "acme", "conversation_id": "talk-1", "session_id": victim.session_id}
    answer = outsider.call(verb, reference=reference, **READING[verb], **claimed)
    assert problem_code(answer) == "not-found"


def test_a_reference_with_the_wrong_session_leads_nowhere(opened: Opened) -> None:
    session = opened()
    reference = session.register()["reference"]
    wrong = {"artifact_id": reference["artifact_id"], "session_id": "ses-other"}
    assert problem_code(session.call("describe_artifact", reference=wrong)) == "not-found"


def test_a_node_can_not_register_what_lies_in_another_nodes_workspace(opened: Opened) -> None:
    key = opened(run_id="run-1").put("a.csv", b"a\n1\n")
    answer = opened(run_id="run-1").call("register_artifact", key=key, name="mine")
    assert problem_code(answer) == "key-outside-workspace"
