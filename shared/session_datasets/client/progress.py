"""Bytes done, told to the caller as they are; shared by the threads of one transfer."""

from __future__ import annotations

import threading
from collections.abc import Callable

# Called with (bytes done, bytes in all), never with less done than before.
OnProgress = Callable[[int, int], None]


class Progress:
    def __init__(self, total: int, tell: OnProgress | None) -> None:
        self._total = total
        self._tell = tell
        self._lock = threading.Lock()
        self._done = 0
        self._told = -1

    def add(self, count: int) -> None:
        """``count`` may be negative: the bytes of a failed part are sent again, and nothing is told meanwhile."""
        with self._lock:
            self._done += count
            if self._tell is not None and self._told < self._done <= self._total:
                self._told = self._done
                self._tell(self._done, self._total)
