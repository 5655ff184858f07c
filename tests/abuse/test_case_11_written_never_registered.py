"""A file is written and never registered.

It is nobody's artifact: never listed, paged or loaded, whatever a reference says of it. It is a node's own scratch, so
the service does not delete it either; and a later registration finds it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.contents import keys
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"
VERBS: dict[str, dict[str, Any]] = {
    "describe_artifact": {},
    "load_artifact": {},
    "read_rows": {},
    "read_columns": {"columns": ["a"]},
}


def made_up(node: Session, key: str) -> list[dict[str, Any]]:
    """References to the file that its writer might try."""
    known = "art_01jg00000000000000000000zz"
    return [
        {"artifact_id": known, "session_id": node.session_id, "key": key},
        {"artifact_id": known, "key": key, "version_id": "null"},
        {"key": key},
        {"artifact_id": key},
    ]


@pytest.mark.parametrize("verb", VERBS)
def test_no_reference_leads_to_it(node: Session, verb: str) -> None:
    key = node.put("scratch.csv", BODY)
    codes = [problem_code(node.call(verb, reference=each, **VERBS[verb])) for each in made_up(node, key)]
    assert codes == ["not-found", "not-found", "invalid-request", "invalid-request"]


@pytest.mark.parametrize("scope", ["session", "run"])
def test_no_listing_shows_it(node: Session, opened: Opened, scope: str) -> None:
    node.put("scratch.csv", BODY)
    assert node.listed(scope=scope) == []
    assert opened(run_id="run-1").listed(scope=scope) == []


def test_what_others_do_beside_it_leaves_it_alone(cloud: MotoCloud, node: Session) -> None:
    key = node.put("scratch.csv", BODY)
    reference = node.register("other.csv", BODY)["reference"]
    node.call("load_artifact", reference=reference, into="workspace")
    node.call("register_artifact", key=node.put("bad.csv", b""), name="refused")
    assert key in keys(cloud)
    assert cloud.s3.get_object(Bucket=cloud.bucket, Key=key)["Body"].read() == BODY


def test_a_refused_registration_leaves_the_file_for_another_try(cloud: MotoCloud, node: Session) -> None:
    key = node.put("scratch.csv", BODY)
    assert problem_code(node.call("register_artifact", key=key, name="n", rows=99)) == "rows-mismatch"
    assert node.listed() == []
    assert node.call("register_artifact", key=key, name="n", rows=2)["created"] is True


def test_deployed_functions_know_it_when_it_is_registered_and_not_before(node_there: Session) -> None:
    key = node_there.put("scratch.csv", BODY)
    assert node_there.listed() == []
    for verb, more in VERBS.items():
        assert problem_code(node_there.call(verb, reference=made_up(node_there, key)[0], **more)) == "not-found"
    registered = node_there.call("register_artifact", key=key, name="at last")
    assert node_there.listed() == [registered["artifact_id"]]
    assert node_there.call("read_rows", reference=registered["reference"])["rows"] == [[1, "x"], [2, "y"]]
