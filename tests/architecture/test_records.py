"""What a decision record names as the keeper of a promise is there: no promise outlives its test."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RECORDS = sorted((ROOT / "docs" / "decisions").glob("007*.md"))
_NAMED = re.compile(r"`([^`]+)`")


@cache
def known() -> frozenset[str]:
    """Names of tests and their classes, and every path of a file or folder of tests, from any folder on."""
    names: set[str] = set()
    for file in (ROOT / "tests").rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        names.update("/".join(parts[start:end]) for end in range(1, len(parts) + 1) for start in range(end))
        tree = ast.walk(ast.parse(file.read_text()))
        names.update(
            each.name for each in tree if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        )
    return frozenset(names)


def cited(record: Path) -> list[str]:
    """What stands between backticks in the last column of a table, of the length that tests' names have here."""
    cells = [line.rstrip(" |").rpartition("|")[2] for line in record.read_text().splitlines() if line.startswith("|")]
    names = [part for cell in cells for name in _NAMED.findall(cell) for part in name.partition("[")[0].split("::")]
    return [name for name in names if name.count("_") > 1 or "test" in name]


def is_known(name: str) -> bool:
    """``…`` and ``...`` stand for any part of a name, ``*`` for any file."""
    parts = re.split(r"…|\.\.\.|\*", name.removesuffix(".py"))
    pattern = re.compile("(test_)?" + ".*".join(map(re.escape, parts)))
    return any(pattern.fullmatch(each) for each in known())


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_every_test_that_a_record_names_is_there(record: Path) -> None:
    assert [name for name in cited(record) if not is_known(name)] == []


def test_a_name_that_no_test_has_is_found_out() -> None:
    assert not is_known("a_promise_that_nobody_keeps")
