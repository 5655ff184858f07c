"""A request token comes again with other content.

Refused as a conflict that names the fields which differ; the first registration is untouched, and asking for it again
in its own words still finds it. A token is a session's own: another session may use the same one.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.support.contents import items
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

BODY = b"day,amount\n2026-01-01,10\n"
CHANGES: dict[str, Any] = {
    "name": "Income",
    "description": "other words",
    "kind": "series",
    "lineage": ["art_01jg00000000000000000000zz"],
    "version_id": "another",
    "size": len(BODY),
    "sha256": hashlib.sha256(BODY).hexdigest(),
    "rows": 1,
    "hints": {"types": {"amount": "string"}},
}


@pytest.fixture
def request_body(node: Session) -> dict[str, Any]:
    return {"key": node.put("a.csv", BODY), "name": "Sales", "request_token": "t-1"}


def refused_untouched(cloud: MotoCloud, node: Session, first: Answer, body: dict[str, Any]) -> str:
    """The detail of the refusal."""
    before = items(cloud)
    refused = node.call("register_artifact", **body)
    assert problem_code(refused) == "request-token-conflict"
    assert items(cloud) == before
    assert "untouched" in refused["problem"]["detail"]
    assert refused["problem"]["retryable"] is False
    return str(refused["problem"]["detail"])


@pytest.mark.parametrize("field", CHANGES)
def test_the_field_that_differs_is_named_and_the_first_is_untouched(
    cloud: MotoCloud, node: Session, request_body: dict[str, Any], field: str
) -> None:
    first = node.call("register_artifact", **request_body)
    detail = refused_untouched(cloud, node, first, {**request_body, field: CHANGES[field]})
    assert f"another {field};" in detail
    assert node.call("register_artifact", **request_body) == {**first, "created": False}


def test_another_file_is_named_as_its_key(cloud: MotoCloud, node: Session, request_body: dict[str, Any]) -> None:
    first = node.call("register_artifact", **request_body)
    other = {**request_body, "key": node.put("b.csv", BODY)}
    assert "another key;" in refused_untouched(cloud, node, first, other)


def test_all_fields_that_differ_are_named(cloud: MotoCloud, node: Session, request_body: dict[str, Any]) -> None:
    first = node.call("register_artifact", **request_body)
    detail = refused_untouched(cloud, node, first, {**request_body, "name": "Income", "rows": 1})
    assert "another name, rows;" in detail


def test_nothing_of_the_first_is_told_in_the_refusal(node: Session, request_body: dict[str, Any]) -> None:
    node.call("register_artifact", **request_body, description="confidential words")
    refused = node.call("register_artifact", **request_body)
    assert "confidential" not in str(refused)


def test_new_bytes_under_the_same_words_are_the_first_registration(node: Session, request_body: dict[str, Any]) -> None:
    first = node.call("register_artifact", **request_body)
    node.put("a.csv", b"day,amount\n2026-01-02,99\n")
    again = node.call("register_artifact", **request_body)
    assert again == {**first, "created": False}
    assert node.call("read_rows", reference=again["reference"])["rows"] == [["2026-01-01", 10]]


def test_another_session_may_use_the_token(opened: Opened, node: Session, request_body: dict[str, Any]) -> None:
    node.call("register_artifact", **request_body)
    other = opened(run_id="run-1")
    answer = other.call("register_artifact", key=other.put("a.csv", BODY), name="Other", request_token="t-1")
    assert answer["created"] is True


@pytest.mark.parametrize("token", ["t/../1", "t#1", "request#t", "\x00", "ü" * 128, "' OR 1=1"])
def test_a_token_is_no_address_whatever_it_holds(node: Session, request_body: dict[str, Any], token: str) -> None:
    first = node.call("register_artifact", **{**request_body, "request_token": token})
    again = node.call("register_artifact", **{**request_body, "request_token": token})
    assert again == {**first, "created": False}
    assert node.listed() == [first["artifact_id"]]


def test_deployed_functions_refuse_it_and_leave_the_first_as_it_was(node_there: Session) -> None:
    body = {"key": node_there.put("a.csv", BODY), "name": "Sales", "request_token": "t-1"}
    first = node_there.call("register_artifact", **body)
    described = node_there.call("describe_artifact", reference=first["reference"])
    refused = node_there.call("register_artifact", **body, rows=7, description="x")
    assert problem_code(refused) == "request-token-conflict"
    assert "another description, rows;" in refused["problem"]["detail"]
    assert node_there.call("describe_artifact", reference=first["reference"]) == described
    assert node_there.call("register_artifact", **body) == {**first, "created": False}
