"""Names that are free: a name itself, or the first of its numbered siblings, ``price_2``, ``price_3``."""

from __future__ import annotations

from collections.abc import Callable


class NumberedNames:
    """Names one after the other. A sibling that was not free for one is not tried for the next, so that many columns
    of one name are named in one pass: a sibling that is taken has to stay taken."""

    def __init__(self) -> None:
        # By name the last number that was tried for it.
        self._tried: dict[str, int] = {}

    def free(self, name: str, is_taken: Callable[[str], bool]) -> str:
        """``is_taken`` may say of the name itself that it is free for one and taken for another."""
        found, number = name, self._tried.get(name, 1)
        while is_taken(found):
            number += 1
            found = numbered(name, number)
        self._tried[name] = number
        return found


def numbered(name: str, number: int) -> str:
    return f"{name}_{number}"
