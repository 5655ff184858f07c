"""What the papers show runs as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.deployed_cloud import DeployedCloud

ROOT = Path(__file__).parents[2]


def run(cloud: DeployedCloud, directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Python in ``directory``, with the variables that ``source .local/env`` would set."""
    (directory / ".local").mkdir(exist_ok=True)
    environment = {**os.environ, **cloud.stack.client_environment()}
    return subprocess.run(
        [sys.executable, *command], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


def test_the_readmes_ten_lines(cloud: DeployedCloud, tmp_path: Path) -> None:
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len([line for line in lines.splitlines() if line]) <= 11
    ran = run(cloud, tmp_path, "-c", lines)
    assert ran.returncode == 0, ran.stderr
    page, greatest, path = ran.stdout.splitlines()
    assert page == "[[70000, 17500.0], [70001, 17500.25]]"
    assert greatest == str((100_000 - 1) / 4)
    assert (tmp_path / path).is_file()
