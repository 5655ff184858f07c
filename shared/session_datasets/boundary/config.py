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

    Callbacks, stores, checkpointers and all other handles stay behind. The result shares nothing with ``config``.
    """
    config = config or {}
    kept: dict[str, Any] = {}
    if tags := [str(tag) for tag in config.get("tags") or () if not looks_like_a_credential("", str(tag))]:
        kept["tags"] = tags
    for name in ("run_name", "run_id"):
        if config.get(name) is not None and not looks_like_a_credential("", text := str(config[name])):
            kept[name] = text
    limit = config.get("recursion_limit")
    if type(limit) is int:
        kept["recursion_limit"] = limit
    for name in ("metadata", "configurable"):
        if safe := _crossing(config.get(name)):
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


def _crossing(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        return {}
    kept = {}
    for key, value in given.items():
        if type(key) is str and not key.startswith("__"):
            try:
                kept[key] = _json_of(key, value, 1)
            except _StaysBehindError:
                continue
    return kept


class _StaysBehindError(Exception):
    pass


def _json_of(key: str, value: Any, depth: int) -> Any:
    """A copy of ``value``. One part that is no JSON, or a credential in a list, keeps the whole entry behind; a
    credential under a key of its own is left out."""
    if depth > _DEPTH_MAX or looks_like_a_credential(key, value):
        raise _StaysBehindError
    kind = type(value)
    if value is None or kind in (bool, int, str) or (kind is float and math.isfinite(value)):
        return value
    if kind in (list, tuple):
        return [_json_of("", each, depth + 1) for each in value]
    if kind is dict and all(type(name) is str for name in value):
        return {
            name: _json_of(name, each, depth + 1)
            for name, each in value.items()
            if not looks_like_a_credential(name, each)
        }
    raise _StaysBehindError


def _uuid_of(text: str) -> UUID | str:
    try:
        return UUID(text)
    except ValueError:
        return text
