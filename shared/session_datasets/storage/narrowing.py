"""Credentials that are good for one caller: the stores are asked with these, never with the function's own.

A function's own role reaches no data. For each caller it puts on its verb's caller role, with the caller's owner,
session, conversation and run as session tags, and every grant of that role is narrowed to them by AWS. Who the caller
is stands in the context of the call, not in the arguments of the stores: an operation that names another owner by
mistake is still asking as its own caller, and is denied. Where no caller stands, nothing is asked at all.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from session_datasets.domain.limits import PRESIGNED_SECONDS
from session_datasets.domain.names import TAG_CONVERSATION, TAG_OWNER, TAG_RUN, TAG_SESSION
from session_datasets.domain.scope import Scope
from session_datasets.storage.signing import Keys

P = ParamSpec("P")
T = TypeVar("T")

# The longest that AWS gives to a role that puts on another.
_ROLE_SECONDS = 3_600
# A presigned URL ends with the credentials that signed it, so new ones are had in time for the longest URL.
_LEFT_SECONDS_MIN = PRESIGNED_SECONDS + 60
# Callers whose credentials are held, least recently used out first; a function serves one at a time.
_HELD = 256
_SESSION_NAME_CHARACTERS_MAX = 64

_acting_for: ContextVar[Scope | None] = ContextVar("acting_for", default=None)


class CredentialsUnavailable(Exception):
    """The caller's credentials could not be had; the call may be repeated."""


@dataclass(frozen=True, slots=True)
class Issued:
    """Credentials and when they end, in seconds since 1970."""

    keys: Keys
    expires_at: float


# Puts on a role for some seconds, under a session's name, with tags; raises CredentialsUnavailable.
PutOn = Callable[[str, int, str, dict[str, str]], Issued]


@contextmanager
def acting_for(scope: Scope) -> Iterator[None]:
    """While it lasts, stores are asked in the name of this owner, session, conversation and run."""
    outside = _acting_for.set(scope)
    try:
        yield
    finally:
        _acting_for.reset(outside)


def acting_scope() -> Scope | None:
    """In whose name stores are asked here: what a memory of their answers must be kept apart by."""
    return _acting_for.get()


class CallerKeys:
    """The keys of whoever is acted for, put on when they are first needed and held for their life.

    ``seconds`` is the time of day in seconds since 1970.
    """

    def __init__(self, role: str, put_on: PutOn, seconds: Callable[[], float] = time.time) -> None:
        self._role = role
        self._put_on = put_on
        self._seconds = seconds
        self._held: OrderedDict[Scope, Issued] = OrderedDict()
        # Threads of one call must not put on the role each for itself.
        self._lock = Lock()

    def __call__(self) -> Keys:
        """Raises CredentialsUnavailable, and RuntimeError where nobody is acted for."""
        scope = acting_scope()
        if scope is None:
            raise RuntimeError("A store was asked in nobody's name; nothing was sent.")
        with self._lock:
            issued = self._held.get(scope)
            if issued is None or issued.expires_at - self._seconds() < _LEFT_SECONDS_MIN:
                issued = self._held[scope] = self._put_on(
                    self._role, _ROLE_SECONDS, _session_name(scope), session_tags(scope)
                )
            self._held.move_to_end(scope)
            while len(self._held) > _HELD:
                self._held.popitem(last=False)
        return issued.keys


def session_tags(scope: Scope) -> dict[str, str]:
    """What the policies of a caller role know of the caller."""
    tags = {
        TAG_OWNER: scope.owner,
        TAG_SESSION: scope.session_id,
        TAG_CONVERSATION: scope.conversation_id,
        TAG_RUN: scope.run_id,
    }
    return {name: value for name, value in tags.items() if value is not None}


def _session_name(scope: Scope) -> str:
    """Tells an audit of the account whose session it was; every id is made of characters that AWS takes here."""
    return f"for-{scope.session_id}"[:_SESSION_NAME_CHARACTERS_MAX]


def put_on_with(sts: Any) -> PutOn:
    """By AssumeRole of this client."""

    def put_on(role: str, seconds: int, name: str, tags: dict[str, str]) -> Issued:
        try:
            issued = sts.assume_role(
                RoleArn=role,
                RoleSessionName=name,
                DurationSeconds=seconds,
                Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
            )["Credentials"]
        except (BotoCoreError, ClientError) as error:
            raise CredentialsUnavailable(f"{role} could not be put on") from error
        keys = Keys(issued["AccessKeyId"], issued["SecretAccessKey"], issued["SessionToken"])
        return Issued(keys, issued["Expiration"].timestamp())

    return put_on


class CarryingThreads(ThreadPoolExecutor):
    """Threads that act for whoever is acted for where work is given to them."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(partial(copy_context().run, fn, *args, **kwargs))


def boto_credentials(keys: Callable[[], Keys]) -> Any:
    """``keys`` as a client of boto3 takes credentials: looked up anew for each request that it signs."""
    from botocore.credentials import Credentials, ReadOnlyCredentials

    class Narrowed(Credentials):  # type: ignore[misc]  # botocore has no types
        def __init__(self) -> None:
            self.method = "caller-role"
            self.account_id = None

        def get_frozen_credentials(self) -> Any:
            now = keys()
            return ReadOnlyCredentials(now.access_key, now.secret_key, now.token)

    return Narrowed()
