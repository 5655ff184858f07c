"""Rows chosen for a chart by LTTB and M4."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.page import Method, Reduction
from session_datasets.domain.profile import Order
from session_datasets.formats.measure.measure import restored
from session_datasets.formats.reading import series as series_module
from session_datasets.formats.reading.downsample import chosen_rows
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet

NAN = float("nan")
BOTH = [Reduction.LTTB, Reduction.M4]
both = pytest.mark.parametrize("reduction", BOTH)


def chosen(reduction: Reduction, values: pa.Array, points: int, x: pa.Array | None = None) -> list[int]:
    rows: list[int] = chosen_rows(reduction, values, x, points).to_pylist()
    return rows


@both
def test_as_many_rows_as_points_are_all_chosen(reduction: Reduction) -> None:
    assert chosen(reduction, pa.array([5, 3, 8, 1]), 4) == [0, 1, 2, 3]


@both
def test_the_first_row_the_last_and_a_lonely_peak_are_chosen(reduction: Reduction) -> None:
    values = [0.0] * 1_000
    values[437] = 50.0
    rows = chosen(reduction, pa.array(values), 40)
    assert {0, 437, 999} <= set(rows)
    assert len(rows) <= 40


def test_a_panic_of_the_library_is_an_error_as_any_other() -> None:
    with pytest.raises(RuntimeError, match="panic"):
        chosen(Reduction.LTTB, pa.array(range(100)), 1)


@both
def test_rows_without_a_value_are_left_out(reduction: Reduction) -> None:
    values = pa.array([None if n % 3 == 0 else NAN if n % 3 == 1 else float(n) for n in range(900)])
    rows = chosen(reduction, values, 20)
    assert rows
    assert all(row % 3 == 2 for row in rows)


@both
def test_rows_without_a_place_on_the_axis_are_left_out(reduction: Reduction) -> None:
    x = pa.array([None if n % 2 else n for n in range(500)])
    assert all(row % 2 == 0 for row in chosen(reduction, pa.array(range(500)), 20, x))


def test_m4_keeps_first_last_least_and_greatest_of_equally_wide_stretches() -> None:
    values = pa.array([3, 1, 9, 5, 4, 4, 2, 8, 6, 7, 0, 1])
    assert chosen(Reduction.M4, values, 8) == [0, 1, 2, 5, 6, 7, 10, 11]


def test_the_stretches_of_m4_are_equally_wide_on_an_axis_that_ascends() -> None:
    # Nearly all rows lie in the first half of the axis.
    x = pa.array([*range(100), 150, 160, 170, 199])
    rows = chosen(Reduction.M4, pa.array([n % 10 for n in range(104)]), 8, x)
    assert {100, 103} <= set(rows)


@pytest.mark.parametrize(
    ("x", "type_"),
    [
        ([-(2**63)] + [0] * 98 + [2**63 - 1], pa.int64()),
        ([0] * 50 + [2**64 - 1] * 50, pa.uint64()),
        ([2**64 - 100 + n for n in range(100)], pa.uint64()),
        ([*range(99), 10**9], pa.int64()),
        ([0] * 50 + [1] * 50, pa.int8()),
        ([1e16] * 50 + [1e16 + 2] * 50, pa.float64()),
        ([0.0] + [5e-324] * 99, pa.float64()),
        ([-8e307] * 99 + [8e307], pa.float64()),
    ],
    ids=["all of int64", "all of uint64", "the end of uint64", "a gap", "two", "two doubles", "subnormal", "wide"],
)
def test_m4_loses_neither_the_ends_nor_the_extremes_on_any_axis(x: list[Any], type_: pa.DataType) -> None:
    values = [(n * 37) % 100 for n in range(100)]
    rows = chosen(Reduction.M4, pa.array(values), 8, pa.array(x, type_))
    assert {0, 99, values.index(0), values.index(99)} <= set(rows)
    assert len(rows) <= 8


@both
@pytest.mark.parametrize("x", [range(500, 0, -1), [7] * 500, [(n * 37) % 500 for n in range(500)]], ids=str)
def test_an_axis_that_does_not_ascend_counts_for_nothing(reduction: Reduction, x: Any) -> None:
    values = pa.array([(n * 7919) % 1_009 for n in range(500)])
    assert chosen(reduction, values, 20, pa.array(list(x))) == chosen(reduction, values, 20)


number_types = [
    pa.int8(),
    pa.uint64(),
    pa.float16(),
    pa.float32(),
    pa.float64(),
    pa.decimal128(5, 1),
    pa.decimal64(5, 1),
]
time_types = [pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("us", "UTC"), pa.duration("ms")]


@both
@pytest.mark.parametrize("type_", number_types + time_types, ids=str)
def test_columns_and_axes_of_every_type_with_an_order_are_taken(reduction: Reduction, type_: pa.DataType) -> None:
    unit = 86_400_000 if type_ == pa.date64() else 1
    values = restored([n % 60 * unit for n in range(300)], type_)
    rows = chosen(reduction, values, 12, values)
    assert 2 <= len(rows) <= 12


def dataset(values: list[Any]) -> Any:
    return laid_out(
        parquet({"x": pa.array(range(100, 100 + len(values))), "v": pa.array(values, pa.float64())}), "v.parquet"
    )


@both
def test_a_series_of_chosen_rows_says_which_they_are_and_where_on_the_axis(reduction: Reduction) -> None:
    values = [None if n % 10 == 0 else float((n * 7919) % 1_009) for n in range(1_000)]
    series = dataset(values).series(["v"], 200, 500, 40, reduction=reduction, x="x")
    column = series.columns[0]
    assert (series.method, series.offset, series.rows, series.bucket_rows) == (Method(reduction), 200, 500, 1)
    assert column.rows == sorted(column.rows)
    assert 200 <= column.rows[0] <= column.rows[-1] < 700
    assert column.values == [values[row] for row in column.rows]
    assert column.x == [100 + row for row in column.rows]
    assert (column.missing, column.nulls, column.nans, column.gaps) == (50, 50, 0, 50)
    assert (series.axis.order, series.axis.series.values) == (Order.ASCENDING, None)


@both
def test_a_window_of_no_more_rows_than_points_is_exact(reduction: Reduction) -> None:
    series = dataset([1.0, None, 3.0]).series(["v"], max_points=8, reduction=reduction)
    assert (series.method, series.columns[0].values) == (Method.EXACT, [1.0, None, 3.0])


@both
def test_a_window_without_any_value_chooses_nothing(reduction: Reduction) -> None:
    column = dataset([None] * 50).series(["v"], max_points=8, reduction=reduction, x="x").columns[0]
    assert (column.values, column.rows, column.x, column.gaps) == ([], [], [], 50)


def test_more_values_than_are_held_are_refused_with_the_method_that_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_module, "SERIES_CHOSEN_VALUES_MAX", 100)
    made = dataset([float(n) for n in range(101)])
    with pytest.raises(Refusal) as refused:
        made.series(["v"], max_points=8, reduction=Reduction.LTTB)
    assert refused.value.problem.code is ProblemCode.TOO_LARGE
    assert refused.value.problem.retry_with == {"method": "auto"}


numbers = st.none() | st.floats(allow_nan=True, allow_infinity=True) | st.integers(-5, 5).map(float)


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(numbers, max_size=10) | st.lists(numbers, min_size=40, max_size=120),
    axis=st.lists(numbers, min_size=120, max_size=120),
    sorted_axis=st.booleans(),
    points=st.integers(8, 50),
    reduction=st.sampled_from(BOTH),
)
def test_chosen_rows_ascend_are_not_too_many_and_can_be_drawn(values, axis, sorted_axis, points, reduction) -> None:
    if sorted_axis:
        axis = sorted(0.0 if each is None or each != each else each for each in axis)
    x = pa.array(axis[: len(values)], pa.float64())
    rows = chosen(reduction, pa.array(values, pa.float64()), points, x)
    drawable = [
        place
        for place, pair in enumerate(zip(values, axis, strict=False))
        if all(each is not None and each == each for each in pair)
    ]
    assert rows == sorted(set(rows))
    assert set(rows) <= set(drawable)
    assert len(rows) <= points
    assert bool(rows) == bool(drawable)


@settings(max_examples=100, deadline=None)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 300), st.integers(-9, 9)), min_size=60, max_size=120),
    stretches=st.integers(2, 10),
)
def test_m4_is_what_its_definition_says(pairs: list[tuple[int, int]], stretches: int) -> None:
    x, y = sorted(at for at, _ in pairs), [value for _, value in pairs]
    assume(x[0] < x[-1])
    of_stretch: dict[int, list[int]] = {}
    for row, at in enumerate(x):
        stretch = int((at - x[0]) / (x[-1] - x[0]) * stretches)
        of_stretch.setdefault(min(stretch, stretches - 1), []).append(row)
    expected = {
        row
        for rows in of_stretch.values()
        for row in (rows[0], rows[-1], min(rows, key=lambda r: y[r]), max(rows, key=lambda r: y[r]))
    }
    assert chosen(Reduction.M4, pa.array(y), 4 * stretches, pa.array(x)) == sorted(expected)
