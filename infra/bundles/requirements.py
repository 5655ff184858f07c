"""The dependencies of the functions, as the lock file has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LIGHT = "light"
TABULAR = "tabular"  # everything light has, and pyarrow
NUMERIC = "numeric"  # everything tabular has, and numpy; pyarrow imports numpy where it is, at each cold start
GROUPS = (LIGHT, TABULAR, NUMERIC)


def locked_requirements(group: str) -> str:
    """A requirements file for ``group``: exact versions, with the hash of every file that may be installed.

    Raises ``ValueError`` for an unknown group and ``CalledProcessError`` when the lock does not fit.
    """
    if group not in GROUPS:
        raise ValueError(f"no bundle {group!r}: choose one of {', '.join(GROUPS)}")
    export = ["export", "--quiet", "--frozen", "--no-header", "--no-annotate", "--no-emit-project"]
    return run_uv(*export, "--only-group", f"bundle-{group}")


def run_uv(*arguments: str) -> str:
    """Standard output of this environment's own uv, run at the root of the project."""
    command = [sys.executable, "-m", "uv", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
