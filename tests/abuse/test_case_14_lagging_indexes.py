"""An artifact is looked for right after it was registered, while the indexes do not know it yet.

Register's own answer is complete: whoever holds its reference reads at once. A listing of the own session is read
consistently, and merged into the wider ones. That an artifact is unique never rests on an index.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from tests.support.contents import items
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"


@contextmanager
def lagging(cloud: MotoCloud) -> Iterator[list[dict[str, Any]]]:
    """While it lasts, no index knows anything. Yields the questions that were put to one."""
    real, asked = cloud.dynamodb._make_api_call, []

    def call(operation: str, parameters: dict[str, Any]) -> Any:
        if operation == "Query" and "IndexName" in parameters:
            asked.append(parameters)
            return {"Items": [], "Count": 0, "ScannedCount": 0}
        return real(operation, parameters)

    with patch.object(cloud.dynamodb, "_make_api_call", call):
        yield asked


@pytest.mark.parametrize("scope", [{"run_id": "run-1"}, {"conversation_id": "talk-1"}], ids=["run", "conversation"])
def test_a_node_lists_its_own_at_once_in_every_scope(cloud: MotoCloud, opened: Opened, scope: dict[str, str]) -> None:
    node = opened(**scope)
    (wider,) = (name.removesuffix("_id") for name in scope)
    with lagging(cloud) as asked:
        ids = [node.register(f"f{number}.csv", BODY)["artifact_id"] for number in range(5)]
        assert asked == []
        for each in ("session", wider):
            assert node.listed(scope=each, limit=2) == sorted(ids, reverse=True)
    assert {question["IndexName"] for question in asked} == {f"{wider}-index"}


def test_another_session_reads_by_the_reference_at_once(cloud: MotoCloud, opened: Opened, node: Session) -> None:
    with lagging(cloud) as asked:
        reference = node.register(body=BODY)["reference"]
        other = opened(run_id="run-1")
        assert other.call("read_rows", reference=reference)["rows"] == [[1, "x"], [2, "y"]]
        assert other.call("describe_artifact", reference=reference)["artifact_id"] == reference["artifact_id"]
        assert "download" in other.call("load_artifact", reference=reference)
    assert asked == []


def test_by_the_id_alone_another_session_waits_for_the_index_and_is_told_not_found(
    cloud: MotoCloud, opened: Opened, node: Session
) -> None:
    known, other = node.register(body=BODY)["artifact_id"], opened(run_id="run-1")
    with lagging(cloud):
        assert problem_code(other.call("read_rows", reference=known)) == "not-found"
    assert other.call("read_rows", reference=known)["returned"] == 2


def test_a_registration_is_found_again_without_an_index(cloud: MotoCloud, node: Session) -> None:
    body = {"key": node.put("a.csv", BODY), "name": "n"}
    with lagging(cloud) as asked:
        first = node.call("register_artifact", **body, request_token="t-1")
        again = node.call("register_artifact", **body)
        refused = node.call("register_artifact", **{**body, "name": "m"}, request_token="t-1")
    assert (again["artifact_id"], again["created"]) == (first["artifact_id"], False)
    assert problem_code(refused) == "request-token-conflict"
    assert asked == []
    assert len(items(cloud, "art_")) == 1


def test_what_the_index_catches_up_with_is_listed_once(cloud: MotoCloud, node: Session) -> None:
    with lagging(cloud):
        known = node.register(body=BODY)["artifact_id"]
    assert node.listed() == [known]


def test_own_partitions_are_read_consistently(cloud: MotoCloud, node: Session) -> None:
    known = node.register(body=BODY)["artifact_id"]
    with patch.object(cloud.dynamodb, "_make_api_call", wraps=cloud.dynamodb._make_api_call) as asked:
        node.call("list_artifacts", scope="session")
        node.call("describe_artifact", reference=known)
    reads = [call.args[1] for call in asked.call_args_list if call.args[0] in ("Query", "GetItem")]
    assert reads
    assert all(each["ConsistentRead"] is True for each in reads)


def test_deployed_functions_list_and_read_what_was_registered_a_moment_ago(opened_there: Opened) -> None:
    node, other = opened_there(), opened_there()
    for number in range(5):
        registered = node.register(f"f{number}.csv", BODY)
        assert node.listed(scope="session", limit=1)[0] in {registered["artifact_id"], *node.listed()}
        assert registered["artifact_id"] in node.listed(scope="run", limit=1)
        assert other.call("read_rows", reference=registered["reference"])["returned"] == 2
