"""A series as one line: its course, its bounds, its gaps."""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.cli.chart import bounds, ends_of_axis, is_drawn, line
from session_datasets.domain.profile import Order
from session_datasets.wire.answers import SeriesColumnPart


def column(**values: Any) -> SeriesColumnPart:
    return SeriesColumnPart.model_validate({"name": "a", "type": "double", "missing": 0, "gaps": 0, **values})


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


def test_bounds_beyond_what_a_float_holds_are_exact() -> None:
    wide = [str(2**60 + n) for n in (1, 3, 2)]
    assert bounds(column(values=wide)) == (str(2**60 + 1), str(2**60 + 3))
    assert bounds(column(min=wide[:2], max=wide[1:])) == (str(2**60 + 1), str(2**60 + 3))


def test_bounds_of_decimals_are_exact() -> None:
    long = ["12345678901234567890123456789012345.61", "12345678901234567890123456789012345.63", "-0.50"]
    assert bounds(column(values=long)) == ("-0.50", long[1])
    assert bounds(column(values=long[:2])) == (long[0], long[1])


def test_the_course_of_values_that_are_one_float_is_drawn() -> None:
    assert line(column(values=[str(2**60 + n) for n in range(8)]), 60) == "▁▂▃▄▅▆▇█"


@pytest.mark.parametrize(
    ("least", "greatest"),
    [
        ("2024-01-01T00:00:00.000000001Z", "2024-01-01T00:00:00.000000002Z"),
        ("-0001-12-31", "0000-01-01"),
        ("9999-12-31", "+10000-01-01"),
        ("2023-12-31T23:59:59", "2024-01-01T00:00:00"),
        ("09:59:59.999999", "10:00:00.000000"),
        ("-PT2.000S", "PT10.000S"),
        ("PT9.000S", "PT10.000S"),
    ],
)
def test_bounds_of_moments_and_durations_follow_time(least: str, greatest: str) -> None:
    assert bounds(column(values=[greatest, None, least])) == (least, greatest)


@pytest.mark.parametrize(
    ("values", "order", "ends"),
    [
        ({"values": [3, 1, 2]}, Order.UNSORTED, (3, 2)),
        ({"min": [1, 4], "max": [3, 6]}, Order.ASCENDING, (1, 6)),
        ({"min": [4, 1], "max": [6, 3]}, Order.DESCENDING, (6, 1)),
        ({"min": [4, 1], "max": [6, 9]}, Order.UNSORTED, (1, 9)),
        ({"values": [5.0, 6.0], "rows": [0, 9], "x": ["2024-01-01", "2024-01-10"]}, Order.ASCENDING,
         ("2024-01-01", "2024-01-10")),
        ({"values": []}, Order.ASCENDING, None),
        ({}, Order.ASCENDING, None),
    ],
)  # fmt: skip
def test_the_axis_ends_where_its_rows_do(values: dict[str, Any], order: Order, ends: tuple[Any, Any] | None) -> None:
    assert ends_of_axis(column(**values), order) == ends


@pytest.mark.parametrize("type_", ["int64", "decimal128(10, 2)", "bool", "timestamp[us, tz=UTC]", "duration[ns]"])
def test_what_lies_on_a_scale_is_drawn(type_: str) -> None:
    assert is_drawn(type_)


@pytest.mark.parametrize(
    "type_", ["string", "large_string", "binary", "struct<a: int64>", "list<item: double>", "null"]
)
def test_texts_and_nested_values_are_not_drawn(type_: str) -> None:
    assert not is_drawn(type_)
