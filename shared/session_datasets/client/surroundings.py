"""The one place where the client reads environment variables of this product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from session_datasets.client.errors import ConfigurationError
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import DEFAULT_STACK, ENV_QUALIFIER, ENV_STACK, ENV_TOKEN, LIVE_ALIAS


@dataclass(frozen=True, slots=True)
class Surroundings:
    stack: str
    qualifier: str
    token: str | None = field(repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """An empty variable counts as one that is not set."""
        return cls(
            stack=environment.get(ENV_STACK) or DEFAULT_STACK,
            qualifier=environment.get(ENV_QUALIFIER) or LIVE_ALIAS,
            token=environment.get(ENV_TOKEN) or None,
        )

    def transport(self) -> DeployedTransport:
        return DeployedTransport(self.stack, self.qualifier)

    def variables(self) -> dict[str, str]:
        """What leads another process to the same stack."""
        return {ENV_STACK: self.stack, ENV_QUALIFIER: self.qualifier}

    def required_token(self) -> str:
        if self.token is None:
            raise ConfigurationError(
                f"{ENV_TOKEN} is not set, so there is no session to work in.",
                "Let the orchestrator open one: Session.environment() in Python, `session-datasets open` in a shell.",
            )
        return self.token
