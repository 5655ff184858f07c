"""How fast the stand-in answers: a delay for each request, then bytes at a rate."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Lock

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class Pace:
    """``latency_ms`` before the first byte of every answer. ``connection_mb`` and ``shared_mb`` are megabytes a
    second of one connection and of all together; None is as fast as the machine goes."""

    latency_ms: float = 0.0
    connection_mb: float | None = None
    shared_mb: float | None = None

    def __str__(self) -> str:
        told = [f"{self.latency_ms:g} ms per request"]
        if self.connection_mb:
            told.append(f"{self.connection_mb:g} MB/s per connection")
        if self.shared_mb:
            told.append(f"{self.shared_mb:g} MB/s over all")
        return ", ".join(told)


# A region's S3 as a Lambda function near it sees it.
NEAR = Pace(20, 90)
# The same behind one network interface that all connections share.
SHARED = Pace(20, 90, 75)
UNHURRIED = Pace()


class Clock:
    """Keeps a pace. Times are those of ``time.perf_counter``."""

    def __init__(self) -> None:
        self.pace = UNHURRIED
        self._line = Lock()
        self._line_free_at = 0.0

    def wait_for_answer(self, asked_at: float) -> None:
        _sleep_until(asked_at + self.pace.latency_ms / 1000)

    def wait_for_bytes(self, began_at: float, sent: int, piece: int) -> None:
        """Returns when ``piece`` more bytes, after ``sent`` since ``began_at``, would have arrived."""
        due = began_at
        if self.pace.connection_mb:
            due += (sent + piece) / (self.pace.connection_mb * MB)
        if self.pace.shared_mb:
            due = max(due, self._through_the_line(piece / (self.pace.shared_mb * MB)))
        _sleep_until(due)

    def _through_the_line(self, seconds: float) -> float:
        """When a piece that takes ``seconds`` has passed the one line that all share."""
        with self._line:
            self._line_free_at = max(self._line_free_at, time.perf_counter()) + seconds
            return self._line_free_at


def _sleep_until(due: float) -> None:
    if (left := due - time.perf_counter()) > 0:
        time.sleep(left)
