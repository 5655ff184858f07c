"""One id for all that belongs to one call of a client, so that its lines are found in the logs of every function.

It stands in the context and not among the arguments: it says nothing of what is asked.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CORRELATION_CHARACTERS_MAX = 128
# What ids of other systems are made of, W3C's and X-Ray's among them, and nothing that a log would have to quote.
CORRELATION_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:@/=-]{0,127}$"

_current: ContextVar[str] = ContextVar("correlation_id", default="")


def is_correlation_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(CORRELATION_PATTERN, value) is not None and "\n" not in value


@contextmanager
def correlated(correlation_id: str | None = None) -> Iterator[str]:
    """Whatever is asked inside carries ``correlation_id``: 1 to 128 letters, digits and ``._:@/=-``.

    None goes on with the id that is in force, or makes one up. ValueError for an id of any other form. The id stands in
    the context of this thread or task: a thread of your own needs a ``with`` of its own.
    """
    if correlation_id is not None and not is_correlation_id(correlation_id):
        raise ValueError("a correlation id is 1 to 128 letters, digits and ._:@/=- and begins with a letter or digit")
    with standing(correlation_id or current() or f"cor-{secrets.token_hex(12)}") as chosen:
        yield chosen


@contextmanager
def standing(correlation_id: str) -> Iterator[str]:
    """``correlation_id``, which was checked, or none if it is empty, whatever stood there before."""
    token = _current.set(correlation_id)
    try:
        yield correlation_id
    finally:
        _current.reset(token)


def current() -> str:
    """The id in force; empty when there is none."""
    return _current.get()


def current_or_new() -> str:
    """The id in force, or a new one: for what is asked later, outside of the ``with``."""
    with correlated() as chosen:
        return chosen
