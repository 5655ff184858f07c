"""The part of a LangChain ``RunnableConfig`` that may cross into an activity, and a config made of it there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any
from uuid import UUID

from session_datasets.domain.redaction import redact

_DEPTH_MAX = 32
# Words of a key: apiKey, api_key, API-KEY and x.api.key are all ("api", "key").
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET_WORDS = frozenset(
    {
        "apikey", "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "creds", "dsn",
        "jwt", "passphrase", "passwd", "password", "passwords", "pgpassword", "pwd", "secret", "secrets", "signature",
        "token",
    }
)  # fmt: skip
_SECRET_PAIRS = frozenset(
    {("api", "key"), ("access", "key"), ("private", "key"), ("signing", "key"), ("secret", "key")}
)
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
        if config.get(name) is not None:
            kept[name] = str(config[name])
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
    """By the words of the key, or by the looks of a text."""
    words = [word.lower() for word in _WORD.findall(key)]
    if any(pair in _SECRET_PAIRS for pair in pairwise(words)):
        return True
    secret = _SECRET_WORDS.intersection(words)
    if secret and not (secret == {"token"} and _OPEN_TOKENS.intersection(words)):
        return True
    return isinstance(value, str) and redact(value) != value


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
