"""A body names another owner, session, conversation or run than its caller's.

Who calls is what the token says, and nothing else: such a call is answered as if the names were not there, and about
an artifact of theirs byte for byte as about one that does not exist. No store is asked with the claimed names. The log
line of the call and a metric tell an operator that somebody tried.
"""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from session_datasets.domain import metrics
from session_datasets.domain.names import METRICS_NAMESPACE, NODE_VERBS, Verb
from tests.contract.test_acting_for import counted
from tests.support.deployed_cloud import DeployedCloud
from tests.support.logs import log_of_functions
from tests.support.moto_cloud import MotoCloud
from tests.support.recorded import recorded
from tests.support.sessions import Opened, Session, problem_code, without_request_id

UNKNOWN = "art_01jg00000000000000000000zz"
# Everything that the service itself calls a scope by, and what others would.
NAMES = ("owner", "session_id", "conversation_id", "run_id", "node", "sub", "sid", "client_id", "scope_id", "caller")


@pytest.fixture
def victim(opened: Opened) -> Session:
    return opened(owner="victim", conversation_id="their-talk", run_id="their-run")


@pytest.fixture
def outsider(opened: Opened) -> Session:
    return opened(owner="other", conversation_id="my-talk", run_id="my-run")


def claims(victim: Session) -> dict[str, Any]:
    said = {"owner": "victim", "session_id": victim.session_id, "conversation_id": "their-talk", "run_id": "their-run"}
    claimed: dict[str, Any] = {name: said.get(name, "victim") for name in NAMES}
    return {**claimed, "caller": said, "workspace": victim.workspace, "bucket": "their-bucket"}


def asked_for(verb: Verb, reference: Any, key: str) -> dict[str, Any]:
    """A body of the verb that would be answered, if it were the victim's."""
    bodies: dict[Verb, dict[str, Any]] = {
        Verb.PREPARE_UPLOAD: {"file_name": "a.csv", "size": 1, "sha256": "0" * 64},
        Verb.REGISTER_ARTIFACT: {"key": key, "name": "mine"},
        Verb.LIST_ARTIFACTS: {},
        Verb.READ_COLUMNS: {"reference": reference, "columns": ["a"]},
    }
    return bodies.get(verb, {"reference": reference})


READING = [verb for verb in NODE_VERBS if "reference" in asked_for(verb, "", "")]


@pytest.mark.parametrize("verb", READING)
def test_theirs_is_answered_byte_for_byte_as_unknown(victim: Session, outsider: Session, verb: Verb) -> None:
    reference = victim.register()["reference"]
    references = (reference, {**reference, "artifact_id": UNKNOWN})
    answers = [outsider.call(verb, **asked_for(verb, each, ""), **claims(victim)) for each in references]
    assert problem_code(answers[0]) == "not-found"
    assert json.dumps(without_request_id(answers[0])) == json.dumps(without_request_id(answers[1]))


@pytest.mark.parametrize("verb", NODE_VERBS)
def test_no_store_hears_a_claimed_name(cloud: MotoCloud, victim: Session, outsider: Session, verb: Verb) -> None:
    reference, key = victim.register()["reference"], victim.put("b.csv", b"a\n1\n")
    with recorded(cloud) as asked:
        outsider.call(verb, **asked_for(verb, reference, key), **claims(victim))
    theirs = ("victim#", "victim/", "their-", "their-talk", "their-run", f"#{victim.session_id}/")
    assert [each for each in asked if any(name in each.words for name in theirs)] == []


def test_what_is_registered_is_the_callers_own(victim: Session, outsider: Session) -> None:
    registered = outsider.register(**claims(victim))
    assert registered["reference"]["session_id"] == outsider.session_id
    assert victim.listed() == []
    assert outsider.listed() == [registered["artifact_id"]]


def test_an_upload_leads_into_the_callers_own_workspace(victim: Session, outsider: Session) -> None:
    asked = asked_for(Verb.PREPARE_UPLOAD, None, "")
    assert outsider.call("prepare_upload", **asked, **claims(victim))["key"].startswith(outsider.workspace)


def test_a_listing_shows_the_callers_own(victim: Session, outsider: Session) -> None:
    victim.register()
    assert outsider.listed(**claims(victim)) == []


def test_a_node_may_not_name_its_way_into_another_run_of_its_owner(opened: Opened) -> None:
    theirs = opened(run_id="run-1")
    reference = theirs.register()["reference"]
    answer = opened(run_id="run-2").call("read_rows", reference=reference, run_id="run-1")
    assert problem_code(answer) == "not-found"


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    return log_of_functions(monkeypatch)


def test_the_line_of_the_call_names_the_fields_that_claimed(
    victim: Session, outsider: Session, log: io.StringIO
) -> None:
    outsider.call("list_artifacts", owner="victim", run_id="my-run", session_id=victim.session_id)
    line = json.loads(log.getvalue().splitlines()[-1])
    assert (line["owner"], line["claimed"]) == ("other", ["owner", "session_id"])


def test_a_reference_into_another_owners_workspace_claims_too(
    victim: Session, outsider: Session, log: io.StringIO
) -> None:
    outsider.call("read_rows", reference=victim.register()["reference"])
    assert json.loads(log.getvalue().splitlines()[-1])["claimed"] == ["reference.key"]


def test_a_call_that_claims_nothing_has_no_such_line(outsider: Session, log: io.StringIO) -> None:
    reference = outsider.register()["reference"]
    outsider.call("read_rows", reference=reference, owner="other", conversation_id="my-talk")
    assert "claimed" not in log.getvalue()


@pytest.mark.parametrize(("owner", "told"), [("victim", [1.0]), ("other", None)])
def test_a_metric_counts_the_calls_that_claimed(
    cloud: MotoCloud, outsider: Session, owner: str, told: list[float] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    # Of what calls before this one counted, which nobody printed.
    Metrics(namespace=METRICS_NAMESPACE).clear_metrics()
    body = {"token": outsider.token, "owner": owner}
    assert counted(cloud, "list_artifacts", body, capsys).get(metrics.CLAIMS) == told


def test_deployed_functions_listen_to_the_token_alone(deployed: DeployedCloud) -> None:
    victim = Session.open(deployed, owner="victim", run_id="their-run")
    outsider = Session.open(deployed, owner="other", run_id="my-run")
    reference = victim.register()["reference"]
    for verb in READING:
        answers = [
            outsider.call(verb, **asked_for(verb, each, ""), **claims(victim))
            for each in (reference, {**reference, "artifact_id": UNKNOWN})
        ]
        assert problem_code(answers[0]) == "not-found", verb
        assert without_request_id(answers[0]) == without_request_id(answers[1]), verb
    assert outsider.listed(**claims(victim)) == []
