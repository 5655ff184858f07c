"""What a reader's process finds around it: packages, variables, and nothing that is there by chance.

Our readers run in the bundle of the function that they measure, built for this machine: it holds no package that this
environment has beside it and that an import would find, such as numpy for a page or pandas for anything. The peers run
in this environment; a reader of theirs goes without what it does not need and would import if it were there.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Mapping

from infra.bundles import NUMERIC, TABULAR, Bundler
from session_datasets.domain.names import NUMERIC_VERBS, Verb
from tests.bench.places import FOLDER, ROOT
from tests.support.this_machine import this_machine

# As the stack has it; see infra/constructs/artifact_function.py.
_NUMERIC_VARIABLES = {"ARROW_DEFAULT_MEMORY_POOL": "system"}


def variables_of(function: Verb | None, endpoint: str) -> dict[str, str]:
    """The environment of a process that reads as ``function`` does, or as a peer."""
    own = _of_this_environment() if function is None else _of_function(function)
    return {**_unmarked(os.environ), **_aws(endpoint), **own}


def _of_this_environment() -> dict[str, str]:
    return _path(sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))


def _of_function(verb: Verb) -> dict[str, str]:
    bundle = Bundler().bundle(NUMERIC if verb in NUMERIC_VERBS else TABULAR, this_machine())
    # A bundle is an asset: what Python compiles is kept beside it.
    bytecode = {"PYTHONPYCACHEPREFIX": str(FOLDER / "bytecode")}
    return {**_path(str(bundle)), **bytecode, **(_NUMERIC_VARIABLES if verb in NUMERIC_VERBS else {})}


def _path(*packages: str) -> dict[str, str]:
    # Our code from where it is edited: the bundle's is the same.
    return {"PYTHONPATH": os.pathsep.join(dict.fromkeys((str(ROOT), str(ROOT / "shared"), *packages)))}


def _unmarked(environment: Mapping[str, str]) -> dict[str, str]:
    # Bytecode is kept, as it is wherever Python is installed to be used.
    unwanted = ("AWS_", "ARROW_", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    return {name: value for name, value in environment.items() if not name.startswith(unwanted)}


def _aws(endpoint: str) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    }
