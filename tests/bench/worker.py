"""One reader in a process of its own, so that its imports, memory and processor time are its own.

Standard input: first what to read with what, as one line of JSON, then one line for each round. Standard output: a
line when the reader is ready, then one for each round, of what it took. Whatever a library prints goes to the log.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from importlib import import_module
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
    given = Given(job["endpoint"], DataSet(**job["data"]), job["options"])
    return getattr(import_module(f"tests.bench.readers.{module}"), function)(given)


def _measured(step: Any, number: int) -> dict[str, Any]:
    began, cpu_began = time.perf_counter(), time.process_time()
    found = step(number)
    cpu, wall = time.process_time() - cpu_began, time.perf_counter() - began
    return {
        "ms": wall * 1000,
        "cpu_ms": cpu * 1000,
        "life_cpu_ms": time.process_time() * 1000,
        "peak_mb": peak_mb(),
        "found": found,
    }


def _own_standard_output() -> TextIO:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _say(answers: TextIO, what: dict[str, Any]) -> None:
    print(json.dumps(what), file=answers, flush=True)


if __name__ == "__main__":
    main()
