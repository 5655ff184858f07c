"""Programs the laptop needs, each in a virtual environment of its own under ``.local/tools``.

They are built from hashed requirements the first time they are asked for and again when those change; a
stamp, written last, says what stands there, so a half-built environment is never taken for a whole one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from uv import find_uv_bin

from infra.local.places import REQUIREMENTS, ROOT, TOOLS

LOCALSTACK_HOST = Path(__file__).parent / "localstack_host"


class ToolError(Exception):
    """A tool could not be installed; the text ends with what the installer said."""


def ministack() -> Path:
    """The interpreter that runs MiniStack."""
    return _installed("ministack", _pinned("ministack"))


def localstack() -> Path:
    """The interpreter that runs LocalStack with the plugins that spare it Docker and Java."""
    return _installed("localstack", _pinned("localstack"), package=LOCALSTACK_HOST)


def functions() -> Path:
    """The interpreter that runs the functions: the bundles' locked dependencies and the runtime client."""
    return _installed("functions", _locked("bundle-numeric") + _pinned("runtime"))


def node_wheel() -> Path:
    """The interpreter beside which Node.js from the Python registry is installed."""
    return _installed("node", _pinned("node"))


def _installed(name: str, requirements: str, *, package: Path | None = None) -> Path:
    """Build the environment `name` when it is missing or outdated; the path of its interpreter."""
    place = TOOLS / name
    python = place / "bin" / "python"
    installer = find_uv_bin()
    with _made_once(place, requirements + _source_of(package)) as missing:
        if missing:
            print(f"Installing {name} under {place} (once) ...", file=sys.stderr, flush=True)
            # A second environment of the same Python: nothing is ever downloaded but packages.
            _run([installer, "venv", "--quiet", "--clear", "--no-python-downloads", "--python", sys.executable, place])
            install: list[str | Path] = [installer, "pip", "install", "--quiet", "--no-deps", "--python", python]
            _run([*install, "--require-hashes", "--requirement", "-"], text=requirements)
            if package:
                _run([*install, package])
    return python


@contextmanager
def _made_once(place: Path, inputs: str) -> Iterator[bool]:
    """Hold the lock on `place`; yield whether it must be made, and stamp it when the body succeeds."""
    place.parent.mkdir(parents=True, exist_ok=True)
    stamp = place / "installed-from"
    wanted = hashlib.sha256(f"{sys.version}\n{sys.base_prefix}\n{place}\n{inputs}".encode()).hexdigest()
    with (place.parent / f"{place.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text() == wanted:
            yield False
            return
        shutil.rmtree(place, ignore_errors=True)
        yield True
        stamp.write_text(wanted)


def _pinned(name: str) -> str:
    return (REQUIREMENTS / f"{name}.txt").read_text()


def _locked(group: str) -> str:
    """The hashed requirements of one dependency group, taken from the project's lock file."""
    export = [find_uv_bin(), "export", "--frozen", "--no-emit-project", "--only-group", group]
    return _run([*export, "--no-header", "--no-annotate", "--quiet"])


def _source_of(package: Path | None) -> str:
    files = [*sorted(package.rglob("*.py")), package / "pyproject.toml"] if package else []
    return "".join(f"\n{file.name}\n{file.read_text()}" for file in files)


def _run(command: Sequence[str | Path], *, text: str | None = None) -> str:
    # The project's own environment must not be taken for the one that is being built.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    words = [str(word) for word in command]
    done = subprocess.run(words, input=text or "", text=True, capture_output=True, cwd=ROOT, env=environment)
    if done.returncode:
        raise ToolError(f"{' '.join(words)} failed ({done.returncode}):\n{done.stderr[-4000:]}")
    return done.stdout
