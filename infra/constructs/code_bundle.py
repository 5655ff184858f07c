"""The code of each function, as an asset made without Docker."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import aws_lambda as lambda_

from infra.bundles import LIGHT, NUMERIC, TABULAR, Bundler
from infra.environments import Environment
from session_datasets.domain.names import NUMERIC_VERBS, TABULAR_VERBS, Verb

# Stands for a group where the function's interpreter has the dependencies.
_CODE_ALONE = "code"


class CodeBundles:
    """Three assets for all functions: only the verbs that open tables carry pyarrow, and fewer numpy.

    Where the function's interpreter has the dependencies already, one asset holds the code alone.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._bundler = Bundler()
        self._codes: dict[str, lambda_.Code] = {}

    def code_of(self, verb: Verb) -> lambda_.Code:
        """The asset of ``verb``; building it may download the locked dependencies the first time."""
        # Each is looked for once, so that functions deployed together run the same code, whatever is edited meanwhile.
        group = group_of(verb) if self._environment.carries_dependencies else _CODE_ALONE
        if group not in self._codes:
            self._codes[group] = lambda_.Code.from_asset(str(self._folder_of(group)))
        return self._codes[group]

    def _folder_of(self, group: str) -> Path:
        if group == _CODE_ALONE:
            return self._bundler.code()
        return self._bundler.bundle(group, self._environment.target)


def group_of(verb: Verb) -> str:
    """The dependencies that the verb's function is deployed with."""
    if verb in NUMERIC_VERBS:
        return NUMERIC
    return TABULAR if verb in TABULAR_VERBS else LIGHT
