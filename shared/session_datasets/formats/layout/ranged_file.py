"""A remote object as a file that pyarrow can read, fetched in as few ranges as pay off."""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Protocol

from session_datasets.domain.limits import KIB
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import Role

# A gap up to here is read along: at some 20 ms a request and 90 MB/s, a request costs as much as 1.8 MB, and a
# fraction of that keeps narrow reads narrow.
GAP_BYTES = 256 * KIB


class Reader(Protocol):
    """Counted ranged reads of derived objects, as ``operations.ports.DerivedReader`` states them."""

    @property
    def cost(self) -> ReadCost: ...

    def read(self, role: Role, offset: int, length: int) -> bytes: ...

    def read_each(self, role: Role, ranges: Sequence[tuple[int, int]]) -> list[bytes]: ...


class Sink(Protocol):
    """Bytes of one derived object, written in order, as ``operations.ports.Sink`` states them."""

    def write(self, data: bytes | memoryview) -> int: ...

    def tell(self) -> int: ...


def coalesced(ranges: Iterable[tuple[int, int]], gap: int = GAP_BYTES) -> list[tuple[int, int]]:
    """Ranges as (begin, end), sorted, those that overlap or lie at most ``gap`` apart made one."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((begin, end))
    return merged


class RangedFile(io.RawIOBase):
    """Reads what was fetched from memory, and anything else as one more request."""

    def __init__(self, reader: Reader, role: Role, size: int) -> None:
        self._reader = reader
        self._role = role
        self._size = size
        self._at = 0
        self._begins: list[int] = []
        self._pieces: list[bytes] = []

    def fetch(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Holds these ranges, and forgets what was held before."""
        wanted = coalesced(ranges)
        self._begins = [begin for begin, _ in wanted]
        self._pieces = self._reader.read_each(self._role, [(begin, end - begin) for begin, end in wanted])

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = origin + offset
        return self._at

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._size - self._at)
        length = left if size < 0 else min(size, left)
        data = self._held(self._at, length) if length else b""
        if data is None:
            data = self._reader.read(self._role, self._at, length)
        self._at += len(data)
        return data

    def _held(self, offset: int, length: int) -> bytes | None:
        place = bisect_right(self._begins, offset) - 1
        if place < 0:
            return None
        skip = offset - self._begins[place]
        piece = self._pieces[place][skip : skip + length]
        return piece if len(piece) == length else None
