"""Work that a few threads do while the next is being prepared, its results used in the order it was given."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")

# Arrow encodes without Python's lock; a function has two processors at most.
_THREADS = 2
# Pieces of work given and not yet used: each holds some megabytes.
_AHEAD = 2


class InOrder:
    """A context manager; no thread is left when it ends, and what was not begun by then is dropped.

    What a piece of work raises is raised where its result would have been used: by ``do``, ``finish`` or the future.
    """

    def __init__(self, threads: int = _THREADS, ahead: int = _AHEAD) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="in-order")
        self._ahead = ahead
        self._under_way: deque[tuple[Future[Any], Callable[[Any], object]]] = deque()

    def __enter__(self) -> InOrder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        # What was not used refers to its user, who refers to this: together they would hold megabytes for a while.
        self._under_way.clear()

    def do(self, work: Callable[[], T], then: Callable[[T], object]) -> None:
        """``work`` in some thread, ``then`` with its result in this one, here or in a later call."""
        self._under_way.append((self._pool.submit(work), then))
        while len(self._under_way) > self._ahead:
            self._use_oldest()

    def aside(self, work: Callable[[], T]) -> Future[T]:
        """``work`` in some thread, outside the order."""
        return self._pool.submit(work)

    def finish(self) -> None:
        """Waits for all work given to ``do`` and uses its results."""
        while self._under_way:
            self._use_oldest()

    def _use_oldest(self) -> None:
        done, then = self._under_way.popleft()
        then(done.result())
