"""The time that a call has left, and what a request to AWS may take of it.

Lambda kills a function whose time is up, and its caller learns nothing. So the stores stop in time: no request begins
that might end after the answer is due, none takes more than half of what is left, so that another try fits, and what
does not fit is refused as unavailable. How long a call has, its door says; where none does, requests take what they
take. The time stands in the context of the call, as its caller does (``narrowing.py``), for every store and thread.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

# Seconds until a host that does not answer at all counts as gone, and without a byte from one that does.
CONNECT_SECONDS = 3
READ_SECONDS = 20
# What a refusal needs to be made, logged and answered.
_ANSWER_SECONDS = 1
# With as much left, a request that connects as slowly as it may and reads for half of the rest ends before the
# answer's own second does.
_REQUEST_SECONDS_MIN = 4
# For taking back what was begun: it is asked of a host that answered a moment ago.
_CLEARING_SECONDS_MIN = 0.5
# As botocore's standard mode waits where it is throttled: anything up to a second, then two, then four; and up to five
# more where the service asks for it.
_FIRST_WAIT_SECONDS = 1
_ASKED_FOR_SECONDS_MAX = 5
_ASKS_FOR_MORE = "x-amz-retry-after"


class OutOfTime(Exception):
    """The call has no time for another request; it may be repeated."""


@dataclass(frozen=True, slots=True)
class _Deadline:
    """``ends`` by the monotonic clock; ``needed`` for one more request, in seconds."""

    ends: float
    needed: float


_NONE = _Deadline(math.inf, 0)
_deadline: ContextVar[_Deadline] = ContextVar("deadline", default=_NONE)


@contextmanager
def answering_within(seconds: float) -> Iterator[None]:
    """While it lasts, stores keep to a call that is over in ``seconds``."""
    ends = time.monotonic() + seconds - _ANSWER_SECONDS
    outside = _deadline.set(_Deadline(ends, _REQUEST_SECONDS_MIN))
    try:
        yield
    finally:
        _deadline.reset(outside)


@contextmanager
def clearing_up() -> Iterator[None]:
    """While it lasts, requests may use up nearly all that is left."""
    outside = _deadline.set(replace(_deadline.get(), needed=_CLEARING_SECONDS_MIN))
    try:
        yield
    finally:
        _deadline.reset(outside)


def seconds_left() -> float:
    """Until the answer is due; infinite where nobody said."""
    return _deadline.get().ends - time.monotonic()


def read_seconds() -> float:
    """How long a request that begins now may wait for a byte. OutOfTime when none may begin."""
    left = seconds_left()
    if left < _deadline.get().needed:
        raise OutOfTime("no time is left for another request")
    return min(READ_SECONDS, left / 2)


def is_worth_a_wait(seconds: float) -> bool:
    """Whether a request may still begin after that."""
    return seconds_left() - seconds >= _deadline.get().needed


def wait_after(failure: int) -> None:
    """Sleeps after the ``failure``-th failure, counted from 1, drawn below a bound that doubles. OutOfTime when no
    request could follow."""
    seconds = random.random() * _longest_wait(failure)
    if not is_worth_a_wait(seconds):
        raise OutOfTime("no time is left for another try")
    time.sleep(seconds)


def keep(client: Any) -> Any:
    """``client``, whose every request and repetition keeps to the time of the call that it is made for."""
    client.meta.events.register_first("before-send.*.*", _bounded)
    client.meta.events.register_first("needs-retry.*.*", _refused_late)
    return client


def _bounded(request: Any, **_: Any) -> None:
    request.context["read_timeout"] = read_seconds()


def _refused_late(attempts: int, response: Any = None, **_: Any) -> bool | None:
    """False ends the tries, None leaves them to the client. It draws its wait afterwards, so the longest has to fit."""
    asked_for = response is not None and _ASKS_FOR_MORE in response[0].headers
    wait = _longest_wait(attempts) + (_ASKED_FOR_SECONDS_MAX if asked_for else 0)
    return None if is_worth_a_wait(wait) else False


def _longest_wait(failure: int) -> float:
    return float(_FIRST_WAIT_SECONDS * 2 ** (failure - 1))
