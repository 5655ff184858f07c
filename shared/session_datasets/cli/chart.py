"""A series as one line of blocks: enough to see its course, in any terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any

from session_datasets.wire.answers import SeriesColumnPart

_BLOCKS = "▁▂▃▄▅▆▇█"
_GAP = " "


def line(column: SeriesColumnPart, width: int) -> str:
    """At most ``width`` blocks; a gap where a stretch has no value."""
    points = [_height(value) for value in _middles(column)]
    stretches = _stretched(points, width)
    known = [height for height in stretches if height is not None]
    if not known:
        return _GAP * len(stretches)
    low, span = min(known), (max(known) - min(known)) or 1.0
    top = len(_BLOCKS) - 1
    return "".join(_GAP if height is None else _BLOCKS[round((height - low) / span * top)] for height in stretches)


def bounds(column: SeriesColumnPart) -> tuple[Any, Any]:
    """The least and the greatest value of the series, as the page spells them; None for both when there is none."""
    lows = [value for value in (column.min if column.min is not None else column.values) or [] if _known(value)]
    highs = [value for value in (column.max if column.max is not None else column.values) or [] if _known(value)]
    return min(lows, key=_sortable, default=None), max(highs, key=_sortable, default=None)


def _middles(column: SeriesColumnPart) -> Sequence[Any]:
    if column.values is not None:
        return column.values
    pairs = zip(column.min or [], column.max or [], strict=True)
    heights = ((_height(low), _height(high)) for low, high in pairs)
    return [None if low is None or high is None else (low + high) / 2 for low, high in heights]


def _stretched(points: Sequence[float | None], width: int) -> list[float | None]:
    """``points`` averaged into at most ``width`` stretches."""
    length = min(width, len(points))
    edges = [len(points) * place // length for place in range(length + 1)] if length else []
    return [_mean(points[begin:end]) for begin, end in pairwise(edges)]


def _mean(points: Sequence[float | None]) -> float | None:
    known = [point for point in points if point is not None]
    return sum(known) / len(known) if known else None


def _known(value: Any) -> bool:
    return _height(value) is not None


def _sortable(value: Any) -> float:
    height = _height(value)
    return -math.inf if height is None else height


def _height(value: Any) -> float | None:
    """Numbers as they are, moments as seconds; None for gaps, NaN and whatever has no height."""
    if isinstance(value, bool) or value is None:
        return None if value is None else float(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return _seconds(value)
    return number if math.isfinite(number) else None


def _seconds(value: Any) -> float | None:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    # Only differences matter, so a moment without a zone counts as one in UTC.
    return (moment.replace(tzinfo=None) - datetime.combine(date.min, datetime.min.time())).total_seconds()
