"""No reader: tells what one finds around it, for the benchmark's own tests."""

from __future__ import annotations

import os
import sys
import time
from importlib.util import find_spec
from typing import Any

from tests.bench.given import Given
from tests.bench.readers.proofs import Step


def around(given: Given) -> Step:
    """Which of ``options["packages"]`` there are, where packages come from, and ``options["variable"]``."""

    def step(_: int) -> Any:
        found = {name: _is_there(name) for name in given.options.get("packages", ())}
        return {"found": found, "path": sys.path[1:], "variable": os.environ.get(given.options.get("variable", ""))}

    return step


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def child(given: Given) -> Step:
    """All of its work is done by a child, for ``options["seconds"]`` of a processor."""

    def step(_: int) -> Any:
        if not (pid := os.fork()):
            while time.process_time() < given.options["seconds"]:
                pass
            os._exit(0)
        os.waitpid(pid, 0)
        return {}

    return step
