"""The time that whoever calls the client has to spare."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# A request needs some time to succeed, however late it is.
_REQUEST_SECONDS_MIN = 1.0

_ends: ContextVar[float] = ContextVar("ends", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Whatever the client does inside is over in about so many seconds: no request waits longer for a byte, and when
    the wait before another try would not fit, the last failure is raised. One inside another only shortens it.

    A transfer that moves is not ended.
    """
    outside = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(outside)


def seconds_left() -> float:
    """Infinite where nobody said; negative when the time is up."""
    return _ends.get() - time.monotonic()


def seconds_of_a_request(longest: float) -> float:
    """``longest``, or what is left."""
    return min(longest, max(_REQUEST_SECONDS_MIN, seconds_left()))
