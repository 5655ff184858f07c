"""One process that runs one function's handler through awslambdaric, and the interface it talks to."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from localstack_host.events import Event, Exited, Invocation
from localstack_host.runtime_api import RuntimeApi

# A function that logs without end must not fill the memory of the emulator.
LOG_LINES_KEPT = 5_000
# What a process started by LocalStack needs of LocalStack's own environment; nothing else passes.
_INHERITED = ("PATH", "LANG", "HOME", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")


class FunctionProcess:
    """Started by the constructor; dies with `kill`, after which a new one takes its place."""

    def __init__(self, python: str, handler: str, code: Path, variables: Mapping[str, str]) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self._log: deque[str] = deque(maxlen=LOG_LINES_KEPT)
        self._api = RuntimeApi(self.events)
        self._process = subprocess.Popen(
            [python, "-m", "awslambdaric", handler],
            cwd=code,
            env=function_environment(os.environ, variables, code, self._api.address),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # A group of its own: whatever the handler starts ends with it.
            process_group=0,
        )
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()

    def offer(self, invocation: Invocation) -> None:
        """Hand the runtime its next invocation."""
        self._api.offer(invocation)

    def take_log(self) -> str:
        """What was printed since the last call."""
        lines = []
        while self._log:
            lines.append(self._log.popleft())
        return "".join(lines)

    def kill(self) -> None:
        """End the process and everything it started; the interface closes with it."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._reader.join()
        self._api.close()

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as output:
            for line in output:
                self._log.append(line)
        self.events.put(Exited(self._process.wait()))


def function_environment(
    host: Mapping[str, str], function: Mapping[str, object], code: Path, api: str
) -> dict[str, str]:
    """The variables of the function's process: a few of the host's, the function's own, Lambda's."""
    return {
        **{name: host[name] for name in _INHERITED if name in host},
        **{name: str(value) for name, value in function.items()},
        "AWS_LAMBDA_RUNTIME_API": api,
        "LAMBDA_TASK_ROOT": str(code),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
