"""What a reader says that it found, so that a fast wrong answer is no result: all readers of a case must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

# Does one round, by its number; answers its proof.
Step = Callable[[int], Any]


def page_proof(rows: int, first: Any) -> dict[str, Any]:
    """How many rows a page has, and its first row's number where the data have one."""
    return {"proof": [rows, None if first is None else int(first)]}


def encoded_proof(rows: int, text: str) -> dict[str, Any]:
    """How many rows a JSON text has, and its characters, which differ as names are repeated or not."""
    return {"proof": [rows], "bytes": len(text)}


def window_proof(low: Iterable[float | None], high: Iterable[float | None]) -> dict[str, Any]:
    """Least and greatest of a chart's points."""
    return {"proof": [_some(min, low), _some(max, high)]}


def _some(choose: Callable[[Iterable[float]], float], values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return float(choose(present)) if present else None
