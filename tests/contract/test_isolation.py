"""What lies beside the own session; tests/abuse has what lies beyond it."""

from __future__ import annotations

from tests.support.sessions import Opened, problem_code


def test_a_reference_with_the_wrong_session_leads_nowhere(opened: Opened) -> None:
    session = opened()
    reference = session.register()["reference"]
    wrong = {"artifact_id": reference["artifact_id"], "session_id": "ses-other"}
    assert problem_code(session.call("describe_artifact", reference=wrong)) == "not-found"


def test_a_node_can_not_register_what_lies_in_another_nodes_workspace(opened: Opened) -> None:
    key = opened(run_id="run-1").put("a.csv", b"a\n1\n")
    answer = opened(run_id="run-1").call("register_artifact", key=key, name="mine")
    assert problem_code(answer) == "key-outside-workspace"
