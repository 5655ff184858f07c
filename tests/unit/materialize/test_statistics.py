"""Numbers of a column, exactly."""

from __future__ import annotations

import math
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.materialize.cells import Cell
from session_datasets.materialize.statistics import Numbers

NAN, INF = math.nan, math.inf


def stats(*cells: Cell) -> dict[str, Any] | None:
    numbers = Numbers()
    for cell in cells:
        numbers.add(cell)
    return numbers.to_stats()


@pytest.mark.parametrize(
    ("cells", "least", "greatest", "mean"),
    [
        ((1, 2, 6), 1, 6, 3.0),
        ((NAN, 1.0, 3.0), 1.0, 3.0, 2.0),
        ((1.0, 3.0, NAN), 1.0, 3.0, 2.0),
        ((True, False, 5), 5, 5, 5.0),
        ((Decimal("0.1"), Decimal("0.3")), Decimal("0.1"), Decimal("0.3"), 0.2),
        ((Decimal("0.5"), 1, 1.5), Decimal("0.5"), 1.5, 1.0),
        ((2**53 + 1, 2**53 + 3), 2**53 + 1, 2**53 + 3, float(2**53 + 2)),
        ((10**400, 10**400), 10**400, 10**400, 10**400),
        ((INF, 1.0), 1.0, INF, INF),
        ((INF, -INF), -INF, INF, None),
        (("a", 1, "2", 3), 1, 3, 2.0),
        ((1e308, 1e308), 1e308, 1e308, 1e308),
        ((0.1,) * 10, 0.1, 0.1, 0.1),
        ((1e100, 1.0, -1e100), -1e100, 1e100, 1 / 3),
        ((Decimal("sNaN"), Decimal("NaN"), 4), 4, 4, 4.0),
        ((Decimal("1e999999"), 1), 1, Decimal("1e999999"), None),
    ],
    ids=str,
)
def test_least_greatest_and_mean(cells: tuple[Cell, ...], least: Any, greatest: Any, mean: Any) -> None:
    found = stats(*cells)
    assert found is not None
    assert (found["min"], found["max"], found["mean"]) == (least, greatest, mean)


def test_nan_and_null_are_counted_and_left_out() -> None:
    found = stats(None, NAN, 1, NAN, 2, None, None)
    assert found == {"min": 1, "max": 2, "mean": 1.5, "count": 2, "nans": 2, "nulls": 3}


@pytest.mark.parametrize("cells", [(), (None,), (NAN,), (True,), ("1",)], ids=str)
def test_without_a_number_there_are_none(cells: tuple[Cell, ...]) -> None:
    assert stats(*cells) is None


NUMBERS = st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.decimals(-(10**9), 10**9))


@given(st.lists(NUMBERS, min_size=1))
def test_the_mean_is_the_double_nearest_to_the_exact_one(numbers: list[Any]) -> None:
    found = stats(*numbers)
    assert found is not None
    exact = sum(map(Fraction, numbers)) / len(numbers)
    assert found["mean"] == float(exact)
    assert (found["min"], found["max"]) == (min(numbers), max(numbers))


@given(st.lists(st.one_of(st.integers(), st.floats(), st.decimals(), st.none(), st.booleans(), st.text())))
def test_no_value_makes_them_raise(cells: list[Any]) -> None:
    stats(*cells)


def test_the_order_of_the_numbers_changes_nothing() -> None:
    numbers = [1e16, 1.0, -1e16, 3.5, 1e-9] * 20
    shuffled = random.Random(7).sample(numbers, len(numbers))
    assert stats(*numbers) == stats(*shuffled)
