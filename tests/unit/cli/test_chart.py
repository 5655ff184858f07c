"""A series as one line: its course, its bounds, its gaps."""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.cli.chart import bounds, line
from session_datasets.wire.answers import SeriesColumnPart


def column(**values: Any) -> SeriesColumnPart:
    return SeriesColumnPart.model_validate({"name": "a", "type": "double", "nulls": 0, **values})


@pytest.mark.parametrize(
    ("values", "course"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([5, 5, 5], "▁▁▁"),
        ([0, None, 7], "▁ █"),
        ([None, None], "  "),
        ([], ""),
        (["NaN", 0, "Infinity", 7], " ▁ █"),
        (["2024-01-01", "2024-01-08"], "▁█"),
        (["2024-01-01T00:00:00.000Z", "2024-01-01T00:00:01.000Z"], "▁█"),
        (["10", "9"], "█▁"),
    ],
)
def test_a_short_series_has_a_block_a_point(values: list[Any], course: str) -> None:
    assert line(column(values=values), 60) == course


def test_a_long_series_is_averaged_into_the_width() -> None:
    assert line(column(values=[0] * 500 + [1] * 500), 4) == "▁▁██"


def test_buckets_are_drawn_at_their_middle() -> None:
    assert line(column(min=[0, None, 6], max=[2, None, 8]), 60) == "▁ █"


def test_bounds_are_the_least_and_greatest_as_the_page_spells_them() -> None:
    assert bounds(column(values=[3, None, "NaN", 1.5])) == (1.5, 3)
    assert bounds(column(min=["10", None], max=["200", None])) == ("10", "200")
    assert bounds(column(values=[None])) == (None, None)
