"""What docs/tools.md shows is Python, and names what there is."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from session_datasets import tools
from session_datasets.tools import DEFINITIONS, Budgets

PAPER = (Path(__file__).parents[3] / "docs" / "tools.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", PAPER, re.DOTALL)


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_every_program_imports_names_that_exist(number: int) -> None:
    imported = [
        alias.name
        for node in ast.walk(ast.parse(PYTHON[number]))
        if isinstance(node, ast.ImportFrom) and node.module == "session_datasets.tools"
        for alias in node.names
    ]
    assert imported
    assert set(imported) <= set(tools.__all__)


def test_there_is_a_program_for_every_framework() -> None:
    assert len(PYTHON) == 5
    assert max(len(program.strip().splitlines()) for program in PYTHON) <= 10


def test_the_configuration_of_a_host_is_json() -> None:
    [configuration] = re.findall(r"```json\n(.*?)```", PAPER, re.DOTALL)
    assert json.loads(configuration)["mcpServers"]["session-datasets"]["args"][0] == "mcp"


def test_the_table_tells_the_budgets_that_are_in_force() -> None:
    told = dict(re.findall(r"^\| `?([\w ]+?)`? \| .* \| ([\d,]+) \|$", PAPER, re.MULTILINE))
    budgets = Budgets()
    in_force = [
        budgets.register,
        budgets.listing,
        budgets.describe,
        budgets.load,
        budgets.rows,
        budgets.columns,
        budgets.error,
    ]
    assert list(told) == [*DEFINITIONS, "any failure"]
    assert [int(number.replace(",", "")) for number in told.values()] == in_force
