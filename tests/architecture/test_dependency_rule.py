"""The dependency rule of the house, as import-linter reads it from pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_imports_obey_the_dependency_rule() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    linted = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "0 broken" in linted.stdout, linted.stdout + linted.stderr
    assert linted.returncode == 0


def test_handlers_are_doormen() -> None:
    """A handler names its parts and does nothing itself: no function, no class, no branch."""
    for handler in (ROOT / "lambdas").glob("*/handler.py"):
        text = handler.read_text()
        assert not any(word in text for word in ("def ", "class ", "if ", "for ", "try:")), handler


def test_every_operation_is_one_file_named_after_its_verb() -> None:
    verbs = {path.parent.name for path in (ROOT / "lambdas").glob("*/handler.py")}
    operations = {path.stem for path in (ROOT / "shared/session_datasets/operations").glob("*.py")}
    assert verbs <= operations
