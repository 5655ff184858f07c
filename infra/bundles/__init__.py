"""The functions' code with its dependencies, built from the lock file without Docker.

``build`` makes a whole asset for a target, ``build_code`` one of our own code only, and
``python -m infra.bundles`` prints the locked requirements for interpreters that are set up in another way.
"""

from __future__ import annotations

from infra.bundles.build import BundleTooLarge, build, build_code
from infra.bundles.requirements import GROUPS, LIGHT, TABULAR, locked_requirements
from infra.bundles.target import LAMBDA, Target, lambda_on_this_machine

__all__ = [
    "GROUPS",
    "LAMBDA",
    "LIGHT",
    "TABULAR",
    "BundleTooLarge",
    "Target",
    "build",
    "build_code",
    "lambda_on_this_machine",
    "locked_requirements",
]
