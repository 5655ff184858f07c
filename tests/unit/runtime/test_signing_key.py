from __future__ import annotations

from unittest.mock import patch

import pytest
from aws_lambda_powertools.utilities import parameters

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.runtime.signing_key import keyring_from_secret, parsed_keyring


def test_a_secret_as_the_stack_generates_it_holds_one_key() -> None:
    assert parsed_keyring({"kid": "k1", "key": "s"}) == Keyring(SigningKey("k1", "s"))


def test_a_rotated_secret_holds_the_previous_key_as_well() -> None:
    secret = {"current": {"kid": "k2", "key": "t"}, "previous": {"kid": "k1", "key": "s"}}
    assert parsed_keyring(secret) == Keyring(SigningKey("k2", "t"), SigningKey("k1", "s"))


def test_a_key_never_shows_in_a_repr() -> None:
    assert "hush" not in repr(Keyring(SigningKey("k1", "hush")))


def test_a_key_that_can_not_be_fetched_now_is_worth_another_try() -> None:
    with (
        patch.object(parameters, "get_secret", side_effect=parameters.GetParameterError("throttled")),
        pytest.raises(Refusal) as refused,
    ):
        keyring_from_secret("arn:key")
    assert refused.value.problem.code is ProblemCode.UNAVAILABLE
