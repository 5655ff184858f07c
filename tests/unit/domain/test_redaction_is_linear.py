"""A text is read in linear time: by the form of the patterns, and by megabytes on which another takes minutes."""

from __future__ import annotations

import re
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from session_datasets.domain import internal_names, secret_patterns
from session_datasets.domain.internal_names import without_internal_names
from session_datasets.domain.redaction import redact

PATTERNS: dict[str, re.Pattern[str]] = {
    f"{room.__name__.rpartition('.')[2]}-{name}": pattern
    for room in (secret_patterns, internal_names)
    for name, pattern in room.compiled()._asdict().items()
}
# Each begins what a pattern looks for, and never ends it. That of a key takes all behind it, so it is the last.
BEGINNINGS = [
    *("a", "a:", "a://", "://", "@", "u:p@h ", "password=", 'password="', 'password=\\"', "password={", "--token "),
    *("password='\\", "token%3D", "eyJ", "eyJaaaa.", "sk-", "Bearer ", "\\", '"'),
    *("identified by ", "create user x ", "password  '", "://<", '://"x', "''", "password=''", "password={}}"),
    *("a/", "@h:15", "a/b@h:1521 ", "12:30@", "token: expected ", "signature = ", "SG.", "SG.0123456789.", "ya29."),
    *("&a", "AKIA", " ", "=", "a=b ", "x-amz-", "arn:aws:s3:", "a.amazonaws.com", "account ", "s3://", "\n"),
    *(
        "password=[",
        "password=['",
        "password=(x'\n",
        "password  ",
        "PASSWORD $q$",
        "password\n",
        "password:\n  ",
        "a;b=",
    ),
    *("password:\n  - x\n", 'password=["a', "('password', ", "cookie: a=b;", "curl -u a:b ", "-u a:", "<password>"),
    *("password: str | ", "password=[[", "api key", "to x identified by ", "sqlplus a/b@", '"password" , value', "%22"),
    *("Authorization: a ", "password=\\'[", "password: |\n  x\n", "hooks.slack.com/services/", "basic aaaaaa "),
    "-----BEGIN PRIVATE KEY-----",
]
# A run of so many characters takes a pattern that is tried anew at each of them minutes: 3 * 10 ** 10 steps.
RUN_CHARACTERS = 250_000
RUNS = 4


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


@pytest.mark.parametrize("name", PATTERNS)
def test_no_repeat_of_a_pattern_is_ever_tried_another_way(name: str) -> None:
    pattern = PATTERNS[name]
    kinds = {kind for kind, _ in unbounded_repeats(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG))}
    assert kinds <= {"POSSESSIVE_REPEAT"}


def test_the_walk_over_a_pattern_sees_the_repeats_that_it_is_to_find() -> None:
    assert unbounded_repeats(parser.parse(r"x(?:a+|b{3,}+)*")) == [
        ("MAX_REPEAT", False),
        ("MAX_REPEAT", True),
        ("POSSESSIVE_REPEAT", True),
    ]


# No measure of time: linear, it is done in a second.
@pytest.mark.timeout(30)
@pytest.mark.parametrize("first", range(0, len(BEGINNINGS), RUNS))
def test_a_megabyte_of_beginnings_is_read_in_linear_time(first: int) -> None:
    runs = [(unit * RUN_CHARACTERS)[:RUN_CHARACTERS] for unit in BEGINNINGS[first : first + RUNS]]
    text = "\n".join([*runs, "DB_PASSWORD=hunter2\n"])
    assert "hunter2" not in redact(without_internal_names(text))
