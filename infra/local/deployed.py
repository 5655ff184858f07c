"""What a client needs to know of a deployed stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.surroundings import REGION, aws_client
from session_datasets.domain.names import ENV_STACK, Verb, function_name


@dataclass(frozen=True)
class DeployedStack:
    """A stack that stands behind `endpoint`, with its CloudFormation outputs by name."""

    name: str
    endpoint: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    region: str = REGION
    certificate: Path | None = None  # of an endpoint that speaks TLS with one of its own

    @property
    def functions(self) -> Mapping[Verb, str]:
        """The function's name of every verb."""
        return {verb: function_name(self.name, verb) for verb in Verb}

    def client_environment(self) -> dict[str, str]:
        """The variables with which an AWS client, or the project's own, finds this stack."""
        return {**aws_client(self.endpoint, self.certificate), ENV_STACK: self.name}
