"""A stand-in in a process of its own, so that its work is not measured as anybody else's."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.bench.places import ROOT
from tests.bench.stand_in.pace import Pace

_PATIENCE_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Counted:
    """Requests and the bytes of their answers (out) and bodies (in)."""

    requests: int
    bytes_out: int
    bytes_in: int
    operations: Mapping[str, int]

    @property
    def bytes(self) -> int:
        return self.bytes_out + self.bytes_in


class StandIn:
    """Serves the folder ``root`` while its context lasts, and never longer."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __enter__(self) -> Self:
        self._root.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.stand_in", str(self._root)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.endpoint = f"http://127.0.0.1:{self._line()}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def keep(self, pace: Pace) -> None:
        self._told({"pace": asdict(pace)})

    def counted(self) -> Counted:
        """Since the last time that anybody asked."""
        return Counted(**self._told({}))

    def _told(self, command: Mapping[str, object]) -> Any:
        assert self._process.stdin
        print(json.dumps(command), file=self._process.stdin, flush=True)
        return self._line()

    def _line(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"The stand-in for S3 ended with exit code {self._process.wait()}.")
        return json.loads(line)
