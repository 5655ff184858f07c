"""What was asked of the stand-in since somebody last looked."""

from __future__ import annotations

from collections import Counter
from threading import Lock


class Tally:
    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[str] = Counter()
        self._bytes_out = 0
        self._bytes_in = 0

    def request(self, operation: str, bytes_in: int = 0) -> None:
        with self._lock:
            self._requests[operation] += 1
            self._bytes_in += bytes_in

    def sending(self, count: int) -> None:
        """Called before the bytes go out, so that whoever has received them finds them counted."""
        with self._lock:
            self._bytes_out += count

    def taken(self) -> dict[str, object]:
        """The counts so far; counting begins anew."""
        with self._lock:
            counts = {
                "operations": dict(self._requests),
                "requests": self._requests.total(),
                "bytes_out": self._bytes_out,
                "bytes_in": self._bytes_in,
            }
            self._requests.clear()
            self._bytes_out = self._bytes_in = 0
        return counts
