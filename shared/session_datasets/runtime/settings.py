"""The one place that reads a function's environment; a bad deployment fails at its first call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from session_datasets.domain import names
from session_datasets.domain.limits import PROFILED_AT_ONCE_BYTES_MAX


@dataclass(frozen=True, slots=True)
class Settings:
    """Empty where a function's verb does not need it."""

    stack: str
    signing_key_secret: str
    bucket: str
    table: str
    profile_queue: str = ""
    audit_queue: str = ""
    caller_role: str = ""
    profiled_at_once_bytes: int = PROFILED_AT_ONCE_BYTES_MAX

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ, *, verifies_tokens: bool = True) -> Settings:
        """Raises RuntimeError that names the variable when one that every such function needs is missing."""
        works_with_data = names.ENV_BUCKET in environment or names.ENV_TABLE in environment
        return cls(
            stack=_required(environment, names.ENV_STACK),
            signing_key_secret=_required(environment, names.ENV_SIGNING_KEY) if verifies_tokens else "",
            bucket=environment.get(names.ENV_BUCKET, ""),
            table=environment.get(names.ENV_TABLE, ""),
            profile_queue=environment.get(names.ENV_PROFILE_QUEUE, ""),
            audit_queue=environment.get(names.ENV_AUDIT_QUEUE, ""),
            caller_role=_required(environment, names.ENV_CALLER_ROLE) if works_with_data else "",
            profiled_at_once_bytes=int(environment.get(names.ENV_PROFILED_AT_ONCE_BYTES, PROFILED_AT_ONCE_BYTES_MAX)),
        )


def stack_of_environment(environment: Mapping[str, str] = os.environ) -> str:
    """The stack whose function this is; empty where nothing says so. It is known when nothing else is."""
    return environment.get(names.ENV_STACK, "")


def event_bus_settings(environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """The stack, and the bus that its events go to: all that publish_events is told."""
    return _required(environment, names.ENV_STACK), _required(environment, names.ENV_EVENT_BUS)


def _required(environment: Mapping[str, str], name: str) -> str:
    if value := environment.get(name):
        return value
    raise RuntimeError(
        f"The environment variable {name} is not set; deploy the function with the stack that defines it."
    )
