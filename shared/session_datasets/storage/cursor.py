"""Cursors of listings: a signed position that is good for one session and one query."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping

import jwt

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring
from session_datasets.domain.profile import JsonValue
from session_datasets.domain.scope import Caller

_ALGORITHM = "HS256"
# Keeps a cursor from ever passing for an access token, which has an audience of its own.
_AUDIENCE = "session-datasets/cursor"


class SignedCursors:
    """``operations.ports.Cursors``: JWTs under the service's signing key."""

    def __init__(self, keyring: Callable[[], Keyring]) -> None:
        self._keyring = keyring

    def seal(self, caller: Caller, query: Mapping[str, JsonValue], position: str) -> str:
        key = self._keyring().current
        claims = {"aud": _AUDIENCE, "sub": _bound_to(caller, query), "pos": position}
        return jwt.encode(claims, key.secret, algorithm=_ALGORITHM, headers={"kid": key.kid})

    def open(self, caller: Caller, query: Mapping[str, JsonValue], cursor: str) -> str:
        try:
            key = self._keyring().find(jwt.get_unverified_header(cursor).get("kid"))
            claims = jwt.decode(cursor, key.secret, algorithms=[_ALGORITHM], audience=_AUDIENCE) if key else {}
        except (jwt.InvalidTokenError, UnicodeError):
            claims = {}
        if claims.get("sub") != _bound_to(caller, query):
            raise Refusal(
                ProblemCode.INVALID_CURSOR,
                "The cursor was not made for this session and these filters; nothing was listed.",
            )
        return str(claims["pos"])


def _bound_to(caller: Caller, query: Mapping[str, JsonValue]) -> str:
    bound = json.dumps([caller.owner, caller.session_id, dict(query)], sort_keys=True)
    return hashlib.sha256(bound.encode()).hexdigest()
