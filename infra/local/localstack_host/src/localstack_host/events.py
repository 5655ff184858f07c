"""What can happen to a function's process, and what LocalStack hands to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Invocation:
    """One event for the handler. `deadline` is in seconds since the epoch."""

    request_id: str
    function_arn: str
    trace_id: str
    payload: bytes
    deadline: float


@dataclass(frozen=True)
class Ready:
    """The handler's module is imported and the runtime asks for an invocation."""


@dataclass(frozen=True)
class InitFailed:
    """The handler's module could not be imported; `error` is the runtime's JSON report."""

    error: bytes


@dataclass(frozen=True)
class Answered:
    """The handler returned (`failed` false, `body` its JSON) or raised (`body` is the error report)."""

    request_id: str
    body: bytes
    failed: bool


@dataclass(frozen=True)
class Exited:
    """The process ended, whether it was asked to or not."""

    status: int


Event = Ready | InitFailed | Answered | Exited
