"""No token, an expired, a forged and a foreign one: one refusal each, and no store is touched."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.runtime.tokens import AccessTokens
from tests.support.builders import a_caller
from tests.support.moto_cloud import KEYRING, STACK, MotoCloud
from tests.support.sessions import Opened, problem_code, without_request_id

HOUR = timedelta(hours=1)


def a_token(keyring: Keyring = KEYRING, stack: str = STACK, since: timedelta = timedelta(0), **caller: Any) -> str:
    issued_at = datetime.now(UTC) - since
    return AccessTokens(lambda: keyring, stack).issue(
        a_caller(**caller), issued_at=issued_at, expires_at=issued_at + HOUR
    )


REFUSED = {
    "missing": ({}, "token-missing"),
    "null": ({"token": None}, "token-missing"),
    "not a text": ({"token": 7}, "token-missing"),
    "expired": ({"token": a_token(since=2 * HOUR)}, "token-expired"),
    "forged": ({"token": a_token(Keyring(SigningKey("test", "f" * 32)))}, "token-invalid"),
    "foreign": ({"token": a_token(stack="another-stack")}, "token-invalid"),
}


@pytest.mark.parametrize("verb", NODE_VERBS)
@pytest.mark.parametrize(("body", "code"), REFUSED.values(), ids=list(REFUSED))
def test_is_refused_before_any_store_is_touched(cloud: MotoCloud, verb: Verb, body: dict[str, Any], code: str) -> None:
    with cloud.failing_when_asked():
        assert problem_code(cloud.call(verb, body)) == code


def test_forged_and_foreign_are_refused_in_the_same_words(cloud: MotoCloud) -> None:
    answers = [cloud.call("list_artifacts", REFUSED[which][0]) for which in ("forged", "foreign")]
    assert without_request_id(answers[0]) == without_request_id(answers[1])


def test_a_stranger_learns_nothing_of_the_rules_of_a_body(cloud: MotoCloud) -> None:
    assert problem_code(cloud.call("read_rows", {"offset": -1})) == "token-missing"


def test_a_verb_that_the_session_was_not_given_is_refused(opened: Opened) -> None:
    reader = opened(verbs=["list_artifacts"])
    assert problem_code(reader.call("register_artifact", key="k", name="n")) == "verb-not-allowed"


@pytest.mark.parametrize("version", [2, 0, "1", True, None])
def test_an_unknown_major_version_is_refused_with_advice(cloud: MotoCloud, version: object) -> None:
    answer = cloud.call("list_artifacts", {"v": version})
    assert problem_code(answer) == "unsupported-version"
    assert '"v": 1' in answer["problem"]["advice"]


def test_unknown_fields_are_ignored(opened: Opened) -> None:
    assert opened().call("list_artifacts", owner="other", later="field")["artifacts"] == []


@pytest.mark.parametrize("body", [None, [], "text", 7])
def test_a_body_that_is_no_object_is_refused(cloud: MotoCloud, body: object) -> None:
    assert problem_code(cloud.call("list_artifacts", body)) == "invalid-request"


@pytest.mark.parametrize("half", ["\ud800", "a\udfffb"])
def test_text_that_no_answer_could_quote_is_refused(opened: Opened, half: str) -> None:
    session = opened()
    answer = session.call("read_rows", reference=session.register()["reference"], columns=[half])
    assert problem_code(answer) == "invalid-request"
    json.dumps(answer, ensure_ascii=False).encode()
