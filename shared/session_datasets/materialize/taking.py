"""The rule of every budget here: the item that would pass it is not taken, and ends the taking."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def take_within_bytes(
    items: Iterable[Item], size_of: Callable[[Item], int], max_bytes: int | None
) -> tuple[list[Item], bool]:
    """The items whose sizes add up to at most ``max_bytes``, and whether one more was there.

    ``items`` is consumed lazily, up to and with the first item that does not fit. Without a budget all are taken.
    """
    taken: list[Item] = []
    total = 0
    for item in items:
        if max_bytes is not None:
            total += size_of(item)
            if total > max_bytes:
                return taken, True
        taken.append(item)
    return taken, False
