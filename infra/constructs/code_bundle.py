"""The code of each function, as an asset made without Docker."""

from __future__ import annotations

from pathlib import Path

from aws_cdk import aws_lambda as lambda_

from infra.bundles import LIGHT, NUMERIC, TABULAR, Bundler
from infra.environments import Environment
from session_datasets.domain.names import NUMERIC_VERBS, TABULAR_VERBS, Verb


class CodeBundles:
    """Three assets for all functions: only the verbs that open tables carry pyarrow, and fewer numpy.

    Where the function's interpreter has the dependencies already, one asset holds the code alone.
    """

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._bundler = Bundler()
        self._codes: dict[Path, lambda_.Code] = {}

    def code_of(self, verb: Verb) -> lambda_.Code:
        """The asset of ``verb``; building it may download the locked dependencies the first time."""
        folder = self._folder_of(verb)
        if folder not in self._codes:
            self._codes[folder] = lambda_.Code.from_asset(str(folder))
        return self._codes[folder]

    def _folder_of(self, verb: Verb) -> Path:
        if not self._environment.carries_dependencies:
            return self._bundler.code()
        return self._bundler.bundle(group_of(verb), self._environment.target)


def group_of(verb: Verb) -> str:
    """The dependencies that the verb's function is deployed with."""
    if verb in NUMERIC_VERBS:
        return NUMERIC
    return TABULAR if verb in TABULAR_VERBS else LIGHT
