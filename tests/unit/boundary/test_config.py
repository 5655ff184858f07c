"""The part of a RunnableConfig that crosses into an activity."""

from __future__ import annotations

import copy
import json
from enum import StrEnum
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary import config as config_module
from session_datasets.boundary.config import looks_like_a_credential, rebuild_runnable_config, strip_runnable_config
from session_datasets.domain import secret_words

RUN_ID = UUID("00000000-0000-4000-8000-000000000001")


def full_config() -> dict[str, Any]:
    return {
        "tags": ["a", "b"],
        "run_name": "node",
        "run_id": RUN_ID,
        "recursion_limit": 25,
        "max_concurrency": 4,
        "callbacks": [object()],
        "metadata": {"user": "ann", "depth": {"list": [1, 2.5, None, True]}, "handle": object(), "when": {1: 2}},
        "configurable": {"thread_id": "t-1", "__pregel_send": print, "__note": "x", "store": object(), "k": ("a", 1)},
        "store": object(),
    }


def test_what_is_kept_is_tags_names_limit_and_plain_metadata() -> None:
    assert strip_runnable_config(full_config()) == {
        "tags": ["a", "b"],
        "run_name": "node",
        "run_id": str(RUN_ID),
        "recursion_limit": 25,
        "metadata": {"user": "ann", "depth": {"list": [1, 2.5, None, True]}},
        "configurable": {"thread_id": "t-1", "k": ["a", 1]},
    }


def test_it_is_rebuilt_with_what_was_kept() -> None:
    stripped = json.loads(json.dumps(strip_runnable_config(full_config())))
    assert rebuild_runnable_config(stripped) == {**stripped, "run_id": RUN_ID}


def test_a_run_id_that_is_no_uuid_stays_a_text() -> None:
    assert rebuild_runnable_config({"run_id": "run-1"})["run_id"] == "run-1"


@pytest.mark.parametrize("empty", [None, {}], ids=["none", "empty"])
def test_an_empty_config_is_fine(empty: dict[str, Any] | None) -> None:
    assert strip_runnable_config(empty) == {}
    assert rebuild_runnable_config(empty) == {"metadata": {}}


def test_the_input_is_not_changed_and_not_shared() -> None:
    config = full_config()
    before = copy.copy(config)
    stripped = strip_runnable_config(config)
    stripped["metadata"]["depth"]["list"].append("new")
    stripped["tags"].append("new")
    assert config == before
    assert config["metadata"]["depth"]["list"] == [1, 2.5, None, True]
    assert config["tags"] == ["a", "b"]


CREDENTIALS = [
    "password", "DB_PASSWORD", "pgpassword", "api_key", "apiKey", "API-KEY", "openai.apiKey", "OPENAI_API_KEY",
    "x-api-key", "access_token", "sessionToken", "token", "client_secret", "aws_secret_access_key", "AWS_ACCESS_KEY_ID",
    "Authorization", "auth", "cookie", "Set-Cookie", "credentials", "private_key", "signing-key", "passphrase", "jwt",
    "dsn", "X-Amz-Signature", "bearer", "db.pwd", "dbpassword", "DBPASSWORD", "accesstoken", "refreshtoken", "apiKeys",
    "accessKeys", "pass", "userpass", "db_pass", "AccountKey", "account_key", "encryptionKey", "passcode", "passwords",
    "secrets", "clientsecrets", "accessTokens", "awsaccesskeyid", "connectionString", "password_hash", "authtoken",
    "pwds", "idToken", "openai_key", "OPENAI_KEY", "ssh_key", "sshKey", "session_key", "sessionKeys",
    "subscription_key", "authKey", "anthropicKey", "connection_string", "smtp_pass",
]  # fmt: skip
ORDINARY = [
    "max_tokens", "token_count", "token_budget", "total_token_usage", "next_page_token", "thread_id", "author",
    "primary_key", "keyboard", "secretary", "passenger", "langgraph_node", "checkpoint_ns", "monkey",
    "bypass", "compass", "sort_key", "cache_key", "partitionKey", "tokens", "maxTokens",
    "maxtoken", "nextpagetoken", "keys", "accounts", "passed",
]  # fmt: skip


@pytest.mark.parametrize("key", CREDENTIALS)
@pytest.mark.parametrize("place", ["metadata", "configurable"])
def test_a_key_that_names_a_credential_is_dropped(place: str, key: str) -> None:
    config = {place: {key: "x", "kept": 1, "inner": {"deep": {key: "x", "kept": 2}}}}
    assert strip_runnable_config(config) == {place: {"kept": 1, "inner": {"deep": {"kept": 2}}}}


@pytest.mark.parametrize("key", ORDINARY)
def test_a_key_that_only_resembles_one_is_kept(key: str) -> None:
    assert strip_runnable_config({"metadata": {key: "x"}}) == {"metadata": {key: "x"}}


@pytest.mark.parametrize(
    "value",
    [
        "postgres://ann:pw@db/x",
        "Bearer abcdefghijkl1234",
        "AKIAABCDEFGHIJKLMNOP",
        "https://b.s3.amazonaws.com/k?X-Amz-Signature=0123456789abcdef",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ],
    ids=["url", "bearer", "key id", "presigned", "private key"],
)
def test_a_value_that_looks_like_a_credential_is_dropped_whatever_its_key(value: str) -> None:
    config = {"metadata": {"note": value, "list": ["x", value], "kept": 1}, "tags": ["a", value]}
    assert strip_runnable_config(config) == {"metadata": {"kept": 1}, "tags": ["a"]}


@pytest.mark.parametrize("name", ["run_name", "run_id"])
def test_a_name_of_a_run_that_looks_like_a_credential_is_dropped(name: str) -> None:
    assert strip_runnable_config({name: "postgres://ann:pw@db/x", "tags": ["a"]}) == {"tags": ["a"]}
    assert rebuild_runnable_config({name: "Bearer abcdefghijkl1234"}) == {"metadata": {}}


def test_a_key_that_is_itself_a_credential_is_dropped() -> None:
    assert strip_runnable_config({"metadata": {"postgres://ann:pw@db/x": 1, "kept": 2}}) == {"metadata": {"kept": 2}}


@given(
    st.sampled_from(secret_words.SECRET_NAMES),
    st.sampled_from(["", "db", "my_", "x-", "User"]),
    st.sampled_from(["", "s"]),
    st.sampled_from([str.lower, str.upper, str.title]),
)
def test_every_name_that_redaction_knows_is_dropped_in_any_case(name: str, before: str, after: str, case: Any) -> None:
    key = case(before + name + after)
    assert looks_like_a_credential(key) == (not key.lower().endswith("tokens"))


def test_credentials_of_a_foreign_sender_are_dropped_on_arrival_too() -> None:
    assert rebuild_runnable_config({"metadata": {"api_key": "x"}, "callbacks": [1]}) == {"metadata": {}}


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), b"x", {1}, object()], ids=lambda each: type(each).__name__
)
def test_what_is_no_json_stays_behind(value: object) -> None:
    assert strip_runnable_config({"metadata": {"x": value, "y": [value], "kept": 1}}) == {"metadata": {"kept": 1}}


def test_a_value_that_holds_itself_stays_behind() -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    assert strip_runnable_config({"metadata": {"loop": loop, "kept": 1}}) == {"metadata": {"kept": 1}}


class Named(StrEnum):
    ONE = "one"


def test_tags_and_names_that_are_no_texts_stay_behind() -> None:
    given = [object(), 5, None, "a", Named.ONE, b"x"]
    assert strip_runnable_config({"tags": given, "run_name": object(), "run_id": 7}) == {"tags": ["a", "one"]}
    assert [type(tag) for tag in strip_runnable_config({"tags": given})["tags"]] == [str, str]
    assert strip_runnable_config({"tags": "abc"}) == {}


def test_an_object_is_never_asked_for_its_text() -> None:
    class Mute:
        def __str__(self) -> str:
            pytest.fail("it was asked")

    odd = Mute()
    assert strip_runnable_config({"tags": [odd], "run_name": odd, "run_id": odd, "metadata": {"x": odd}}) == {}


def test_a_text_that_utf8_cannot_spell_stays_behind() -> None:
    cut = "half \ud83d"
    config = {
        "tags": [cut, "a"], "run_name": cut, "run_id": cut, "configurable": {cut: 1, "k": 2},
        "metadata": {"x": cut, "y": [cut], "z": {cut: 1}, "smile": "\U0001f600"},
    }  # fmt: skip
    stripped = strip_runnable_config(config)
    assert stripped == {"tags": ["a"], "configurable": {"k": 2}, "metadata": {"smile": "\U0001f600"}}
    assert rebuild_runnable_config(stripped) == stripped


def test_a_number_that_python_does_not_print_stays_behind() -> None:
    assert strip_runnable_config({"recursion_limit": 10**5_000, "metadata": {"x": 10**5_000, "y": 2**64}}) == {
        "metadata": {"y": 2**64}
    }


def test_an_entry_of_too_many_values_stays_behind_unjudged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr(config_module, "redact", lambda text: judged.append(text) or text)
    shared: Any = ["x"]
    for _ in range(60):
        shared = [shared, shared]
    metadata = {"many": ["x"] * 1_000_000, "shared": shared, "kept": ["x"] * 9_000, "then": ["x"] * 9_000, "last": 1}
    stripped = strip_runnable_config({"metadata": metadata, "configurable": {"thread_id": "t"}})
    assert stripped == {"metadata": {"kept": ["x"] * 9_000, "last": 1}, "configurable": {"thread_id": "t"}}
    assert len(judged) < 20_000
    assert strip_runnable_config({"tags": ["x"] * 10_001}) == {}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from(["tags", "metadata", "configurable"]), st.dictionaries(st.text(), values)))
def test_a_stripped_config_is_json_and_stripping_it_again_changes_nothing(config: dict[str, Any]) -> None:
    stripped = strip_runnable_config(config)
    assert json.loads(json.dumps(stripped, allow_nan=False, ensure_ascii=False).encode()) == stripped
    assert strip_runnable_config(stripped) == stripped


@given(st.text(), st.text())
def test_any_key_and_value_can_be_judged(key: str, value: str) -> None:
    assert looks_like_a_credential(key, value) in (True, False)
