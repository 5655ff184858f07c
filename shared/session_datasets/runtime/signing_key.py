"""The keyring in Secrets Manager, cached for a few minutes so that a rotation reaches every function soon."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from session_datasets.domain.keyring import Keyring, SigningKey

_CACHED_SECONDS = 300


class SecretKeyring:
    """The keyring in the text that ``fetch`` gets; fetched at most once in _CACHED_SECONDS.

    ``seconds`` is the time of day, which goes on while a function sleeps: a key that was taken out meanwhile is no
    longer good at its next call.
    """

    def __init__(self, fetch: Callable[[], str], seconds: Callable[[], float] = time.time) -> None:
        self._fetch = fetch
        self._seconds = seconds
        self._fetched_at = float("-inf")
        self._keyring: Keyring | None = None

    def __call__(self) -> Keyring:
        """Raises what ``fetch`` raises, also when an older keyring is known: it may be one that was revoked."""
        # A clock that was set back makes it older, not younger.
        if self._keyring is None or not 0 <= self._seconds() - self._fetched_at < _CACHED_SECONDS:
            self._keyring = parsed_keyring(json.loads(self._fetch()))
            self._fetched_at = self._seconds()
        return self._keyring


def parsed_keyring(secret: Mapping[str, Any]) -> Keyring:
    """``{"kid", "key"}`` as the stack generates it, or ``{"current": {…}, "previous": {…}}`` after a rotation."""
    if "current" not in secret:
        return Keyring(_parsed_key(secret))
    previous = secret.get("previous")
    return Keyring(_parsed_key(secret["current"]), _parsed_key(previous) if previous else None)


def _parsed_key(entry: Mapping[str, Any]) -> SigningKey:
    return SigningKey(kid=str(entry["kid"]), secret=str(entry["key"]))
