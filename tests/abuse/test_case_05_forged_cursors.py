"""A listing's cursor is edited, forged, used by another caller or with another filter.

Refused as invalid-cursor with the advice to start again: a cursor is signed for one session and one query, and neither
passes for the other kind of signed thing that the service hands out.
"""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import jwt
import pytest

from tests.support.moto_cloud import KEYRING, MotoCloud
from tests.support.sessions import Opened, Session, problem_code

CLAIMS = {"aud": "session-datasets/cursor", "sub": "0" * 64, "pos": "art_7zzzzzzzzzzzzzzzzzzzzzzzzz"}


@pytest.fixture
def cursor(node: Session) -> str:
    return cursor_of(node)


def cursor_of(session: Session, **query: Any) -> str:
    for number in range(3):
        session.register(f"f{number}.csv", name=f"Table {number}")
    return str(session.call("list_artifacts", limit=1, **query)["next_cursor"])


def require_refused(session: Session, cursor: object, **query: Any) -> None:
    refused = session.call("list_artifacts", limit=1, cursor=cursor, **query)
    assert problem_code(refused) == "invalid-cursor"
    assert refused["problem"]["advice"].startswith("Start the listing again without a cursor")


def test_untouched_it_leads_on(node: Session, cursor: str) -> None:
    assert len(node.call("list_artifacts", limit=1, cursor=cursor)["artifacts"]) == 1


def test_any_changed_or_missing_character_is_noticed(cloud: MotoCloud, node: Session, cursor: str) -> None:
    with cloud.failing_when_asked():
        for place in range(len(cursor)):
            other = "A" if cursor[place] != "A" else "g"
            require_refused(node, cursor[:place] + other + cursor[place + 1 :])
        for keep in range(0, len(cursor), 7):
            require_refused(node, cursor[:keep])


def resigned(cursor: str, key: str | None, algorithm: str, **changes: Any) -> str:
    claims = jwt.decode(cursor, options={"verify_signature": False})
    header = {"kid": KEYRING.current.kid}
    return jwt.encode({**claims, **changes}, key, algorithm=algorithm, headers=header)


def test_a_forged_signature_is_refused(node: Session, cursor: str) -> None:
    require_refused(node, resigned(cursor, None, "none"))
    require_refused(node, resigned(cursor, "k" * 32, "HS256"))
    require_refused(node, resigned(cursor, KEYRING.current.secret, "HS512"))


def test_another_position_needs_the_key(node: Session, cursor: str) -> None:
    head, body, signature = cursor.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    changed = base64.urlsafe_b64encode(json.dumps({**claims, "pos": CLAIMS["pos"]}).encode()).decode().rstrip("=")
    require_refused(node, f"{head}.{changed}.{signature}")


def test_an_access_token_is_no_cursor_and_a_cursor_no_token(cloud: MotoCloud, node: Session, cursor: str) -> None:
    require_refused(node, node.token)
    assert problem_code(cloud.call("list_artifacts", {"token": cursor})) == "token-invalid"


@pytest.mark.parametrize("noise", ["", " ", ".", "..", "a.b.c", "null", "\0", "ü" * 50, "e30.e30.", "x" * 4_096])
def test_noise_is_refused(node: Session, noise: str) -> None:
    require_refused(node, noise)


@pytest.mark.parametrize("cursor", [7, ["x"], {}, True, "x" * 4_097], ids=lambda value: str(value)[:10])
def test_what_can_be_no_cursor_breaks_a_rule_of_the_body(node: Session, cursor: object) -> None:
    assert problem_code(node.call("list_artifacts", cursor=cursor)) == "invalid-request"


@pytest.mark.parametrize(
    "other",
    [{"run_id": "run-1"}, {"run_id": "run-2"}, {"owner": "other", "run_id": "run-1"}, {"conversation_id": "run-1"}],
    ids=["the same run", "another run", "another owner", "a conversation"],
)
def test_another_session_can_not_use_it(opened: Opened, cursor: str, other: dict[str, str]) -> None:
    require_refused(opened(**other), cursor)


QUERIES: list[dict[str, Any]] = [
    {},
    {"scope": "session"},
    {"kind": "table"},
    {"name_contains": "Table"},
    {"name_contains": "table"},
    {"scope": "session", "kind": "table"},
]


def test_another_query_can_not_use_it(node: Session) -> None:
    cursors = [cursor_of(node, **query) for query in QUERIES]
    for place, cursor in enumerate(cursors):
        for other, query in enumerate(QUERIES):
            if other != place:
                require_refused(node, cursor, **query)


def test_another_limit_is_no_other_query(node: Session, cursor: str) -> None:
    assert len(node.call("list_artifacts", limit=2, cursor=cursor)["artifacts"]) == 2


def test_what_it_tells_is_a_position_and_whose_it_is(node: Session, cursor: str) -> None:
    claims = jwt.decode(cursor, options={"verify_signature": False})
    assert sorted(claims) == ["aud", "pos", "sub"]
    assert claims["pos"] in node.listed()
    assert "acme" not in base64.urlsafe_b64decode(cursor.split(".")[1] + "==").decode()


def test_the_key_of_one_deployment_opens_no_cursor_of_another(moto_server: str, node: Session) -> None:
    from session_datasets.domain.keyring import Keyring, SigningKey

    elsewhere = MotoCloud(moto_server, Keyring(SigningKey("test", str(time.time_ns()) * 2)))
    require_refused(node, cursor_of(Session.open(elsewhere, run_id="run-1")))


def test_deployed_functions_refuse_it_edited_and_from_another_session(opened_there: Opened) -> None:
    node, other = opened_there(), opened_there()
    cursor = cursor_of(node)
    assert len(node.call("list_artifacts", limit=1, cursor=cursor)["artifacts"]) == 1
    require_refused(other, cursor)
    require_refused(node, cursor[:-2] + ("A" if cursor[-2] != "A" else "g") + cursor[-1])
    require_refused(node, cursor, kind="table")
