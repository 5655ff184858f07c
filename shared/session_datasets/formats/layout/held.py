"""What a process remembers of the objects it read, least recently used out first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

from session_datasets.domain.profile import DerivedObject

T = TypeVar("T")


class Held(Generic[T]):
    """Things by the key and version of the object they were read from, which never changes under them.

    Up to ``bytes_max`` of them together, by the bytes that each was said to have, and the newest in any case.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._held: OrderedDict[tuple[str, str], tuple[T, int]] = OrderedDict()

    def of(self, source: DerivedObject, read: Callable[[], tuple[T, int]]) -> T:
        """The thing; ``read`` makes it and says its bytes, unless it is held already."""
        place = (source.key, source.version_id)
        # Looked up once: another thread may drop it between two looks.
        found = self._held.get(place)
        if found is None:
            found = self._held[place] = read()
        self._held.move_to_end(place)
        while len(self._held) > 1 and sum(size for _, size in self._held.values()) > self._bytes_max:
            self._held.popitem(last=False)
        return found[0]
