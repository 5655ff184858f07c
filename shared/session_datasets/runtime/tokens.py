"""Access tokens: signed, expiring JWTs whose claims are named as in RFC 9068 (JWT profile for access tokens).

``sub`` is the owner, ``client_id`` the node, ``scope`` the verbs it may use, ``sid`` (OpenID Connect) the session;
``conversation_id`` and ``run_id`` are this product's own. A caller is built from these claims and nothing else.
"""

from __future__ import annotations

import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import jwt

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.limits import CLOCK_LEEWAY_SECONDS
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.scope import Caller, checked_id

_ALGORITHM = "HS256"
_TYPE = "at+jwt"
_REQUIRED = ["iss", "aud", "sub", "client_id", "exp", "iat", "jti", "scope", "sid"]
# Tokens that a process knows to be right: to check one anew takes a tenth of a page's time.
_KNOWN_MAX = 256
# Far above any real token; what is longer is refused before it is decoded.
_CHARACTERS_MAX = 4_096


@dataclass(frozen=True, slots=True)
class _Known:
    """A token whose signature and claims were found to be right: what may change since is its key and the time."""

    caller: Caller
    key: SigningKey
    issued_at: int
    expires_at: int

    def is_good(self, keyring: Keyring) -> bool:
        now = time.time()
        in_time = self.issued_at - CLOCK_LEEWAY_SECONDS <= now < self.expires_at + CLOCK_LEEWAY_SECONDS
        return in_time and keyring.find(self.key.kid) == self.key


class AccessTokens:
    """``operations.ports.TokenIssuer``, and the check of what it issued. Tokens are good for one stack only."""

    def __init__(self, keyring: Callable[[], Keyring], stack: str) -> None:
        self._keyring = keyring
        self._stack = stack
        self._known: OrderedDict[str, _Known] = OrderedDict()

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
        known = self._known.get(token)
        if known is not None and known.is_good(self._keyring()):
            return known.caller
        try:
            return self._checked(token)
        except jwt.ExpiredSignatureError as error:
            raise Refusal(ProblemCode.TOKEN_EXPIRED, "The session of this token is over; nothing was done.") from error
        except (jwt.InvalidTokenError, Refusal, ValueError, TypeError) as error:
            raise _invalid() from error

    def _checked(self, token: str) -> Caller:
        if len(token) > _CHARACTERS_MAX:
            raise jwt.InvalidTokenError("too long")
        header = jwt.get_unverified_header(token)
        key = self._keyring().find(header.get("kid"))
        if key is None or header.get("typ") != _TYPE:
            raise jwt.InvalidTokenError("not a token of this service")
        claims = self._claims(token, key)
        caller = _caller(claims)
        self._known[token] = _Known(caller, key, int(claims["iat"]), int(claims["exp"]))
        while len(self._known) > _KNOWN_MAX:
            # Another thread may have made room already.
            with suppress(KeyError):
                self._known.popitem(last=False)
        return caller

    def _claims(self, token: str, key: SigningKey) -> dict[str, Any]:
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
