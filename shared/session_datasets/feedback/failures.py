"""Which calls of a session have failed before: the same mistake made again deserves a plainer word."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from session_datasets.feedback.words import canonical_text

REMEMBERED_MAX = 256


class Failures:
    """Counts failures by label and arguments; of more than ``remembered`` calls the one that failed longest ago is
    forgotten. Arguments are kept as their SHA-256 only. Safe for threads."""

    def __init__(self, remembered: int = REMEMBERED_MAX) -> None:
        if remembered < 1:
            raise ValueError("remembered is 1 or more")
        self._remembered = remembered
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._counts)

    def failed(self, what: str, arguments: object) -> int:
        """Notes one more failure; how often this same call has failed by now, from 1."""
        key = _key(what, arguments)
        with self._lock:
            count = self._counts.pop(key, 0) + 1
            self._counts[key] = count
            if len(self._counts) > self._remembered:
                self._counts.popitem(last=False)
        return count

    def succeeded(self, what: str, arguments: object) -> None:
        """The call went well: what it failed of is over."""
        with self._lock:
            self._counts.pop(_key(what, arguments), None)


def _key(what: str, arguments: object) -> bytes:
    return hashlib.sha256(f"{what}\0{canonical_text(arguments)}".encode("utf-8", "surrogatepass")).digest()
