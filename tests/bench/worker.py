"""One reader in a process of its own, so that its imports, memory and processor time are its own.

Standard input: first what to read with what, as one line of JSON, then one line for each round. Standard output: a
line when the reader is ready, then one for each round, of what it took. Whatever a library prints goes to the log.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any, TextIO

from tests.bench.given import DataSet, Given
from tests.bench.memory import peak_mb


def main() -> None:
    answers = _own_standard_output()
    try:
        job = json.loads(sys.stdin.readline())
        step = _step(job)
        _say(answers, {"ready": True})
        for line in sys.stdin:
            _say(answers, _measured(step, int(line)))
    except Exception as error:
        traceback.print_exc()
        _say(answers, {"failed": f"{type(error).__name__}: {error}"})


def _step(job: dict[str, Any]) -> Any:
    module, _, function = job["reader"].rpartition(".")
    sys.meta_path.insert(0, _Absent(job["without"]))
    given = Given(job["endpoint"], DataSet(**job["data"]), job["options"])
    return getattr(import_module(f"tests.bench.readers.{module}"), function)(given)


def _measured(step: Any, number: int) -> dict[str, Any]:
    began, cpu_began = time.perf_counter(), _cpu_seconds()
    found = step(number)
    cpu, wall = _cpu_seconds() - cpu_began, time.perf_counter() - began
    return {
        "ms": wall * 1000,
        "cpu_ms": cpu * 1000,
        "life_cpu_ms": _cpu_seconds() * 1000,
        "peak_mb": peak_mb(),
        "found": found,
    }


class _Absent(MetaPathFinder):
    """As if these packages were not installed."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _cpu_seconds() -> float:
    """Of this process and of those that it started and that ended, such as our readers of binary formats."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _own_standard_output() -> TextIO:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, what: dict[str, Any]) -> None:
    print(json.dumps(what), file=answers, flush=True)


if __name__ == "__main__":
    main()
