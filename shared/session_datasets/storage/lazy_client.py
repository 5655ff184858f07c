"""A client of boto3 that is made when it is first asked."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any


class LazyClient:
    """Stands for the client that ``make`` makes: to import boto3 and to make a client takes longer than a page does,
    and most calls of most functions need none of it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._made: Any = None
        # boto3's clients may be shared by threads, but its session must not make two at a time.
        self._making = Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client(), name)

    def _client(self) -> Any:
        with self._making:
            if self._made is None:
                self._made = self._make()
        return self._made
