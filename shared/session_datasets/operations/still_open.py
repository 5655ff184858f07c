"""The check that comes before work whose result would be refused, or would lie where nobody finds it."""

from __future__ import annotations

from session_datasets.domain.errors import session_ended
from session_datasets.domain.scope import Caller
from session_datasets.operations.ports import Service


def require_open(service: Service, caller: Caller) -> None:
    """Refusal ended when what the session belongs to has ended. One consistent read.

    It spares work and refuses early, and that is all: a record is kept out by the condition of its own write.
    """
    if service.leases.is_over(caller):
        raise session_ended()
