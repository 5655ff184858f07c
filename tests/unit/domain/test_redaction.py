"""Secrets leave no text; useful words stay in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain import secret_words
from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from session_datasets.domain.redaction import MASK, redact
from tests.unit.domain.secrets_in_texts import HIDDEN, MARKED, PIECES, SECRETS


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_leaves_the_text(case: str) -> None:
    text, expected = SECRETS[case]
    redacted = redact(text)
    assert not [part for part in HIDDEN if part in redacted]
    assert MASK in redacted
    if expected is not None:
        assert redacted == expected


@pytest.mark.parametrize("key", MARKED)
@pytest.mark.parametrize("form", ["{}", "use {} now", '{{"k": "{}"}}', "({}).", "k={}&x=1"])
def test_a_key_with_its_makers_mark_leaves_the_text(key: str, form: str) -> None:
    assert redact(form.format(key)) == form.format(MASK)


@pytest.mark.parametrize("case", SECRETS)
def test_redacting_again_changes_nothing(case: str) -> None:
    redacted = redact(SECRETS[case][0])
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "The token budget of 200 is used up.",
        "tokens: 5, max_tokens=200, input_tokens: 17",
        "No column 'passwrod'. Did you mean 'password'?",
        "columns: id, password, name",
        '{"columns": ["id", "password", "name"]}',
        "SELECT password FROM users WHERE password IS NOT NULL",
        '{"password": "string", "token": null}',
        "def connect(password: str, token=None)",
        "syntax error, unexpected token: FROM",
        'unrecognized token: "@"',
        "next_token=abc, request_token: step-7, continuation-token: 9",
        "basic authentication with bearer tokens; Basic settings",
        "write to bob@example.com or mailto:bob@example.com",
        "git@github.com:org/repo.git",
        "https://example.com/@bob/post",
        "s3://bucket/key.csv?versionId=abc",
        "at 10:30 the signature: f(x) -> y was read",
        "Send the token that open_session gave to this session in the field 'token'.",
        "secretary=ana, passenger: bob, tokenizer=bpe",
        "-----BEGIN CERTIFICATE-----",
        "Clients send Authorization: Bearer.",
        "send it as Authorization: Bearer, or as 'Authorization: Basic'",
        "token: expected str, got int",
        "password: column not found",
        "secret: must not be empty; api_key: field required",
        "syntax error near token: ','",
        "mismatched token: '<EOF>'",
        "SELECT * FROM f WHERE signature = 'abc' AND signature = 'def'",
        "at time 12:30@utc and 07:05:59@berlin",
        "rows are identified by id, users identified by 7",
        "actions/checkout@v4, org/image@sha256:0123456789, me/x@main",
        '{"url":"http://h:80/x","mail":"bob@example.com"}',
        '<a href="http://h:80/x">mail bob@example.com</a>',
        "password='' AND user='ana'",
        '{"password":"","user":"ana"}',
        "glpat- hf_model npm_config sk_live SG.x.y dapi",
        "",
    ],
)
def test_useful_words_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("name", [*secret_words.SECRET_NAMES, *secret_words.SECRET_PARAMETERS])
@pytest.mark.parametrize("form", ["{}=hunter2", "MY_{}=hunter2", "?my-{}=hunter2&x=1", "{}%3Dhunter2"])
def test_every_name_of_a_secret_is_known_in_any_case(name: str, form: str) -> None:
    assert "hunter2" not in redact(form.format(name))
    assert "hunter2" not in redact(form.format(name.upper()))


@pytest.mark.parametrize("code", ProblemCode)
def test_what_every_problem_says_stays(code: ProblemCode) -> None:
    kind = PROBLEM_KINDS[code]
    assert redact(f"{kind.title} {kind.advice}") == f"{kind.title} {kind.advice}"


@given(st.lists(PIECES, max_size=14).map("".join))
def test_it_is_idempotent(text: str) -> None:
    redacted = redact(text)
    assert redact(redacted) == redacted


@given(st.text())
def test_it_is_idempotent_on_any_text(text: str) -> None:
    assert redact(redact(text)) == redact(text)
