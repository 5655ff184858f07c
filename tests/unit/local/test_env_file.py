"""The file a shell sources after ``make up``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from infra.local import env_file
from infra.local.deployed import DeployedStack

STACK = DeployedStack("other-stack", "http://127.0.0.1:4567")


def _sourced(text: str, expression: str) -> str:
    shell = subprocess.run(["sh", "-c", f"{text}\nprintf %s {expression}"], capture_output=True, text=True, check=True)
    return shell.stdout


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:4567"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_PROFILE", "orchestrator"),
        ("SESSION_DATASETS_STACK", "other-stack"),
        ("READ_ROWS_FUNCTION", "other-stack-read-rows"),
    ],
)
def test_a_shell_that_sources_it_knows(variable: str, value: str) -> None:
    assert _sourced(env_file.text(STACK), f'"${variable}"') == value


def test_the_projects_python_comes_first_on_the_path() -> None:
    first = _sourced(env_file.text(STACK), '"$PATH"').split(":")[0]
    assert Path(first).parts[-2:] == (".venv", "bin")


def test_a_value_with_a_quote_in_it_survives_the_shell() -> None:
    odd = DeployedStack("it's", "http://127.0.0.1:1")
    assert _sourced(env_file.text(odd), '"$SESSION_DATASETS_STACK"') == "it's"
