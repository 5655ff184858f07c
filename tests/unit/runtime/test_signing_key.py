from __future__ import annotations

import json

import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.runtime.signing_key import SecretKeyring, parsed_keyring


class Fetching:
    """A secret that changes, and counts who asks; ``now`` is the clock beside it."""

    def __init__(self) -> None:
        self.kid = "k1"
        self.fetched = 0
        self.now = 0.0
        self.keyring = SecretKeyring(self.fetch, lambda: self.now)

    def fetch(self) -> str:
        self.fetched += 1
        return json.dumps({"kid": self.kid, "key": "s"})


def test_a_secret_as_the_stack_generates_it_holds_one_key() -> None:
    assert parsed_keyring({"kid": "k1", "key": "s"}) == Keyring(SigningKey("k1", "s"))


def test_a_rotated_secret_holds_the_previous_key_as_well() -> None:
    secret = {"current": {"kid": "k2", "key": "t"}, "previous": {"kid": "k1", "key": "s"}}
    assert parsed_keyring(secret) == Keyring(SigningKey("k2", "t"), SigningKey("k1", "s"))


def test_a_key_never_shows_in_a_repr() -> None:
    assert "hush" not in repr(Keyring(SigningKey("k1", "hush")))


def test_a_keyring_is_fetched_when_it_is_first_asked_for_and_then_held() -> None:
    secret = Fetching()
    assert secret.fetched == 0
    assert [secret.keyring() for _ in range(3)] == [Keyring(SigningKey("k1", "s"))] * 3
    assert secret.fetched == 1


def test_a_rotated_key_is_known_after_five_minutes() -> None:
    secret = Fetching()
    secret.keyring()
    secret.kid, secret.now = "k2", 299.0
    assert secret.keyring().current.kid == "k1"
    secret.now = 300.0
    assert secret.keyring().current.kid == "k2"
    assert secret.fetched == 2


def test_a_keyring_is_fetched_anew_when_the_clock_was_set_back() -> None:
    secret = Fetching()
    secret.now = 1_000.0
    secret.keyring()
    secret.kid, secret.now = "k2", 500.0
    assert secret.keyring().current.kid == "k2"


def test_an_old_key_is_not_good_for_longer_because_the_new_one_can_not_be_fetched() -> None:
    failing = False

    def fetch() -> str:
        if failing:
            raise Refusal(ProblemCode.UNAVAILABLE, "not now")
        return json.dumps({"kid": "k1", "key": "s"})

    now = 0.0
    keyring = SecretKeyring(fetch, lambda: now)
    keyring()
    failing, now = True, 300.0
    with pytest.raises(Refusal, match="not now"):
        keyring()
