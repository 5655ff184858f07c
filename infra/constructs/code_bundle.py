"""The code of each function, as an asset made without Docker."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_

from infra import bundles
from infra.environments import Environment
from session_datasets.domain.names import TABULAR_VERBS, Verb


class CodeBundles:
    """Two assets for all functions: only the verbs that open tables carry pyarrow.

    Where the function's interpreter has the dependencies already, one asset holds the code alone.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._codes: dict[str, lambda_.Code] = {}

    def code_of(self, verb: Verb) -> lambda_.Code:
        """The asset of ``verb``; building it may download the locked dependencies the first time."""
        group = self._group_of(verb)
        if group not in self._codes:
            self._codes[group] = lambda_.Code.from_asset(str(self._build(group)))
        return self._codes[group]

    def _group_of(self, verb: Verb) -> str:
        if not self._environment.carries_dependencies:
            return "code"
        return bundles.TABULAR if verb in TABULAR_VERBS else bundles.LIGHT

    def _build(self, group: str) -> object:
        if group == "code":
            return bundles.build_code()
        return bundles.build(group, self._environment.target)
