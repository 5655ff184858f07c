"""The list is honest: every case has its file, and docs/security.md names them all."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = {path.name[10:12]: path for path in HERE.glob("test_case_[0-9][0-9]_*.py")}
NUMBERS = [f"{number:02}" for number in range(1, 26)]
SECURITY = (HERE.parents[1] / "docs" / "security.md").read_text()


def test_there_is_one_file_for_each_case_and_none_beyond() -> None:
    assert sorted(path.name[10:12] for path in HERE.glob("test_case_*.py")) == NUMBERS


@pytest.mark.parametrize("number", NUMBERS)
def test_the_file_tells_its_case_and_states_facts(number: str) -> None:
    module = ast.parse(FILES[number].read_text())
    assert len(ast.get_docstring(module) or "") > 80
    assert any(isinstance(each, ast.FunctionDef) and each.name.startswith("test_") for each in ast.walk(module))


@pytest.mark.parametrize("number", NUMBERS)
def test_the_paper_says_where_the_case_is_bounded_and_tested(number: str) -> None:
    row = re.search(rf"^\| {int(number)} \|.*\| `({re.escape(FILES[number].stem)})` \|$", SECURITY, re.MULTILINE)
    assert row, f"docs/security.md has no row for {FILES[number].name}"
