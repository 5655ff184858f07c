"""An old SDK speaks to new functions, or the other way round; a body has unknown fields or an unknown major version; a
stack is deployed over a live one, or deleted.

Unknown fields are ignored on both sides, and so are words that a newer service has more of. An unknown major version is
refused with advice. Logical ids of what holds data are frozen, and production keeps it (``tests/upgrade`` deploys
the last release, with data, and this source over it).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import (
    InvalidRequestError,
    ProblemError,
    SessionDatasetsError,
    UnexpectedAnswerError,
)
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body, InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import CALLED_VERBS, NODE_VERBS, Verb
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

IMPATIENT = Patience(sleep=lambda seconds: None)
BODY = b"n,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(50))
Change = Callable[[Verb, Body], Body]


def with_more(value: Any) -> Any:
    """The same, with fields on every level that nobody has heard of."""
    if isinstance(value, dict):
        later = {"later": {"deep": [1, None]}, "x_trace": "…"}
        return {**{name: with_more(each) for name, each in value.items()}, **later}
    return [with_more(each) for each in value] if isinstance(value, list) else value


def more_in_answers(verb: Verb, answer: Body) -> Body:
    """But in what is a row's or a request's own: headers, statistics of unknown keys aside."""
    kept = {name: answer[name] for name in ("download", "put", "rows", "arrow") if name in answer}
    if "download" in kept or "put" in kept:
        kept = {name: {**each, "later": 1} for name, each in kept.items()}
    changed: Body = {**with_more(answer), **kept}
    return changed


def workspace_of(cloud: MotoCloud, directory: Path, change: Change) -> Workspace:
    """A node of this SDK at functions that answer so."""

    def call(verb: Verb, body: Body) -> Body:
        return change(verb, cloud.call(verb, body))

    token = cloud.token(run_id="run-1")
    return Workspace(token, InProcessTransport(call), directory, patience=IMPATIENT)


def life(workspace: Workspace, directory: Path) -> None:
    """A whole hand-over."""
    source = directory / "source" / "a.csv"
    source.parent.mkdir()
    source.write_bytes(BODY)
    known = workspace.register_artifact(source, name="Numbers")
    assert [each.name for each in workspace.list_artifacts()] == ["Numbers"]
    assert workspace.describe_artifact(known).profile is not None
    assert workspace.read_rows(known, offset=49).rows == [[49, "w49"]]
    assert workspace.read_columns(known, ["n"]).columns[0].values == list(range(50))
    assert workspace.to_arrow(known).num_rows == 50
    assert workspace.load_artifact(known).read_bytes() == BODY


def test_this_sdk_reads_answers_with_fields_of_a_later_service(cloud: MotoCloud, tmp_path: Path) -> None:
    life(workspace_of(cloud, tmp_path, more_in_answers), tmp_path)


@pytest.mark.parametrize(
    ("field", "word"), [("status", "archived"), ("format", "orc"), ("kind", "graph")], ids=["status", "format", "kind"]
)
def test_this_sdk_lists_and_describes_what_has_words_of_a_later_service(
    cloud: MotoCloud, tmp_path: Path, field: str, word: str
) -> None:
    def change(verb: Verb, answer: Body) -> Body:
        if verb is Verb.LIST_ARTIFACTS:
            return {**answer, "artifacts": [{**each, field: word} for each in answer["artifacts"]]}
        return {**answer, field: word} if verb is Verb.DESCRIBE_ARTIFACT else answer

    source = tmp_path / "a.csv"
    source.write_bytes(BODY)
    workspace = workspace_of(cloud, tmp_path, change)
    known = workspace.register_artifact(source)
    assert [getattr(each, field) for each in workspace.list_artifacts()] == [word]
    assert getattr(workspace.describe_artifact(known), field) == word


def test_this_sdk_raises_a_problem_of_a_later_service_with_its_words(cloud: MotoCloud, tmp_path: Path) -> None:
    def change(verb: Verb, answer: Body) -> Body:
        return {
            "v": 1,
            "problem": {**cloud.call(verb, {})["problem"], "code": "quota-used-up", "status": 429, "later": 1},
        }

    with pytest.raises(ProblemError) as raised:
        list(workspace_of(cloud, tmp_path, change).list_artifacts())
    assert (raised.value.code, bool(raised.value.advice)) == ("quota-used-up", True)


@pytest.mark.parametrize("verb", [verb for verb in CALLED_VERBS if verb in NODE_VERBS])
def test_a_body_with_fields_of_a_later_sdk_is_answered_as_without_them(node: Session, verb: Verb) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    bodies: dict[Verb, Answer] = {
        Verb.PREPARE_UPLOAD: {"file_name": "b.csv", "size": 1, "sha256": "0" * 64},
        Verb.REGISTER_ARTIFACT: {"key": node.put("c.csv", BODY), "name": "c"},
        Verb.LIST_ARTIFACTS: {},
        Verb.READ_COLUMNS: {"reference": reference, "columns": ["n"]},
    }
    body = bodies.get(verb, {"reference": reference})
    answer = node.call(verb, **with_more(body))
    assert "problem" not in answer
    assert answer.keys() - {"created"} == node.call(verb, **body).keys() - {"created"}


@pytest.mark.parametrize("version", [0, 2, 10**30, -1, "1", 1.5, True, None, [1], {}], ids=str)
@pytest.mark.parametrize("verb", CALLED_VERBS)
def test_an_unknown_major_version_is_refused_with_advice_before_anything_else(
    cloud: MotoCloud, verb: Verb, version: object
) -> None:
    with cloud.failing_when_asked():
        refused = cloud.call(verb, {"v": version, "token": "forged", "owner": 7})
    assert problem_code(refused) == "unsupported-version"
    assert 'Send "v": 1' in refused["problem"]["advice"]


def test_a_body_without_a_version_is_of_the_first(opened: Opened) -> None:
    assert opened().call("list_artifacts")["artifacts"] == []


def test_a_reference_of_a_later_major_version_is_still_an_address(node: Session) -> None:
    """The version stands in it for whoever keeps it; what it says is checked by its fields."""
    reference = node.register("a.csv", BODY)["reference"]
    assert node.call("read_rows", reference={**reference, "v": 2, "later": {}})["returned"] == 50


@pytest.mark.parametrize(
    "change",
    [
        lambda answer: {},
        lambda answer: {"v": 1},
        lambda answer: {name: each for name, each in answer.items() if name != "artifacts"},
        lambda answer: {**answer, "artifacts": "none"},
        lambda answer: {**answer, "artifacts": [{}]},
        lambda answer: {"problem": "broken"},
    ],
    ids=["nothing", "a version alone", "a field less", "another type", "empty parts", "a broken problem"],
)
def test_an_answer_that_this_sdk_can_not_read_is_told_as_one(
    cloud: MotoCloud, tmp_path: Path, change: Callable[[Body], Body]
) -> None:
    workspace = workspace_of(cloud, tmp_path, lambda _, answer: change(answer))
    with pytest.raises(UnexpectedAnswerError) as raised:
        list(workspace.list_artifacts())
    assert workspace.token not in str(raised.value)


def test_this_sdk_refuses_what_it_does_not_know_before_it_calls(cloud: MotoCloud, tmp_path: Path) -> None:
    workspace = workspace_of(cloud, tmp_path, lambda _, answer: answer)
    with pytest.raises((TypeError, SessionDatasetsError)):
        workspace.read_rows("art_01jg00000000000000000000zz", later=True)  # type: ignore[call-arg]


def test_an_orchestrator_of_this_sdk_reads_a_later_answer(cloud: MotoCloud) -> None:
    transport = InProcessTransport(lambda verb, body: more_in_answers(verb, cloud.call(verb, body)))
    session = Orchestrator(transport).open_session(owner="acme", run_id="run-1")
    assert session.session_id.startswith("ses-")


def test_deployed_functions_ignore_fields_and_refuse_versions_that_they_do_not_know(
    deployed: DeployedCloud, node_there: Session
) -> None:
    reference = node_there.register("a.csv", BODY, later={"deep": 1})["reference"]
    page = node_there.call("read_rows", reference={**reference, "later": 1}, limit=1, later=[1])
    assert page["rows"] == [[0, "w0"]]
    for verb in CALLED_VERBS:
        assert problem_code(deployed.call(verb, {"v": 2, "token": node_there.token})) == "unsupported-version"


def test_what_an_sdk_of_this_version_is_refused_names_the_field(cloud: MotoCloud, tmp_path: Path) -> None:
    workspace = workspace_of(cloud, tmp_path, lambda _, answer: answer)
    with pytest.raises(InvalidRequestError, match="limit"):
        workspace.list_page(limit=0)
