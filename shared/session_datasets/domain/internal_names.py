"""What an account calls its things, out of text for a reader outside: ARNs, buckets, hosts, account ids, keys."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from session_datasets.domain.names import CONVERSATIONS_SEGMENT, DERIVED_PREFIX, RUNS_SEGMENT
from session_datasets.domain.redaction import MASK


class Patterns(NamedTuple):
    arn: re.Pattern[str]
    host: re.Pattern[str]
    account: re.Pattern[str]
    word: re.Pattern[str]


@cache
def compiled() -> Patterns:
    """Compiled when the first text comes. They never try another way either (``domain.secret_patterns``)."""
    return Patterns(
        arn=re.compile(r"(arn:aws[a-z-]*+:[a-z0-9-]*+:)[^\s\"'<>`,;)\]}]++"),
        host=re.compile(
            r"(?<![\w.-])[\w-][\w.-]*+(?:(?<=(\.amazonaws\.com))|(?<=(\.amazonaws\.com\.cn)))(?:[/:?][^\s\"'<>`]*+)?"
        ),
        account=re.compile(r"(account(?:[ _-]?id)?[\"']?[ \t]*+[:=#]?[ \t]*+[\"']?)\d{12}(?!\d)", re.IGNORECASE),
        word=re.compile(r"[^\s\"<>`]++"),
    )


def without_internal_names(text: str) -> str:
    """``text`` without what the account calls its things: ARNs, buckets, AWS hosts, account ids, keys of workspaces.

    For the text of an exception that nobody wrote for a reader outside; a log keeps these names, its reader needs them.
    """
    patterns = compiled()
    text = patterns.arn.sub(rf"\1{MASK}", text)
    text = patterns.host.sub(_without_host, text)
    text = patterns.account.sub(rf"\1{MASK}", text)
    return patterns.word.sub(_without_key, text)


def _without_host(found: re.Match[str]) -> str:
    return MASK + (found[1] or found[2])


def _without_key(found: re.Match[str]) -> str:
    word = found[0]
    start = word.lower().find("s3://")
    if start >= 0:
        return word[: start + len("s3://")] + MASK
    in_workspace = any(f"/{segment}/" in word for segment in (CONVERSATIONS_SEGMENT, RUNS_SEGMENT))
    in_folder = any(f"/{folder}/" in word for folder in ("datasets", "docs"))
    return MASK if f"{DERIVED_PREFIX}/" in word or (in_workspace and in_folder) else word
