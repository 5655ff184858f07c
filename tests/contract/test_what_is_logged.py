"""The log says who called what and how it went; never the token, a presigned URL or a cell."""

from __future__ import annotations

import io
import json
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.names import Verb
from tests.support.moto_cloud import MotoCloud, door
from tests.support.sessions import Opened, Session


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the functions write to their log from here on."""
    stream = io.StringIO()
    for verb in Verb:
        monkeypatch.setattr(door(verb)._logger.registered_handler, "stream", stream)
    return stream


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


def last_line(log: io.StringIO) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(log.getvalue().splitlines()[-1])
    return line


def test_one_line_a_call_names_the_caller_the_outcome_and_the_cost(node: Session, log: io.StringIO) -> None:
    reference = node.register()["reference"]
    before = len(log.getvalue().splitlines())
    node.call("read_rows", reference=reference)
    assert len(log.getvalue().splitlines()) == before + 1
    line = last_line(log)
    assert line["service"] == "read_rows"
    assert line["message"] == "answered"
    assert (line["owner"], line["session_id"]) == ("acme", node.session_id)
    assert line["returned"] == 2
    assert line["s3_requests"] >= 1


def test_what_an_end_removed_is_told_with_what_it_was_removed_of(
    node: Session, cloud: MotoCloud, log: io.StringIO
) -> None:
    node.register()
    answer = cloud.call("end_run", {"owner": "acme", "run_id": "run-1", "release_leases": True})
    line = last_line(log)
    assert (line["service"], line["owner"], line["run_id"]) == ("end_run", "acme", "run-1")
    assert (line["done"], line["removed"]) == (True, answer["removed"])
    assert line["removed"]["artifacts"] == 1


def test_an_unforeseen_failure_is_told_whole_but_for_its_secrets(
    node: Session, cloud: MotoCloud, log: io.StringIO
) -> None:
    cause = OSError("no route to postgres://ana:hunter2@db with X-Amz-Signature=0a1b2c")
    failure = ZeroDivisionError(f"header Authorization: Bearer {node.token} DB_PASSWORD=hunter2")
    failure.__cause__ = cause
    with patch.object(cloud.dynamodb, "get_paginator", side_effect=failure):
        node.call("list_artifacts")
    told = next(line for line in map(json.loads, log.getvalue().splitlines()) if "exception" in line)
    assert (told["message"], told["exception_name"]) == ("unforeseen failure", "ZeroDivisionError")
    assert "postgres://***@db" in told["exception"]
    assert "operations/list_artifacts.py" in told["exception"]
    for secret in ("hunter2", "0a1b2c", node.token):
        assert secret not in log.getvalue()


def test_a_refusal_is_told_with_its_code_and_the_request_id_of_the_answer(node: Session, log: io.StringIO) -> None:
    answer = node.call("read_rows", reference="art_01jg00000000000000000000zz")
    line = last_line(log)
    assert (line["message"], line["code"]) == ("refused", "not-found")
    assert line["request_id"] == answer["problem"]["request_id"]
