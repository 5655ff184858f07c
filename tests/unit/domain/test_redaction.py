"""Secrets leave no text; useful words stay in it."""

from __future__ import annotations

import re
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain import redaction
from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from session_datasets.domain.redaction import CUT_MARK, redact, redacted_and_cut, without_internal_names

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n7bq9==\n-----END RSA PRIVATE KEY-----"

# text -> the same without its secret
SECRETS = {
    "password in a URL": ("postgres://ana:hunter2@db:5432/x", "postgres://***@db:5432/x"),
    "password with a slash in a URL": ("mysql://ana:hun/ter2@db/x", "mysql://***@db/x"),
    "password with an @ in a URL": ("mysql://u:p@ss/w@host/db", "mysql://***@host/db"),
    "password with a question mark in a URL": ("mysql://u:hun?ter#2@host/db", "mysql://***@host/db"),
    "token as the user of a URL": ("https://hunter2@host/a?b=c@d", "https://***@host/a?b=c@d"),
    "user and password without a scheme": ("connect to ana:hunter2@db now", "connect to ana:***@db now"),
    "password with @ and / without a scheme": ("ana:p@ss/w@db", "ana:***@db"),
    "bearer": ("Authorization: Bearer hunter2.x", "Authorization: Bearer ***"),
    "basic": ("authorization: basic YW5hOmh1bnRlcjI=", "authorization: basic ***"),
    "authorization in JSON": ('{"Authorization": "Bearer hunter2"}', '{"Authorization": "***"}'),
    "authorization in a list of headers": (
        "[('Authorization', 'Bearer hunter2')]",
        "[('Authorization', 'Bearer ***')]",
    ),
    "bearer without its header": ("sent Bearer hunter2-7 twice", "sent Bearer *** twice"),
    "key id": ("user AKIAIOSFODNN7EXAMPLE said", "user *** said"),
    "key id of a session": ("user ASIAIOSFODNN7EXAMPLE said", "user *** said"),
    "secret key": (f"aws_secret_access_key={SECRET_KEY}", "aws_secret_access_key=***"),
    "secret key of a file": (f"aws_secret_access_key = {SECRET_KEY}\n", "aws_secret_access_key = ***\n"),
    "DB_PASSWORD": ("DB_PASSWORD=hunter2 python", "DB_PASSWORD=*** python"),
    "PGPASSWORD": ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
    "access_token": ("access_token=hunter2&limit=5", "access_token=***&limit=5"),
    "session_token": ("session_token: hunter2", "session_token: ***"),
    "JSON": ('{"password": "hunter2", "user": "ana"}', '{"password": "***", "user": "ana"}'),
    "JSON with a quote": (r'{"password": "hun\"ter2", "a": 1}', '{"password": "***", "a": 1}'),
    "JSON in JSON": (r"{\"password\": \"hun\\\"ter2\", \"a\": 1}", r"{\"password\": \"***\", \"a\": 1}"),
    "JSON in an object named secret": ('{"secret": {"password": "hunter2"}}', '{"secret": {"password": "***"}}'),
    "Python": ("{'password': 'hunter2', 'user': 'ana'}", "{'password': '***', 'user': 'ana'}"),
    "camel case": ('{"clientSecret":"hunter2","a":1}', '{"clientSecret":"***","a":1}'),
    "SQL": ("WHERE password = 'hunter2' AND id = 7", "WHERE password = '***' AND id = 7"),
    "ODBC": ("PWD={hun;ter2};Database=x", "PWD={***};Database=x"),
    "command line": ("tool --password hunter2 --verbose", "tool --password *** --verbose"),
    "call": ("connect(user=ana, password=hunter2)", "connect(user=ana, password=***)"),
    "special characters": ("password=hun&ter,2;x rest", "password=*** rest"),
    "nested in a text": ("dsn='host=db password=hunter2'", "dsn='host=db password=***'"),
    "X-Amz-Signature": ("https://h/k?X-Amz-Signature=0a1b&x=1", "https://h/k?X-Amz-Signature=***&x=1"),
    "X-Amz-Credential": ("https://h/k?X-Amz-Credential=ana%2F2026&x=1", "https://h/k?X-Amz-Credential=***&x=1"),
    "X-Amz-Security-Token": (
        "https://h/k?X-Amz-Security-Token=IQoJ%2F&x=1",
        "https://h/k?X-Amz-Security-Token=***&x=1",
    ),
    "header of AWS": ("x-amz-security-token: IQoJb3JpZ2luX2VjEA", "x-amz-security-token: ***"),
    "quoted URL": ("next=%3FX-Amz-Signature%3D0a1b2c", "next=%3FX-Amz-Signature%3D***"),
    "signature of a header": ("AWS4-HMAC-SHA256 Credential=ana/x, Signature=0a1b", None),
    "session token of AWS": ("got IQoJb3JpZ2luX2VjEAAaCXVzLWVhc3QtMSJI then", "got *** then"),
    "our access token": (f"sent {JWT} twice", "sent *** twice"),
    "our access token as a field": (f'{{"token": "{JWT}", "v": 1}}', '{"token": "***", "v": 1}'),
    "private key": (f"read {PRIVATE_KEY} there", None),
    "private key in JSON": ("-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----", None),
    "private key cut off": ("-----BEGIN EC PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "-----BEGIN EC PRIVATE KEY-----***"),
    "key of a service": ("use ghp_0123456789abcdefghij0123456789abcdef now", "use *** now"),
    "passcode": ("passcode=hunter2 x", "passcode=*** x"),
    "key of a storage account": (
        "AccountName=a;AccountKey=hunter2/abc==;EndpointSuffix=x",
        "AccountName=a;AccountKey=***;EndpointSuffix=x",
    ),
    "key of encryption": ("encryption_key=hunter2", "encryption_key=***"),
    "role of SQL": ("CREATE ROLE x WITH PASSWORD 'hunter2';", "CREATE ROLE x WITH PASSWORD '***';"),
    "role of SQL in JSON": (
        r"{\"q\": \"ALTER USER x PASSWORD 'hunter2'\"}",
        r"{\"q\": \"ALTER USER x PASSWORD '***'\"}",
    ),
    "user of SQL": ("CREATE USER x IDENTIFIED BY 'hunter2'", "CREATE USER x IDENTIFIED BY '***'"),
    "user of SQL over lines": ("create user x\nidentified by\n  'hunter2'", "create user x\nidentified by\n  '***'"),
    "user of SQL with a plugin": (
        "CREATE USER x IDENTIFIED WITH caching_sha2 BY 'hunter2'",
        "CREATE USER x IDENTIFIED WITH caching_sha2 BY '***'",
    ),
    "user of SQL without quotes": ("ALTER USER x IDENTIFIED BY hunter2;", "ALTER USER x IDENTIFIED BY ***;"),
    "user and password of Oracle": ("scott/hunter2@dbhost:1521/orcl", "scott/***@dbhost:1521/orcl"),
    "user and password of Oracle with //": ("sqlplus scott/hunter2@//dbhost/orcl", "sqlplus scott/***@//dbhost/orcl"),
    **{
        f"password with {mark} in a URL": (f"see postgres://ana:hun{mark}ter2@db/x.", "see postgres://***@db/x.")
        for mark in ("<", ">", "`", '"', "'", "<>", '"<')
    },
    "password with a doubled quote": ("password='a''hunter2' AND id=7", "password='***' AND id=7"),
    "password with a doubled double quote": ('password="a""hunter2" id=7', 'password="***" id=7'),
    "ODBC with a doubled brace": ("PWD={a}}hunter2};Database=x", "PWD={***};Database=x"),
    "ODBC with another bracket": ("PWD={a)b]hunter2};Database=x", "PWD={***};Database=x"),
    "key of a model": ("use sk-ant-api03-0123456789abcdefghij now", "use *** now"),
}
MARKED = [
    *("dapi0123456789abcdef0123456789abcdef", "ya29.a0AfH6SMB_0123456789", "GOCSPX-0123456789abcdefghij"),
    *("hf_0123456789abcdefghijABCDEFGHIJ", "glpat-0123456789abcdefghij", "sk_live_0123456789abcdef"),
    *("rk_test_0123456789abcdef", "npm_0123456789abcdefghijABCDEFGHIJ012345", "hvs.CAESI0123456789abcdef"),
    *("SG.0123456789abcdefghij.0123456789abcdefghij", "ghp_0123456789abcdefghij0123456789abcdef"),
]
HIDDEN = ("hunter2", "ter2", "p@ss", "ss/w", "0a1b", "IQoJ", "AKIA", "ASIA", "wJalr", "YW5h", "MIIE", "eyJ", "ana%2F")


@pytest.mark.parametrize("case", SECRETS)
def test_a_secret_leaves_the_text(case: str) -> None:
    text, expected = SECRETS[case]
    redacted = redact(text)
    assert not [part for part in HIDDEN if part in redacted]
    assert redaction.MASK in redacted
    if expected is not None:
        assert redacted == expected


@pytest.mark.parametrize("key", MARKED)
@pytest.mark.parametrize("form", ["{}", "use {} now", '{{"k": "{}"}}', "({}).", "k={}&x=1"])
def test_a_key_with_its_makers_mark_leaves_the_text(key: str, form: str) -> None:
    assert redact(form.format(key)) == form.format(redaction.MASK)


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


@pytest.mark.parametrize("name", [*redaction._SECRET_NAMES, *redaction._SECRET_PARAMETERS])
@pytest.mark.parametrize("form", ["{}=hunter2", "MY_{}=hunter2", "?my-{}=hunter2&x=1", "{}%3Dhunter2"])
def test_every_name_of_a_secret_is_known_in_any_case(name: str, form: str) -> None:
    assert "hunter2" not in redact(form.format(name))
    assert "hunter2" not in redact(form.format(name.upper()))


@pytest.mark.parametrize("code", ProblemCode)
def test_what_every_problem_says_stays(code: ProblemCode) -> None:
    kind = PROBLEM_KINDS[code]
    assert redact(f"{kind.title} {kind.advice}") == f"{kind.title} {kind.advice}"
    assert without_internal_names(kind.advice) == kind.advice


PIECES = st.sampled_from(
    [
        *("password", "token", "Authorization", "X-Amz-Signature", "secret", "pass", "--token", "sig", "signature"),
        *("<", ">", "`", "identified by ", "password '", "''", '""', "}}", "={", "create user x identified by "),
        *("scott/", "@h:1521", "12:30@", " where ", "near ", "expected ", "column ", *MARKED[:3], "SG."),
        *("=", ":", "%3D", "=>", " ", "\n", "\t", '"', "'", "\\", "&", ";", ",", "@", "://", "/", "?", "{", "}", "["),
        *("]", "(", ")", "***", "-", ".", "u:p@h", "Bearer ", "Basic ", "AKIAIOSFODNN7EXAMPLE", JWT, "eyJ", "none"),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "x", "unexpected ", "mailto:", "arn:aws:s3:::b"),
        *("acme/conversations/a/datasets/b", "b.s3.amazonaws.com", "account 123456789012", "s3://b/k"),
    ]
)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_it_is_idempotent(text: str) -> None:
    redacted = redact(text)
    assert redact(redacted) == redacted


@given(st.text())
def test_it_is_idempotent_on_any_text(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@given(st.lists(PIECES, max_size=14).map("".join))
def test_taking_internal_names_out_is_idempotent(text: str) -> None:
    assert without_internal_names(without_internal_names(text)) == without_internal_names(text)


@given(st.text(), st.from_regex(r"[A-Za-z0-9+/@!#%^*_~-]{8,40}Zq9", fullmatch=True), st.integers(0, 60))
def test_no_cut_leaves_a_piece_of_a_secret(before: str, secret: str, max_chars: int) -> None:
    shown = redacted_and_cut(f"{before}\nDB_PASSWORD={secret} tail", len(before) + max_chars)
    assert secret[3:] not in shown
    assert f"PASSWORD={secret[:3]}" not in shown


def test_text_of_exactly_the_most_characters_is_not_cut() -> None:
    assert redacted_and_cut("x" * 2_000, 2_000) == "x" * 2_000


def test_one_character_more_is_cut_with_a_mark() -> None:
    assert redacted_and_cut("x" * 2_001, 2_000) == "x" * 2_000 + CUT_MARK


def test_of_huge_text_only_the_beginning_is_read_and_no_secret_is_cut_in_two() -> None:
    secret = "hunter2" * 30_000
    for text in (f"mysql://ana:{secret}@host", f"DB_PASSWORD={secret}", f'{{"password": "{secret} x"}}', secret):
        shown = redacted_and_cut(f"begin {text} end " + "x " * 100_000, 2_000)
        assert shown.startswith("begin ")
        assert shown.endswith(CUT_MARK)
        assert "hunter2" not in shown


def test_huge_text_without_a_blank_is_not_shown_at_all() -> None:
    assert redacted_and_cut("x" * 1_000_000, 2_000) == redaction.MASK + CUT_MARK


def test_it_is_redacted_before_it_is_cut() -> None:
    text = "mysql://ana:hunter2@host"
    for max_chars in range(len(text)):
        assert "hun" not in redacted_and_cut(text, max_chars)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "User: arn:aws:sts::123456789012:assumed-role/fn/x is not authorized on arn:aws:s3:::acme-data/k.csv",
            "User: arn:aws:sts:*** is not authorized on arn:aws:s3:***",
        ),
        ("GET https://acme-data.s3.eu-west-1.amazonaws.com/k?x=1 failed", "GET https://***.amazonaws.com failed"),
        ("Could not connect to sts.cn-north-1.amazonaws.com.cn", "Could not connect to ***.amazonaws.com.cn"),
        ("no s3://acme-data/k.csv there", "no s3://*** there"),
        ("account 123456789012 and AccountId: '123456789012'", "account *** and AccountId: '***'"),
        ("no key acme/conversations/talk-1/datasets/a.csv", "no key ***"),
        ("no key acme/runs/run-1/ses_1/docs/a.txt", "no key ***"),
        ("no key _derived/acme/runs/run-1/art_1/rows", "no key ***"),
        ("No such file: '/home/ana/runs/a.csv'", "No such file: '/home/ana/runs/a.csv'"),
        ("123456789012 rows", "123456789012 rows"),
    ],
)
def test_what_the_account_calls_its_things_stays_inside(text: str, expected: str) -> None:
    assert without_internal_names(text) == expected


# --- linear time: by the form of the patterns, and by texts of 1 MB on which a quadratic one would take hours


def unbounded_repeats(tree: Any, inside: bool = False) -> list[tuple[str, bool]]:
    """(kind, whether it lies within another unbounded one) of every repeat of a parsed pattern without an upper end."""
    found: list[tuple[str, bool]] = []
    for operator, argument in tree:
        name, deeper = str(operator), inside
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[1] is parser.MAXREPEAT:
            found.append((name, inside))
            deeper = True
        for part in argument if isinstance(argument, tuple | list) else [argument]:
            for branch in part if isinstance(part, list) else [part]:
                if isinstance(branch, parser.SubPattern):
                    found += unbounded_repeats(branch, deeper)
    return found


@pytest.mark.parametrize("name", redaction._Patterns._fields)
def test_no_repeat_of_a_pattern_is_ever_tried_another_way(name: str) -> None:
    pattern: re.Pattern[str] = getattr(redaction._patterns(), name)
    kinds = {kind for kind, _ in unbounded_repeats(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))}
    assert kinds <= {"POSSESSIVE_REPEAT"}


def test_the_walk_over_a_pattern_sees_the_repeats_that_it_is_to_find() -> None:
    assert unbounded_repeats(parser.parse(r"x(?:a+|b{3,}+)*")) == [
        ("MAX_REPEAT", False),
        ("MAX_REPEAT", True),
        ("POSSESSIVE_REPEAT", True),
    ]


@pytest.mark.parametrize(
    "unit",
    [
        *("a", "a:", "a://", "://", "@", "u:p@h ", "password=", 'password="', 'password=\\"', "password={", "--token "),
        *("password='\\", "token%3D", "eyJ", "eyJaaaa.", "sk-", "Bearer ", "-----BEGIN PRIVATE KEY-----", "\\", '"'),
        *("identified by ", "create user x ", "password  '", "://<", '://"x', "''", "password=''", "password={}}"),
        *("a/", "@h:15", "a/b@h:1521 ", "12:30@", "token: expected ", "signature = ", "SG.", "SG.0123456789.", "ya29."),
        *("&a", "AKIA", " ", "=", "a=b ", "x-amz-", "arn:aws:s3:", "a.amazonaws.com", "account ", "s3://", "\n"),
    ],
)
def test_a_megabyte_of_beginnings_is_read_in_linear_time(unit: str) -> None:
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000] + "\nDB_PASSWORD=hunter2\n"
    assert "hunter2" not in redact(without_internal_names(text))
