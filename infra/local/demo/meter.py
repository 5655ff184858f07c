"""Counts what goes through every verb, at the one seam that all calls pass."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from session_datasets.client.transport import Body, Transport
from session_datasets.domain.names import Verb


@dataclass
class Tally:
    """What one verb did. ``answer_bytes`` are the UTF-8 bytes of its JSON answers, ``file_bytes`` those that went
    past it on presigned URLs; ``s3_requests`` are its own reads and the requests of those URLs."""

    calls: int = 0
    rows: int = 0
    answer_bytes: int = 0
    file_bytes: int = 0
    s3_requests: int = 0
    milliseconds: float = 0.0

    def add(self, other: Tally) -> None:
        for name, value in asdict(other).items():
            setattr(self, name, getattr(self, name) + value)


class Meter:
    """A transport around another one."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.tallies: dict[str, Tally] = {}

    def call(self, verb: Verb, body: Body) -> Body:
        began = time.perf_counter()
        answered = self._inner.call(verb, body)
        milliseconds = (time.perf_counter() - began) * 1000
        self.tallies.setdefault(verb.value, Tally()).add(_tally(body, answered, milliseconds))
        return answered

    def add(self, tallies: Mapping[str, Mapping[str, Any]]) -> None:
        """What another process counted."""
        for verb, tally in tallies.items():
            self.tallies.setdefault(verb, Tally()).add(Tally(**tally))

    def to_json(self) -> dict[str, dict[str, Any]]:
        return {verb: asdict(tally) for verb, tally in self.tallies.items()}


def _tally(body: Body, answered: Body, milliseconds: float) -> Tally:
    transfer = _Transfer.of(body, answered)
    return Tally(
        calls=1,
        rows=_rows(answered),
        answer_bytes=json_bytes(answered),
        file_bytes=transfer.size,
        s3_requests=answered.get("s3_requests", 0) + transfer.requests,
        milliseconds=milliseconds,
    )


@dataclass(frozen=True)
class _Transfer:
    size: int = 0
    requests: int = 0

    @classmethod
    def of(cls, body: Body, answered: Body) -> Self:
        if "put" in answered:
            return cls(body["size"], 1)
        if parts := answered.get("parts"):
            return cls(body["size"], len(parts) + 1)
        return cls(answered["size"], 1) if "download" in answered else cls()


def _rows(answered: Body) -> int:
    if "returned" in answered:
        return int(answered["returned"])
    return int(answered["rows"]) if isinstance(answered.get("rows"), int) else 0


def json_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
