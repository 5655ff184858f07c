"""What the page about nodes shows is what comes out, and it names all that a workspace does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

from session_datasets import Workspace
from tests.support.moto_cloud import MotoCloud

PAGE = Path(__file__).parents[2] / "docs" / "nodes.md"
# A block, and what is said to come out of it.
_SHOWN = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def test_every_block_prints_what_stands_behind_it(cloud: MotoCloud) -> None:
    printed: list[str] = []
    names: dict[str, Any] = {"print": lambda *values: printed.append(" ".join(map(str, values)) + "\n")}
    shown = _SHOWN.findall(PAGE.read_text())
    with patch.object(Workspace, "from_env", lambda: cloud.open(run_id="run-1")):
        for program, promised in shown:
            printed.clear()
            exec(compile(program, PAGE.name, "exec"), names)
            # … stands for what is another at each run.
            assert re.fullmatch(".*".join(map(re.escape, promised.split("…"))), "".join(printed)), "".join(printed)
    assert sum(bool(promised) for _, promised in shown) == 4


def test_the_table_names_every_method_of_a_workspace() -> None:
    named = set(re.findall(r"`(\w+)[(`]", PAGE.read_text()))
    assert {name for name in vars(Workspace) if not name.startswith("_")} - named == {"from_env"}
