"""The functions' code with its dependencies, built from the lock file without Docker.

``Bundler`` makes a whole asset for a target, or one of our own code only, and
``python -m infra.bundles`` prints the locked requirements for interpreters that are set up in another way.
"""

from __future__ import annotations

from infra.bundles.bundler import Bundler, BundleTooLarge
from infra.bundles.requirements import GROUPS, LIGHT, NUMERIC, TABULAR, locked_requirements
from infra.bundles.target import LAMBDA, Target, lambda_on_this_machine

__all__ = [
    "GROUPS",
    "LAMBDA",
    "LIGHT",
    "NUMERIC",
    "TABULAR",
    "BundleTooLarge",
    "Bundler",
    "Target",
    "lambda_on_this_machine",
    "locked_requirements",
]
