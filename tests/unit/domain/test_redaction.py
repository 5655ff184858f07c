"""Secrets leave no text; useful words stay in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain import secret_words
from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from session_datasets.domain.redaction import MASK, redact
from tests.unit.domain.secrets_in_texts import GOING_ON, HIDDEN, HIDING, MARKED, PIECES, SECRETS, SURROUNDED


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_leaves_the_text(case: str) -> None:
    text, expected = SECRETS[case]
    redacted = redact(text)
    assert not [part for part in HIDDEN if part in redacted]
    assert MASK in redacted
    if expected is not None:
        assert redacted == expected


@pytest.mark.parametrize("form", SURROUNDED)
@pytest.mark.parametrize("around", ["{}", "x {} y", "(at {})"])
def test_a_secret_leaves_every_form_in_which_it_is_given(form: str, around: str) -> None:
    text = around.replace("{}", form)
    assert redact(text.replace("{}", HIDING)) == text.replace("{}", MASK)
    assert redact(text.replace("{}", MASK)) == text.replace("{}", MASK)


@pytest.mark.parametrize("text", GOING_ON)
def test_no_part_of_a_secret_is_left_behind_a_first_end(text: str) -> None:
    assert redact(text) == GOING_ON[text]
    assert redact(GOING_ON[text]) == GOING_ON[text]


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
        'export SESSION_DATASETS_MCP_TOKEN="$(openssl rand -hex 32)"',
        "export SESSION_DATASETS_MCP_TOKEN=...",
        "let clients send it as their bearer token.",
        "or basic syntax. Or basic usage. Basic-auth is",
        "Basic SELECT statement",
        "Basic Economics",
        "basic query-plan",
        "the basic 2024-report",
        "password: Optional[str] = None",
        "where signature = 'abc'",
        "and signature = 'abc'",
        "Bearer authentication, Bearer-auth: see bearer tokens/keys.",
        "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
        "invalid token ';'",
        "syntax error at token 'col_1'",
        'secrets "my-secret" not found',
        'secret "db-creds-v2" not found',
        'CREATE SECRET "my_s" (TYPE s3)',
        "DROP SECRET my2s",
        '{"password": {"type": "string", "description": "of the user"}}',
        '{"token": {"count": 5, "mean": 3.5}}',
        "WHERE password = %s AND token = ?",
        "password = :password",
        "password=${DB_PASSWORD} token=$TOKEN",
        '{"columns": ["password", "name"]}',
        "columns=('password', 'name')",
        "column_name IN ('password', 'name')",
        "[('password', 'object'), ('id', 'int64')]",
        'primary_key: 5, sort_key=abc, cache_key: x1, foreign_key="id"',
        "first_pass: done, pass: 5, fail: 2",
        '{"pass": true}',
        "passwords: 3, api_keys=2",
        "cookie: accepted, cookies: 5",
        "password:\n    The password of the user.\n",
        "password:\n  type: string\n  minLength: 8",
        "docker run -u app:app x",
        "sort -u a:b",
        "rows are identified by id",
        "grants access to users identified by id",
        "get_secret('prod/db')",
        "COMMENT ON COLUMN t.password IS 'of the user'",
        "the password in 'users.csv'",
        "<password/>",
        "<token>string</token>",
        "actions/checkout@v4",
        "signature: f(x)",
        "credentials: see the docs",
        "Check the credentials: they may have expired.",
        "SELECT password, token FROM t GROUP BY token ORDER BY password",
        "password: SecretStr",
        "session_key: joined twice",
        "the token (from open_session)",
        "API key: missing",
        "Authorization: header is missing",
        "GRANT SELECT ON t TO ana",
        "def f(password: str, user: str = 'ana')",
        "token=<your token>",
        "count(token), max(password)",
        "token IS NULL AND password LIKE other",
        "basic queryPlan",
        "Secret key: see above",
        "self.password = password",
        "usage: tool [--password PASSWORD] [--token TOKEN] [--api-key API_KEY]",
        'names = ["password", "x1"]',
        'pass the token ("session_token") in the header',
        'SELECT token AS "t1", password "p" FROM t',
        'The cookie "sid7" was set',
        "1 validation error for Login\npassword\n  Field required [type=missing, input_value={'user': 'ana'}]",
        '{"column": "password", "dtype": "string", "nulls": 3}',
        '{"token_type": "Bearer", "expires_in": 3600}',
        "sort_key = \"abc12\", primary key 'id7'",
        "steps:\n  - token: string",
        "Secrets:\n  are kept elsewhere",
        "<th>password</th>",
        "the columns 'password', 'token' and 'secret' are text",
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
