"""A series as one line of blocks: enough to see its course, in any terminal."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from session_datasets.cli.heights import height
from session_datasets.domain.profile import Order
from session_datasets.wire.answers import SeriesColumnPart

_BLOCKS = "▁▂▃▄▅▆▇█"
_GAP = " "
# Beginnings of the types whose values lie on a scale.
_SCALES = ("int", "uint", "double", "float", "halffloat", "decimal", "bool", "date", "time", "duration")


def is_drawn(type_: str) -> bool:
    """Whether the values of this type, in Arrow's spelling, have a course at all: texts and nested values have none."""
    return type_.startswith(_SCALES)


def line(column: SeriesColumnPart, width: int) -> str:
    """At most ``width`` blocks; a gap where a stretch has no value."""
    points = _middles(column)
    stretches = _stretched(points, width)
    known = [point for point in stretches if point is not None]
    if not known:
        return _GAP * len(stretches)
    low, span = min(known), (max(known) - min(known)) or Decimal(1)
    top = len(_BLOCKS) - 1
    return "".join(_GAP if point is None else _BLOCKS[round((point - low) / span * top)] for point in stretches)


def bounds(column: SeriesColumnPart) -> tuple[Any, Any]:
    """The least and the greatest value of the series, as the page spells them; None for both when there is none."""
    lows = _known(column.values if column.min is None else column.min)
    highs = _known(column.values if column.max is None else column.max)
    return min(lows, key=lows.__getitem__, default=None), max(highs, key=highs.__getitem__, default=None)


def ends_of_axis(column: SeriesColumnPart, order: Order) -> tuple[Any, Any] | None:
    """The first and the last value of the axis, as far as ``column`` tells them: the axis itself, or one whose rows
    were chosen. An unsorted axis in buckets has its least and its greatest."""
    known = column.x if column.rows is not None else column.values
    if known:
        return known[0], known[-1]
    if not column.min or not column.max:
        return None
    if order is Order.UNSORTED:
        return bounds(column)
    return (column.min[0], column.max[-1]) if order is Order.ASCENDING else (column.max[0], column.min[-1])


def _middles(column: SeriesColumnPart) -> list[Decimal | None]:
    if column.values is not None:
        return [height(value) for value in column.values]
    pairs = zip(column.min or [], column.max or [], strict=True)
    heights = ((height(low), height(high)) for low, high in pairs)
    return [None if low is None or high is None else (low + high) / 2 for low, high in heights]


def _stretched(points: Sequence[Decimal | None], width: int) -> list[Decimal | None]:
    """``points`` averaged into at most ``width`` stretches."""
    length = min(width, len(points))
    edges = [len(points) * place // length for place in range(length + 1)] if length else []
    return [_mean(points[begin:end]) for begin, end in pairwise(edges)]


def _mean(points: Sequence[Decimal | None]) -> Decimal | None:
    known = [point for point in points if point is not None]
    return sum(known, Decimal(0)) / len(known) if known else None


def _known(values: Sequence[Any] | None) -> dict[Any, Decimal]:
    """The height of every value that has one."""
    heights = ((value, height(value)) for value in values or [] if not isinstance(value, (list, dict)))
    return {value: found for value, found in heights if found is not None}
