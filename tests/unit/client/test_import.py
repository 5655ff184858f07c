"""Importing the client costs a node little; what is heavy comes when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import session_datasets

HEAVY = ("boto3", "botocore", "pyarrow", "pandas", "numpy", "typer", "rich", "aws_lambda_powertools")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "code",
    [
        "import session_datasets",
        "from session_datasets import Workspace, Orchestrator, Reference, errors",
        "from session_datasets import Workspace, DeployedTransport; Workspace('token', DeployedTransport())",
    ],
)
def test_no_heavy_library_is_imported_by(code: str) -> None:
    loaded = run(f"{code}\nimport sys\nprint(*sorted(set(sys.modules) & set({HEAVY!r})))")
    assert loaded.split() == []


def test_the_package_itself_imports_nothing_of_its_client() -> None:
    loaded = run("import session_datasets, sys\nprint(*[name for name in sys.modules if '.client' in name])")
    assert loaded.split() == []


@pytest.mark.parametrize("name", session_datasets.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(session_datasets, name) is not None


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        session_datasets.nonsense  # noqa: B018


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(session_datasets.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize(("missing", "extra"), [("pyarrow", "arrow"), ("pandas", "pandas")])
def test_a_missing_library_is_named_with_the_extra_that_brings_it(missing: str, extra: str) -> None:
    told = run(
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from session_datasets import Workspace, DeployedTransport, errors\n"
        "workspace = Workspace('token', DeployedTransport())\n"
        "try:\n    workspace.to_pandas('art_')\n"
        "except errors.MissingExtraError as error:\n    print(error)\n"
    )
    assert f"pip install 'session-datasets[{extra}]'" in told
