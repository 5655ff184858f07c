from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.limits import CLOCK_LEEWAY_SECONDS
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.runtime.tokens import AccessTokens
from tests.support.builders import a_caller, a_keyring

NOW = datetime.now(UTC)
HOUR = timedelta(hours=1)


def tokens(keyring: Keyring | None = None, stack: str = "session-datasets") -> AccessTokens:
    return AccessTokens(lambda: keyring or a_keyring(), stack)


def issued(by: AccessTokens | None = None, issued_at: datetime = NOW, lifetime: timedelta = HOUR) -> str:
    return (by or tokens()).issue(a_caller(run_id="run-1"), issued_at=issued_at, expires_at=issued_at + lifetime)


def refused_code(token: Any) -> ProblemCode:
    with pytest.raises(Refusal) as refused:
        tokens().caller_of(token)
    return refused.value.problem.code


def forged(
    key: str = "current-secret-of-thirty-two-bytes!!!", headers: dict[str, str] | None = None, **claims: Any
) -> str:
    genuine = jwt.decode(issued(), options={"verify_signature": False})
    changed = {name: value for name, value in {**genuine, **claims}.items() if value is not None}
    return jwt.encode(changed, key, algorithm="HS256", headers=headers or {"kid": "k1", "typ": "at+jwt"})


def test_the_caller_comes_out_as_it_went_in() -> None:
    assert tokens().caller_of(issued()) == a_caller(run_id="run-1")


def test_claims_are_named_as_in_rfc_9068() -> None:
    claims = jwt.decode(issued(), options={"verify_signature": False})
    assert {"iss", "exp", "aud", "sub", "client_id", "iat", "jti", "scope"} <= set(claims)
    assert jwt.get_unverified_header(issued())["typ"] == "at+jwt"


def test_none_is_missing() -> None:
    assert refused_code(None) is ProblemCode.TOKEN_MISSING
    assert refused_code("") is ProblemCode.TOKEN_MISSING


def test_an_expired_one_is_expired() -> None:
    past = NOW - HOUR - timedelta(seconds=CLOCK_LEEWAY_SECONDS + 5)
    assert refused_code(issued(issued_at=past)) is ProblemCode.TOKEN_EXPIRED


def test_a_rotated_key_still_opens_what_the_previous_one_signed() -> None:
    old = a_keyring(previous=True).previous
    assert old is not None
    assert tokens(a_keyring(previous=True)).caller_of(issued(tokens(Keyring(old)))).owner == "acme"


def test_after_the_second_rotation_it_no_longer_does() -> None:
    assert refused_code(issued(tokens(Keyring(SigningKey("k-1", "older-secret-of-thirty-two-bytes!!!!!!"))))) is (
        ProblemCode.TOKEN_INVALID
    )


NOT_OURS = {
    "another key": forged(key="another-secret-of-thirty-two-bytes!!!"),
    "another type": forged(headers={"kid": "k1", "typ": "JWT"}),
    "an unknown kid": forged(headers={"kid": "k9", "typ": "at+jwt"}),
    "another audience": forged(aud="another-stack"),
    "another issuer": forged(iss="another-stack"),
    "owner with a slash": forged(sub="a/b"),
    "owner with a hash": forged(sub="a#b"),
    "dots as session": forged(sid=".."),
    "no owner": forged(sub=None),
    "no expiry": forged(exp=None),
    "no such verb": forged(scope="no_such_verb"),
    "a number as conversation": forged(conversation_id=7),
    "unsigned": jwt.encode({"sub": "acme"}, "", algorithm="none", headers={"kid": "k1", "typ": "at+jwt"}),
    "another stack": issued(tokens(stack="another-stack")),
    "one letter": "x",
    "three dots": "a.b.c",
    "not ascii": "ä.ö.ü",
    "half a surrogate": "\ud800",
    "far too long": "x" * 100_000,
}


@pytest.mark.parametrize("token", NOT_OURS.values(), ids=list(NOT_OURS))
def test_forged_foreign_and_broken_ones_are_refused_alike(token: str) -> None:
    assert refused_code(token) is ProblemCode.TOKEN_INVALID


def test_no_token_ever_allows_opening_sessions() -> None:
    caller = tokens().caller_of(forged(scope=" ".join([*NODE_VERBS, Verb.OPEN_SESSION])))
    assert caller.verbs == frozenset(NODE_VERBS)


def test_a_token_that_is_known_is_not_checked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    checking, token = tokens(), issued()
    assert checking.caller_of(token) == a_caller(run_id="run-1")
    monkeypatch.setattr(jwt, "decode", lambda *_, **__: pytest.fail("checked anew"))
    assert checking.caller_of(token) == a_caller(run_id="run-1")


def test_a_known_token_expires_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # Over by less than clocks may differ, by however much of it this run has taken so far.
    monkeypatch.setattr("session_datasets.runtime.tokens.CLOCK_LEEWAY_SECONDS", HOUR.total_seconds() * 10)
    token = issued(issued_at=NOW - HOUR - timedelta(minutes=1))
    checking = tokens()
    checking.caller_of(token)
    monkeypatch.setattr("session_datasets.runtime.tokens.CLOCK_LEEWAY_SECONDS", 0)
    with pytest.raises(Refusal) as refused:
        checking.caller_of(token)
    assert refused.value.problem.code is ProblemCode.TOKEN_EXPIRED


def test_a_known_token_ends_with_its_key() -> None:
    ring, token = [a_keyring()], issued()
    checking = AccessTokens(lambda: ring[0], "session-datasets")
    checking.caller_of(token)
    ring[0] = Keyring(SigningKey(a_keyring().current.kid, "another-secret-of-thirty-two-bytes!!!"))
    with pytest.raises(Refusal) as refused:
        checking.caller_of(token)
    assert refused.value.problem.code is ProblemCode.TOKEN_INVALID


def test_a_changed_copy_of_a_known_token_is_not_known() -> None:
    checking, token = tokens(), issued()
    checking.caller_of(token)
    head, _, signature = token.rpartition(".")
    with pytest.raises(Refusal) as refused:
        checking.caller_of(f"{head}.{signature[::-1]}")
    assert refused.value.problem.code is ProblemCode.TOKEN_INVALID


def test_the_tokens_that_are_known_stay_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("session_datasets.runtime.tokens._KNOWN_MAX", 2)
    checking = tokens()
    for _ in range(4):
        checking.caller_of(issued())
    assert len(checking._known) == 2
