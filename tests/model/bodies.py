"""The contents of files, and what the service makes of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

# Bytes beyond which the service under test leaves a profile to the queue, where that can be chosen.
AT_ONCE_BYTES = 64


@dataclass(frozen=True)
class Body:
    """``rows`` is None where nothing can be paged."""

    label: str
    data: bytes
    rows: tuple[tuple[int, str], ...] | None = None
    is_damaged: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    def __repr__(self) -> str:
        return self.label


def _table(label: str, first: int, count: int) -> Body:
    rows = tuple((number, f"w{number}") for number in range(first, first + count))
    return Body(label, b"n,w\n" + b"".join(b"%d,%s\n" % (number, word.encode()) for number, word in rows), rows)


# Several of one size: what is told apart by its length alone is not told apart.
BODIES = (
    _table("table", 10, 3),
    _table("other table", 20, 3),
    _table("large table", 10, 12),
    _table("other large table", 30, 12),
    Body("no rows", b"n,w\n", ()),
    Body("empty", b""),
    Body("damaged", b"\x1f\x8b\x08\x00" + bytes(range(40)), is_damaged=True),
    Body("large and damaged", b"\x1f\x8b\x08\x00" + bytes(range(100)), is_damaged=True),
)
