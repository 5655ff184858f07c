"""The examination of a stack's isolation, on a cloud in this process: what it tries at the doors, and what it tells."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from typer.testing import CliRunner

from session_datasets.cli import doctor as command
from session_datasets.cli.main import app
from session_datasets.client.doctor.attempt import Attempt, Findings, Verdict
from session_datasets.client.doctor.below import NOT_ENFORCED
from session_datasets.client.doctor.isolation import examined
from session_datasets.domain.names import NODE_VERBS, ORCHESTRATOR_VERBS, Verb
from session_datasets.domain.scope import Scope
from tests.support.moto_cloud import STACK, MotoCloud


def no_stack(_service: str, _keys: Any = None) -> Any:
    raise RuntimeError("there is no CloudFormation here")


def examine(cloud: MotoCloud) -> Findings:
    return examined(cloud.transport(), STACK, no_stack, None)


def told(attempts: tuple[Attempt, ...]) -> set[tuple[str, str]]:
    return {(each.who, each.what) for each in attempts}


def test_every_attempt_at_the_doors_of_a_sound_stack_is_refused(cloud: MotoCloud) -> None:
    findings = examine(cloud)
    assert findings.holds
    assert findings.of(Verdict.GOT_THROUGH) == ()
    reading = ("describe_artifact", "load_artifact", "read_rows", "read_columns")
    tried = told(findings.of(Verdict.HELD))
    for who in ("another owner", "another run"):
        for verb in reading:
            assert (who, f"{verb} of the owner's file by id") in tried
            assert (who, f"{verb} of the owner's file by reference") in tried
        assert {(who, "list_artifacts"), (who, "register_artifact of the owner's key")} <= tried
    lister = {what for who, what in tried if who == "a session that may list only"}
    assert lister == {verb.value for verb in NODE_VERBS} - {Verb.LIST_ARTIFACTS.value}


def test_what_could_not_be_tried_is_said_and_is_no_pass(cloud: MotoCloud) -> None:
    untried = examine(cloud).of(Verdict.UNTRIED)
    assert {each.who for each in untried} == {"a node's credentials", "these credentials"}
    assert sum("--node-profile" in each.came for each in untried) == len(ORCHESTRATOR_VERBS)
    assert any("outputs could not be read" in each.came for each in untried)


class AllowsEverything:
    """Of an emulator that enforces no policies: it answers whatever keys it is asked with."""

    def get_caller_identity(self) -> dict[str, str]:
        return {"Account": "000000000000"}


def unenforced(service: str, keys: Any = None) -> AllowsEverything:
    assert (service, keys is None) == ("sts", False), "nothing else is asked of it"
    return AllowsEverything()


def test_where_no_policies_are_enforced_only_the_doors_are_tried_and_it_says_so(cloud: MotoCloud) -> None:
    findings = examined(cloud.transport(), STACK, unenforced, NodesFunctions(f"{STACK}-end-run"))
    assert (findings.enforced, findings.of(Verdict.GOT_THROUGH)) == (False, ())
    assert findings.of(Verdict.HELD) == examine(cloud).of(Verdict.HELD)
    assert {each.came for each in findings.of(Verdict.UNTRIED)} == {NOT_ENFORCED}


def test_a_stack_that_refuses_keys_that_nobody_issued_enforces_policies(cloud: MotoCloud) -> None:
    assert examine(cloud).enforced


@pytest.mark.parametrize(
    ("verdict", "enforced", "status"),
    [
        (Verdict.HELD, True, 0),
        (Verdict.HELD, False, 3),
        (Verdict.GOT_THROUGH, False, 1),
        (Verdict.GOT_THROUGH, True, 1),
    ],
)
def test_the_exit_status_tells_a_pass_from_a_hole_and_from_not_knowing(
    verdict: Verdict, enforced: bool, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Findings((Attempt("who", "what", "expected", "came", verdict),), (), enforced)
    monkeypatch.setattr(command, "examined", lambda *_: found)
    ran = CliRunner().invoke(app, ["doctor", "isolation", "--stack", STACK], env={"COLUMNS": "300"})
    assert ran.exit_code == status
    assert ("enforces no policies" in ran.stdout) is not enforced


class NodesFunctions:
    """A client of Lambda with a node's credentials, which AWS lets invoke the functions that are named ``allowed``, as
    the policy names them."""

    def __init__(self, *allowed: str) -> None:
        self._allowed = allowed

    def invoke(self, FunctionName: str, Payload: bytes, Qualifier: str = "") -> None:
        if f"{FunctionName}:{Qualifier}".removesuffix(":") not in self._allowed:
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "Invoke")


@pytest.mark.parametrize("allowed", [f"{STACK}-end-run", f"{STACK}-end-run:live"])
def test_a_node_that_may_invoke_an_orchestrators_verb_by_either_name_of_it_shows(
    cloud: MotoCloud, allowed: str
) -> None:
    findings = examined(cloud.transport(), STACK, no_stack, NodesFunctions(allowed))
    assert told(findings.of(Verdict.GOT_THROUGH)) == {("a node's credentials", f"Lambda Invoke of {STACK}-end-run")}
    held = told(findings.of(Verdict.HELD))
    assert ("a node's credentials", f"Lambda Invoke of {STACK}-open-session") in held


def test_each_attempt_is_told_as_it_is_made(cloud: MotoCloud) -> None:
    noted: list[Attempt] = []
    findings = examined(cloud.transport(), STACK, no_stack, None, noted.append)
    assert tuple(noted) == findings.attempts


def test_it_removes_what_it_made(cloud: MotoCloud) -> None:
    assert examine(cloud).left == ()
    assert "Versions" not in cloud.s3.list_object_versions(Bucket=cloud.bucket)


def test_what_it_can_not_remove_is_told(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError

    monkeypatch.setattr(cloud.s3, "list_object_versions", refuse)
    left = examine(cloud).left
    assert len(left) == 3
    assert all(each.startswith("run doctor-") for each in left)


def test_a_rule_of_visibility_that_is_broken_shows(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scope, "visible_to", lambda *_: True)
    findings = examine(cloud)
    assert not findings.holds
    through = told(findings.of(Verdict.GOT_THROUGH))
    assert ("another run", "read_rows of the owner's file by reference") in through
    # Another owner's partition is another one.
    assert {who for who, _ in through} == {"another run"}


def test_a_refusal_that_tells_more_than_of_an_unknown_id_shows(
    cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = cloud.call

    def telling(verb: str, body: Any) -> dict[str, Any]:
        told = answer(verb, body)
        existing = "version_id" in str(body.get("reference", "")) and "0" * 26 not in str(body["reference"])
        if existing and told.get("problem", {}).get("code") == "not-found":
            told["problem"]["detail"] += " It is another owner's."
        return told

    monkeypatch.setattr(cloud, "call", telling)
    through = told(examine(cloud).of(Verdict.GOT_THROUGH))
    assert ("another owner", "describe_artifact of the owner's file by reference") in through
    assert ("another owner", "describe_artifact of the owner's file by id") not in through


@pytest.mark.parametrize("verdict", [Verdict.GOT_THROUGH, Verdict.UNTRIED])
def test_an_examination_in_which_nothing_held_is_no_pass(verdict: Verdict) -> None:
    assert not Findings((Attempt("who", "what", "expected", "came", verdict),)).holds
