"""What must become of an odd file: rows and types, an opaque file, or a problem. Nothing else is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.profile import NO_HINTS, ReadingHints
from tests.support.laid_out import laid_out, problem_of, understood


@dataclass(frozen=True)
class Read:
    """``types``, cells, and what the note must say (nothing when empty); ``reading``: what the profile says of it."""

    types: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Kept:
    """Opaque, with a note that says this."""

    note: str


@dataclass(frozen=True)
class Refused:
    """With a detail that says this."""

    detail: str
    code: ProblemCode = ProblemCode.UNREADABLE_FILE


Outcome = Read | Kept | Refused


def require(outcome: Outcome, data: bytes, name: str, hints: ReadingHints = NO_HINTS) -> None:
    """Lays the file out and compares."""
    if isinstance(outcome, Read):
        dataset = laid_out(data, name, hints)
        assert dataset.types == dict(outcome.types)
        assert dataset.rows == [list(row) for row in outcome.rows]
        assert outcome.note in (dataset.table.note or "")
        assert bool(outcome.note) == bool(dataset.table.note)
        assert {key: dataset.profile.reading.get(key) for key in outcome.reading} == dict(outcome.reading)
    elif isinstance(outcome, Kept):
        table = understood(data, name, hints)
        assert table.layout_name is None
        assert outcome.note in (table.note or "")
    else:
        problem = problem_of(data, name, hints)
        assert problem.code is outcome.code
        assert outcome.detail in problem.detail
        assert problem.advice
