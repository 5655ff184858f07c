"""One id finds everything that belongs to one call of a client, in the log of every function it came to."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from session_datasets import Workspace, correlated
from session_datasets.client.errors import NotFoundError
from session_datasets.domain.correlation import is_correlation_id
from session_datasets.domain.names import CALLED_VERBS, Verb
from tests.support.moto_cloud import MotoCloud, door, profiling_door
from tests.support.sessions import Opened, Session, problem_code, without_request_id

UNKNOWN = "art_01jg00000000000000000000zz"

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Lines:
    """What the functions write to their logs from here on."""
    stream = io.StringIO()
    for verb in (*CALLED_VERBS, Verb.PROFILE_ARTIFACT):
        handler: logging.StreamHandler[Any] = door(verb)._logger.registered_handler
        monkeypatch.setattr(handler, "stream", stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


@pytest.fixture
def large(cloud: MotoCloud) -> MotoCloud:
    """Where every file is large, so that its profile is made off the queue."""
    return MotoCloud(cloud.endpoint, profiled_at_once_bytes=0)


def test_the_log_of_an_answered_call_carries_its_id(node: Session, lines: Lines) -> None:
    node.call("list_artifacts", correlation_id="1-67891233-abcdef012345678912345678")
    assert lines()[-1]["correlation_id"] == "1-67891233-abcdef012345678912345678"


def test_a_problem_and_its_log_carry_the_id(node: Session, lines: Lines) -> None:
    answer = node.call("describe_artifact", reference=UNKNOWN, correlation_id="trace-1")
    assert answer["problem"]["correlation_id"] == "trace-1"
    assert lines()[-1]["correlation_id"] == "trace-1"


def test_a_problem_of_a_call_without_an_id_has_none(node: Session) -> None:
    assert "correlation_id" not in node.call("describe_artifact", reference=UNKNOWN)["problem"]


def test_a_stranger_is_told_the_id_of_its_own_call(cloud: MotoCloud) -> None:
    answer = cloud.call("list_artifacts", {"token": "forged", "correlation_id": "trace-2"})
    assert problem_code(answer) == "token-invalid"
    assert answer["problem"]["correlation_id"] == "trace-2"


def test_the_next_call_does_not_inherit_an_id(node: Session, lines: Lines) -> None:
    node.call("list_artifacts", correlation_id="trace-3")
    node.call("list_artifacts")
    assert "correlation_id" not in lines()[-1]


@pytest.mark.parametrize("bad", ["", "two words", 'quo"ted', "line\nbreak", "x" * 129, 7, ["a"]])
def test_an_id_of_another_form_is_refused_and_never_logged(node: Session, lines: Lines, bad: object) -> None:
    answer = node.call("list_artifacts", correlation_id=bad)
    assert problem_code(answer) == "invalid-request"
    assert answer["problem"]["detail"].startswith("correlation_id: ")
    assert "correlation_id" not in answer["problem"]
    assert "correlation_id" not in lines()[-1]


def test_an_id_of_128_characters_is_taken(node: Session) -> None:
    assert "artifacts" in node.call("list_artifacts", correlation_id="x" * 128)


def test_another_owners_id_and_no_id_at_all_are_answered_alike_under_one_correlation_id(
    opened: Opened, node: Session
) -> None:
    theirs = opened(owner="other", run_id="run-1").register()["artifact_id"]
    answers = [
        node.call("describe_artifact", reference=reference, correlation_id="same") for reference in (theirs, UNKNOWN)
    ]
    assert without_request_id(answers[0]) == without_request_id(answers[1])


def test_the_log_of_a_call_carries_its_x_ray_trace(
    node: Session, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=0")
    node.call("list_artifacts")
    assert lines()[-1]["xray_trace_id"] == "1-67891233-abcdef012345678912345678"


def test_all_that_one_call_of_a_workspace_asks_carries_one_id(cloud: MotoCloud, lines: Lines, tmp_path: Path) -> None:
    file = tmp_path / "sales.csv"
    file.write_text("a,b\n1,x\n")
    cloud.open().register_artifact(file)
    told = {line["service"]: line["correlation_id"] for line in lines() if line["service"] != "open_session"}
    assert told.keys() == {"prepare_upload", "register_artifact"}
    assert len(set(told.values())) == 1


def test_all_pages_of_one_iteration_carry_one_id(cloud: MotoCloud, lines: Lines, tmp_path: Path) -> None:
    workspace, reference = registered(cloud, tmp_path)
    before = len(lines())
    rows = list(workspace.iter_rows(reference, batch=1))
    told = [line["correlation_id"] for line in lines()[before:]]
    assert (len(rows), len(told), len(set(told))) == (3, 3, 1)


def test_an_iteration_leaves_no_id_behind(cloud: MotoCloud, lines: Lines, tmp_path: Path) -> None:
    workspace, _ = registered(cloud, tmp_path)
    before = len(lines())
    for _ in workspace.list_artifacts():
        workspace.list_page()
    listing, page = (line["correlation_id"] for line in lines()[before:])
    assert listing != page


def test_an_error_of_the_sdk_carries_the_id_that_the_log_has(cloud: MotoCloud, lines: Lines) -> None:
    with pytest.raises(NotFoundError) as caught:
        cloud.open().describe_artifact(UNKNOWN)
    assert is_correlation_id(caught.value.correlation_id)
    assert caught.value.correlation_id == caught.value.problem.correlation_id == lines()[-1]["correlation_id"]


def test_a_profile_made_off_the_queue_is_logged_with_the_id_of_its_registration(
    large: MotoCloud, lines: Lines, tmp_path: Path
) -> None:
    with correlated("nightly-load"):
        registered(large, tmp_path, wait=False)
    large.run_profiling()
    assert profiling_door()._logger.service == lines()[-1]["service"]
    assert lines()[-1]["correlation_id"] == "nightly-load"


def test_a_message_without_an_id_is_profiled_as_well(large: MotoCloud, lines: Lines) -> None:
    Session.open(large).register()
    large.run_profiling()
    assert lines()[-1]["message"] == "ready"
    assert "correlation_id" not in lines()[-1]


def registered(cloud: MotoCloud, folder: Path, **more: Any) -> tuple[Workspace, Any]:
    file = folder / "sales.csv"
    file.write_text("a,b\n1,x\n2,y\n3,z\n")
    workspace = cloud.open()
    return workspace, workspace.register_artifact(file, **more).reference
