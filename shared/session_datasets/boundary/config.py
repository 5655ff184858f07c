"""The part of a LangChain ``RunnableConfig`` that may cross into an activity, and a config made of it there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from uuid import UUID

from session_datasets.domain.redaction import redact
from session_datasets.domain.secret_words import likely_names_a_secret, names_a_secret

_DEPTH_MAX = 32
# Of tags, metadata and configurable together, each part as often as it occurs: each is judged, and a config is small.
_VALUES_MAX = 10_000
# More digits than these Python refuses to print.
_INT_BITS_MAX = 1_024
# Words of a key: apiKey, api_key, API-KEY and x.api.key are all ("api", "key").
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    {
        "auth", "bearer", "cookie", "cookies", "credential", "credentials", "creds", "dsn", "jwt", "pass", "secret",
        "secrets", "signature", "token",
    }
)  # fmt: skip
# Of a key whatever its words are parted by, or by nothing; what ends a name of redaction's is known beside these.
_SECRET_ENDS = ("credential", "credentials", "creds", "cookie", "cookies", "accesskeyid", "connectionstring", "jwt")
_PASS = "pass"
_NO_PASSWORD = ("bypass", "compass", "encompass", "overpass", "surpass", "trespass", "underpass")
_SECRET_PAIRS = frozenset(
    {("api", "key"), ("access", "key"), ("private", "key"), ("signing", "key"), ("secret", "key"), ("account", "key")}
)
_SECRET_ANYWHERE = ("password", "passwd", "passphrase", "apikey", "authorization", "pwd")
# Tokens that open nothing: token_count, max_token, next_page_token.
_OPEN_TOKENS = frozenset(
    {
        "budget", "continuation", "count", "counts", "idempotency", "limit", "max", "min", "next", "page", "per",
        "request", "total", "usage", "used",
    }
)  # fmt: skip


def strip_runnable_config(config: Mapping[str, Any] | None) -> dict[str, Any]:
    """JSON of ``tags``, ``run_name``, ``run_id``, ``recursion_limit``, and of ``metadata`` and ``configurable`` what is
    JSON, has a key without two leading underscores, and looks like no credential; ``{}`` for none.

    Callbacks, stores, checkpointers and all other handles stay behind. So do tags and names that are no texts, texts
    that UTF-8 cannot spell, and every entry with which it would be more than 10,000 values. The result shares nothing
    with ``config``.
    """
    config = config or {}
    crossing = _Crossing()
    kept: dict[str, Any] = {}
    if tags := crossing.tags(config.get("tags")):
        kept["tags"] = tags
    for name in ("run_name", "run_id"):
        if (text := _text_of(config.get(name))) is not None and not looks_like_a_credential("", text):
            kept[name] = text
    limit = config.get("recursion_limit")
    if type(limit) is int and limit.bit_length() <= _INT_BITS_MAX:
        kept["recursion_limit"] = limit
    for name in ("configurable", "metadata"):
        if safe := crossing.entries(config.get(name)):
            kept[name] = safe
    return kept


def rebuild_runnable_config(data: Mapping[str, Any] | None) -> dict[str, Any]:
    """A config of what was kept, which may be passed as a ``RunnableConfig``. The same rules are applied once more, so
    what an older or foreign program sent gains nothing here; ``run_id`` is a UUID again where it is one."""
    config = strip_runnable_config(data)
    if "run_id" in config:
        config["run_id"] = _uuid_of(config["run_id"])
    config.setdefault("metadata", {})
    return config


def looks_like_a_credential(key: str, value: Any = None) -> bool:
    """By the words of the key, by how it ends, or by the looks of a text, be it the key's own."""
    words = [word.lower() for word in _WORD.findall(key)]
    if any(pair in _SECRET_PAIRS for pair in pairwise(words)) or _is_secret_without_words(words):
        return True
    secret = _SECRET_WORDS.intersection(words)
    if secret and not (secret == {"token"} and _OPEN_TOKENS.intersection(words)):
        return True
    return any(isinstance(text, str) and redact(text) != text for text in (key, value))


def _is_secret_without_words(words: list[str]) -> bool:
    """Of accesstoken, userpass and apiKeys, which no capital parts."""
    if any(word.startswith(_SECRET_ANYWHERE) for word in words):
        return True
    joined = "".join(words)
    if joined.endswith(_SECRET_ENDS) or (joined.endswith(_PASS) and not joined.endswith(_NO_PASSWORD)):
        return True
    is_open = joined.endswith("token") and (
        joined.removesuffix("token") in _OPEN_TOKENS or bool(_OPEN_TOKENS.intersection(words))
    )
    return likely_names_a_secret(joined) or (names_a_secret(joined) and not is_open)


def _text_of(given: Any) -> str | None:
    """A text's or a UUID's. What any other object says of itself may have its address, which a replay has anew."""
    if isinstance(given, UUID):
        return str(given)
    return str.__str__(given) if isinstance(given, str) and _is_utf8(given) else None


def _is_utf8(text: str) -> bool:
    # Half a surrogate pair is a text of Python's, and none of JSON's readers'.
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


class _Crossing:
    """What is kept of one config, within one number of values."""

    def __init__(self) -> None:
        self._left = _VALUES_MAX

    def tags(self, given: Any) -> list[str]:
        if not isinstance(given, list | tuple) or len(given) > self._left:
            return []
        self._left -= len(given)
        texts = [_text_of(tag) for tag in given]
        return [tag for tag in texts if tag is not None and not looks_like_a_credential("", tag)]

    def entries(self, given: Any) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        if not isinstance(given, Mapping):
            return kept
        for key, value in given.items():
            if type(key) is str and not key.startswith("__") and (count := _values_in(value, self._left)) is not None:
                try:
                    kept[key] = _json_of(key, value, 1)
                    self._left -= count
                except _StaysBehindError:
                    continue
        return kept


def _values_in(value: Any, most: int) -> int | None:
    """How many values are spelled out for it, parts that it shares with itself each time; None for more than ``most``,
    found out in as many steps, even where it has no end."""
    ahead, count = [value], 0
    while ahead:
        if count + len(ahead) > most:
            return None
        each = ahead.pop()
        count += 1
        if type(each) in (list, tuple, dict):
            if len(each) > most:
                return None
            ahead.extend(each.values() if type(each) is dict else each)
    return count


class _StaysBehindError(Exception):
    pass


def _json_of(key: str, value: Any, depth: int) -> Any:
    """A copy of ``value``. One part that is no JSON, or a credential in a list, keeps the whole entry behind; a
    credential under a key of its own is left out."""
    if depth > _DEPTH_MAX or not _is_utf8(key) or looks_like_a_credential(key, value):
        raise _StaysBehindError
    kind = type(value)
    if value is None or kind is bool or _is_plain(value):
        return value
    if kind in (list, tuple):
        return [_json_of("", each, depth + 1) for each in value]
    if kind is dict and all(type(name) is str and _is_utf8(name) for name in value):
        return {
            name: _json_of(name, each, depth + 1)
            for name, each in value.items()
            if not looks_like_a_credential(name, each)
        }
    raise _StaysBehindError


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind is int:
        return bool(value.bit_length() <= _INT_BITS_MAX)
    return (kind is str and _is_utf8(value)) or (kind is float and math.isfinite(value))


def _uuid_of(text: str) -> UUID | str:
    try:
        return UUID(text)
    except ValueError:
        return text
