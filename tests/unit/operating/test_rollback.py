"""The two commands of docs/operating.md around a deploy: where each alias stood is noted, and restored exactly."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from session_datasets.domain.names import DEFAULT_STACK, Verb, function_name

PAPER = (Path(__file__).parents[3] / "docs" / "operating.md").read_text()
FUNCTIONS = [function_name(DEFAULT_STACK, verb) for verb in Verb]
# The AWS command line: a folder with a file for each function, which holds what its alias stands at.
AWS = """#!/bin/sh
shift
if [ "$1" = get-alias ]; then cat "aliases/$3"
else [ "$1" = update-alias ] && echo "$7" > "aliases/$3" && echo "$3" >> moved; fi
"""


def command_with(call: str) -> str:
    """The one block of the paper in which ``call`` stands."""
    (block,) = [each for each in re.findall(r"```\n(.*?)```", PAPER, re.DOTALL) if f"aws lambda {call} " in each]
    return str(block)


def run(call: str, folder: Path) -> None:
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-c", command_with(call)], cwd=folder, env={"PATH": path}, check=True, capture_output=True)


def account(folder: Path, versions: dict[str, str]) -> Path:
    """Where ``aws`` answers with these versions; returns the folder of the aliases."""
    (folder / "aws").write_text(AWS)
    (folder / "aws").chmod(0o755)
    aliases = folder / "aliases"
    aliases.mkdir()
    for function, version in versions.items():
        (aliases / function).write_text(f"{version}\n")
    return aliases


def standing(aliases: Path) -> dict[str, str]:
    return {each.name: each.read_text().strip() for each in aliases.iterdir()}


def test_every_alias_goes_back_to_exactly_where_it_stood(tmp_path: Path) -> None:
    # One function was published once only, and one is not changed by the deploy.
    before = {function: str(number) for number, function in enumerate(FUNCTIONS, start=1)}
    aliases = account(tmp_path, before)
    run("get-alias", tmp_path)
    for function in FUNCTIONS[:-1]:
        (aliases / function).write_text("99\n")
    run("update-alias", tmp_path)
    assert standing(aliases) == before


def test_a_function_that_was_not_there_before_is_left_as_it_is_and_nothing_goes_to_latest(tmp_path: Path) -> None:
    old, new = FUNCTIONS[:-1], FUNCTIONS[-1]
    aliases = account(tmp_path, dict.fromkeys(old, "3"))
    run("get-alias", tmp_path)
    for function in FUNCTIONS:
        (aliases / function).write_text("4\n")
    run("update-alias", tmp_path)
    assert standing(aliases) == {**dict.fromkeys(old, "3"), new: "4"}
    assert (tmp_path / "moved").read_text().split() == old
