"""A rows object in memory, read by counted ranges as storage reads one in S3."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from session_datasets.domain.page import ReadCost


@dataclass
class MemoryRanges:
    """Fulfils ``RangeSource``; ``requests`` lists every (offset, length) that was read."""

    data: bytes
    requests: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, file: Path) -> MemoryRanges:
        return cls(file.read_bytes())

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def cost(self) -> ReadCost:
        return ReadCost(len(self.requests), sum(length for _, length in self.requests))

    def read(self, offset: int, length: int) -> bytes:
        assert offset >= 0
        assert 0 < length <= len(self.data) - offset
        self.requests.append((offset, length))
        return self.data[offset : offset + length]
