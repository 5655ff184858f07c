"""Access tokens: signed, expiring JWTs whose claims are named as in RFC 9068 (JWT profile for access tokens).

``sub`` is the owner, ``client_id`` the node, ``scope`` the verbs it may use, ``sid`` (OpenID Connect) the session;
``conversation_id`` and ``run_id`` are this product's own. A caller is built from these claims and nothing else.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import jwt

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring
from session_datasets.domain.limits import CLOCK_LEEWAY_SECONDS
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.scope import Caller, checked_id

_ALGORITHM = "HS256"
_TYPE = "at+jwt"
_REQUIRED = ["iss", "aud", "sub", "client_id", "exp", "iat", "jti", "scope", "sid"]
# Far above any real token; what is longer is refused before it is decoded.
_CHARACTERS_MAX = 4_096


class AccessTokens:
    """``operations.ports.TokenIssuer``, and the check of what it issued. Tokens are good for one stack only."""

    def __init__(self, keyring: Callable[[], Keyring], stack: str) -> None:
        self._keyring = keyring
        self._stack = stack

    def issue(self, caller: Caller, *, issued_at: datetime, expires_at: datetime) -> str:
        key = self._keyring().current
        claims = {
            "iss": self._stack,
            "aud": self._stack,
            "sub": caller.owner,
            "client_id": caller.node,
            "sid": caller.session_id,
            "scope": " ".join(sorted(caller.verbs)),
            "iat": int(issued_at.timestamp()),
            "exp": int(expires_at.timestamp()),
            "jti": uuid.uuid4().hex,
        }
        if caller.conversation_id is not None:
            claims["conversation_id"] = caller.conversation_id
        if caller.run_id is not None:
            claims["run_id"] = caller.run_id
        return jwt.encode(claims, key.secret, algorithm=_ALGORITHM, headers={"kid": key.kid, "typ": _TYPE})

    def caller_of(self, token: str | None) -> Caller:
        """Who holds the token. Refusal token-missing, token-expired or token-invalid; a forged token and one of
        another stack are refused alike."""
        if not token:
            raise Refusal(ProblemCode.TOKEN_MISSING, "The request carries no access token; nothing was done.")
        try:
            return _caller(self._claims(token))
        except jwt.ExpiredSignatureError as error:
            raise Refusal(ProblemCode.TOKEN_EXPIRED, "The session of this token is over; nothing was done.") from error
        except (jwt.InvalidTokenError, Refusal, ValueError, TypeError) as error:
            raise _invalid() from error

    def _claims(self, token: str) -> dict[str, Any]:
        if len(token) > _CHARACTERS_MAX:
            raise jwt.InvalidTokenError("too long")
        header = jwt.get_unverified_header(token)
        key = self._keyring().find(header.get("kid"))
        if key is None or header.get("typ") != _TYPE:
            raise jwt.InvalidTokenError("not a token of this service")
        claims: dict[str, Any] = jwt.decode(
            token,
            key.secret,
            algorithms=[_ALGORITHM],
            audience=self._stack,
            issuer=self._stack,
            leeway=CLOCK_LEEWAY_SECONDS,
            options={"require": _REQUIRED},
        )
        return claims


def _caller(claims: dict[str, Any]) -> Caller:
    def optional(name: str) -> str | None:
        return checked_id(name, claims[name]) if name in claims else None

    return Caller(
        owner=checked_id("sub", claims["sub"]),
        session_id=checked_id("sid", claims["sid"]),
        node=checked_id("client_id", claims["client_id"]),
        conversation_id=optional("conversation_id"),
        run_id=optional("run_id"),
        verbs=frozenset(Verb(name) for name in claims["scope"].split()) & frozenset(NODE_VERBS),
    )


def _invalid() -> Refusal:
    return Refusal(
        ProblemCode.TOKEN_INVALID,
        "The access token was not issued by this deployment, or was changed; nothing was done.",
    )
