"""Derived objects in memory: written as storage writes them, read by counted ranges."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import DerivedObject, Role


@dataclass
class MemoryWriter:
    """Fulfils ``DerivedWriter``; ``bodies`` holds what was written."""

    bodies: dict[Role, io.BytesIO] = field(default_factory=dict)

    def sink(self, role: Role) -> io.BytesIO:
        assert role not in self.bodies
        return self.bodies.setdefault(role, io.BytesIO())

    def commit(self) -> Mapping[Role, DerivedObject]:
        return {role: DerivedObject(role.value, "1", len(body.getvalue())) for role, body in self.bodies.items()}

    def reader(self) -> MemoryReader:
        return MemoryReader({role: body.getvalue() for role, body in self.bodies.items()})


@dataclass
class MemoryReader:
    """Fulfils ``DerivedReader``; ``requests`` lists every (role, offset, length) that was read."""

    bodies: Mapping[Role, bytes]
    requests: list[tuple[Role, int, int]] = field(default_factory=list)

    @property
    def cost(self) -> ReadCost:
        return ReadCost(len(self.requests), sum(length for _, _, length in self.requests))

    def read(self, role: Role, offset: int, length: int) -> bytes:
        assert offset >= 0
        assert 0 < length <= len(self.bodies[role]) - offset
        self.requests.append((role, offset, length))
        return self.bodies[role][offset : offset + length]

    def read_each(self, role: Role, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        return [self.read(role, offset, length) for offset, length in ranges]
