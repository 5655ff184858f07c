"""The series of a chart: exact while it is short, smallest and largest per bucket beyond."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX
from session_datasets.domain.page import Method, Series
from session_datasets.domain.profile import Order, Role
from session_datasets.formats.layout import segments
from session_datasets.formats.layout.columns import Footers
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.pyramid import PYRAMID_ROWS_MIN
from session_datasets.formats.reading import series_source
from session_datasets.formats.reading.series import bucket_rows_of, read_series
from session_datasets.formats.reading.series_source import SeriesSource
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet

NAN = float("nan")


def one_column(values: list[Any], type_: pa.DataType) -> LaidOut:
    return laid_out(parquet({"v": pa.array(values, type_)}), "rows.parquet")


def test_as_many_rows_as_points_are_exact_and_one_more_are_not() -> None:
    dataset = one_column([3, 1, None, 2, 5], pa.int64())
    exact, reduced = dataset.series(["v"], max_points=5), dataset.series(["v"], max_points=4)
    assert (exact.method, exact.bucket_rows, exact.columns[0].values) == (Method.EXACT, 1, [3, 1, None, 2, 5])
    assert (exact.columns[0].min, exact.columns[0].max, exact.columns[0].nulls) == (None, None, 1)
    assert (reduced.method, reduced.bucket_rows, reduced.columns[0].values) == (Method.MIN_MAX, 3, None)
    assert (reduced.columns[0].min, reduced.columns[0].max, reduced.columns[0].nulls) == ([1, 2], [3, 5], 1)


def test_a_bucket_counts_two_of_the_points() -> None:
    series = one_column(list(range(100)), pa.int64()).series(["v"], max_points=20)
    assert (series.bucket_rows, len(series.columns[0].min or []), len(series.columns[0].max or [])) == (10, 10, 10)


def test_a_window_is_read_from_its_offset_and_ends_with_the_dataset() -> None:
    series = one_column(list(range(10)), pa.int64()).series(["v"], offset=7, rows=100)
    assert (series.offset, series.rows, series.total, series.columns[0].values) == (7, 3, 10, [7, 8, 9])


@pytest.mark.parametrize("offset", [10, 11])
def test_a_window_beyond_the_end_is_empty(offset: int) -> None:
    series = one_column(list(range(10)), pa.int64()).series(["v"], offset=offset)
    assert (series.rows, series.method, series.columns[0].values) == (0, Method.EXACT, [])


def test_a_reduced_window_is_widened_to_whole_buckets_and_says_so() -> None:
    series = one_column(list(range(100)), pa.int64()).series(["v"], offset=13, rows=50, max_points=12)
    assert (series.offset, series.rows, series.bucket_rows) == (9, 54, 9)
    assert series.columns[0].min == [9, 18, 27, 36, 45, 54]


def test_a_widened_window_ends_with_the_dataset() -> None:
    series = one_column(list(range(95)), pa.int64()).series(["v"], offset=50, rows=45, max_points=10)
    assert (series.offset, series.rows, series.bucket_rows) == (48, 47, 12)
    assert (series.columns[0].max or [])[-1] == 94


@given(offset=st.integers(0, 10**12), rows=st.integers(1, 10**9), buckets_max=st.integers(2, 10_000))
def test_buckets_that_touch_the_window_are_never_too_many_and_hardly_longer_than_needed(
    offset: int, rows: int, buckets_max: int
) -> None:
    bucket_rows = bucket_rows_of(offset, rows, buckets_max)
    touched = -(-(offset + rows) // bucket_rows) - offset // bucket_rows
    assert touched <= buckets_max
    assert bucket_rows <= -(-rows // (buckets_max - 1))


def test_a_bucket_of_nulls_or_nan_only_is_a_gap() -> None:
    series = one_column([None, None, NAN, NAN, 1.0, NAN, 2.0, None], pa.float64()).series(["v"], max_points=7)
    column = series.columns[0]
    assert (series.bucket_rows, column.min, column.max) == (3, [None, 1.0, 2.0], [None, 1.0, 2.0])
    assert (column.nulls, column.nans, column.missing, column.gaps) == (3, 3, 6, 1)


def test_rows_without_a_value_are_the_gaps_of_an_exact_series() -> None:
    column = one_column([None, NAN, 1.0, NAN], pa.float64()).series(["v"]).columns[0]
    assert (column.values, column.nulls, column.nans, column.missing, column.gaps) == (
        [None, "NaN", 1.0, "NaN"], 1, 2, 3, 3,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "values", "low", "high"),
    [
        (pa.int64(), [2**60, 1, 9, 2, 3], ["1", "2"], [str(2**60), "3"]),
        (pa.float32(), [0.1, 0.2, 0.2, 0.3, 0.4], [0.1, 0.3], [0.2, 0.4]),
        (pa.decimal128(4, 2), [Decimal("1.5"), Decimal("0.5"), None, None, Decimal("2")],
         ["0.50", "2.00"], ["1.50", "2.00"]),
        (pa.date32(), [1, 0, 1, 2, 3], ["1970-01-01", "1970-01-03"], ["1970-01-02", "1970-01-04"]),
        (pa.timestamp("ms", "UTC"), [1, 0, None, None, None],
         ["1970-01-01T00:00:00.000Z", None], ["1970-01-01T00:00:00.001Z", None]),
        (pa.duration("ms"), [1, -1, 0, 0, 2], ["-PT0.001S", "PT0.000S"], ["PT0.001S", "PT0.002S"]),
        (pa.time64("ns"), [1, 2, 2, 3, 4],
         ["00:00:00.000000001", "00:00:00.000000003"], ["00:00:00.000000002", "00:00:00.000000004"]),
    ],
    ids=str,
)  # fmt: skip
def test_buckets_are_spelled_like_cells(type_: pa.DataType, values: list[Any], low: list[Any], high: list[Any]) -> None:
    series = one_column(values, type_).series(["v"], max_points=4)
    assert (series.bucket_rows, series.columns[0].min, series.columns[0].max) == (3, low, high)


@pytest.mark.parametrize("type_", [pa.string(), pa.bool_(), pa.list_(pa.int64())])
def test_what_has_no_order_to_plot_is_exact_or_refused(type_: pa.DataType) -> None:
    dataset = one_column([None] * 5, type_)
    assert dataset.series(["v"], max_points=5).columns[0].values == [None] * 5
    with pytest.raises(Refusal) as refused:
        dataset.series(["v"], max_points=4)
    assert refused.value.problem.code is ProblemCode.INVALID_REQUEST
    assert refused.value.problem.retry_with == {"rows": 4}


def test_columns_come_in_the_asked_order_and_unknown_ones_are_refused() -> None:
    dataset = laid_out("a,b\n1,2\n3,4\n")
    assert [column.values for column in dataset.series(["b", "a"]).columns] == [[2, 4], [1, 3]]
    for asked in ({"columns": ["aa"]}, {"columns": ["b"], "x": "aa"}):
        with pytest.raises(Refusal) as refused:
            dataset.series(**asked)
        assert refused.value.problem.did_you_mean == ("a",)


# --- the axis ----------------------------------------------------------------------------------------------------


def test_the_axis_comes_beside_the_columns_in_the_order_of_the_rows() -> None:
    series = laid_out("t,v\n3,1\n1,2\n2,3\n").series(["v"], x="t")
    assert [column.column.name for column in series.columns] == ["v"]
    assert series.axis is not None
    assert (series.axis.series.column.name, series.axis.series.values) == ("t", [3, 1, 2])


def test_without_an_axis_there_is_none() -> None:
    assert laid_out("t,v\n3,1\n").series(["v"]).axis is None


def test_the_axis_may_be_one_of_the_columns() -> None:
    series = laid_out("t,v\n3,1\n1,2\n").series(["v", "t"], x="t")
    assert series.axis is not None
    assert series.columns[1] == series.axis.series


@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([1, 1, 2, 5, 9], Order.ASCENDING),
        ([9, 5, 5, 1, 0], Order.DESCENDING),
        ([1, 3, 2, 4, 5], Order.UNSORTED),
        ([1, None, 2, 3, 4], Order.UNSORTED),
        ([3, 3, 3, 3, 3], Order.ASCENDING),
    ],
)
@pytest.mark.parametrize("max_points", [5, 4])
def test_the_order_of_the_axis_is_measured_where_its_rows_are_read(
    values: list[int | None], order: Order, max_points: int
) -> None:
    series = one_column(values, pa.int64()).series(["v"], x="v", max_points=max_points)
    assert series.axis is not None
    assert series.axis.order is order


def test_a_window_of_an_unsorted_axis_may_be_sorted() -> None:
    series = one_column([9, 1, 2, 3], pa.int64()).series(["v"], offset=1, x="v", x_order=Order.UNSORTED)
    assert series.axis is not None
    assert series.axis.order is Order.ASCENDING


def test_an_axis_of_nested_values_has_no_order() -> None:
    series = laid_out(json.dumps([{"x": [1], "v": 1}, {"x": [2], "v": 2}]), "rows.json").series(["v"], x="x")
    assert series.axis is not None
    assert series.axis.order is Order.UNSORTED


def test_the_axis_of_buckets_has_its_least_and_greatest_of_each() -> None:
    lines = "\n".join(f"{100 - n},{n}" for n in range(100))
    series = laid_out("t,v\n" + lines + "\n").series(["v"], x="t", max_points=4)
    assert series.axis is not None
    assert (series.axis.series.min, series.axis.series.max, series.axis.order) == ([51, 1], [100, 50], Order.DESCENDING)


# --- sizes -------------------------------------------------------------------------------------------------------


def read_within(dataset: LaidOut, rows: int, max_bytes: int) -> Series:
    source = SeriesSource(dataset.reader, dataset.layout, Directories(), Footers())
    return read_series(source, columns=["v"], offset=0, rows=rows, max_points=rows, max_bytes=max_bytes)


def test_an_exact_series_is_answered_up_to_its_bytes_and_refused_beyond() -> None:
    dataset = one_column(["a", "b", "c", None], pa.string())
    needed = len('["a", "b", "c", null]')
    assert read_within(dataset, 4, needed).columns[0].values == ["a", "b", "c", None]
    with pytest.raises(Refusal) as refused:
        read_within(dataset, 4, needed - 1)
    assert refused.value.problem.code is ProblemCode.TOO_LARGE
    assert refused.value.problem.retry_with == {"offset": 0, "rows": 2}


def test_a_series_too_large_says_what_an_answer_holds_and_offers_rows_that_fit_it() -> None:
    dataset = one_column([f"{n:06}" * 10_000 for n in range(300)], pa.string())
    with pytest.raises(Refusal) as refused:
        dataset.series(["v"])
    assert refused.value.problem.detail == (
        f"The series takes more than the {PAGE_BYTES_MAX:,} bytes of JSON that an answer holds. Nothing was answered."
    )
    offered = refused.value.problem.retry_with
    values = dataset.series(["v"], offset=offered["offset"], rows=offered["rows"]).columns[0].values
    assert PAGE_BYTES_MAX / 10 < len(json.dumps(values)) <= PAGE_BYTES_MAX


def test_one_row_too_large_for_a_series_is_left_to_the_other_verbs() -> None:
    dataset = one_column(["x" * 1_000], pa.string())
    with pytest.raises(Refusal) as refused:
        read_within(dataset, 1, 500)
    assert refused.value.problem.code is ProblemCode.TOO_LARGE
    assert refused.value.problem.retry_with == {}
    assert "read_rows" in refused.value.problem.advice
    assert "load_artifact" in refused.value.problem.advice


def test_more_rows_than_a_call_reads_are_refused_with_a_window_that_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = one_column(list(range(100)), pa.int64())
    monkeypatch.setattr(series_source, "SERIES_ROWS_MAX", 50)
    with pytest.raises(Refusal) as refused:
        dataset.series(["v"], offset=10, max_points=4)
    assert refused.value.problem.code is ProblemCode.TOO_LARGE
    assert dataset.series(["v"], max_points=4, **refused.value.problem.retry_with).rows >= 50


# --- where the rows come from --------------------------------------------------------------------------------------

LONG = 200_000


@pytest.fixture(scope="module")
def long_dataset() -> LaidOut:
    """Numbers up and down, with gaps in every seventh row; texts; decimals; two kinds of missing doubles."""
    numbers = [None if n % 7 == 0 else (n * 7919) % 10_007 for n in range(LONG)]
    doubles = [None if n % 5 == 0 else NAN if n % 11 == 0 else n / 8 for n in range(LONG)]
    return laid_out(
        parquet(
            {
                "up": pa.array(range(LONG), pa.timestamp("ms", "UTC")),
                "v": pa.array(numbers, pa.int64()),
                "d": pa.array(doubles, pa.float64()),
                "money": pa.array(range(LONG)).cast(pa.decimal128(21, 2)),
            }
        ),
        "long.parquet",
    )


@pytest.fixture
def long(long_dataset: LaidOut) -> LaidOut:
    """The long dataset; its requests are counted anew, and its directory and footer are known."""
    long_dataset.series(["money"], max_points=4)
    long_dataset.reader.requests.clear()
    return long_dataset


def roles(dataset: LaidOut) -> list[Role]:
    return [role for role, _, _ in dataset.reader.requests]


@pytest.mark.parametrize(("offset", "rows"), [(0, LONG), (12_345, 150_000), (LONG - PYRAMID_ROWS_MIN, LONG)])
def test_a_long_window_is_one_small_request_for_each_column(long: LaidOut, offset: int, rows: int) -> None:
    series = long.series(["v"], offset, rows, max_points=1_000)
    assert (series.method, roles(long)) == (Method.MIN_MAX, [Role.PYRAMID])
    assert series.cost.bytes_read <= 40_000
    assert 250 <= len(series.columns[0].min or []) <= 500


def test_a_long_window_of_the_pyramid_is_what_the_rows_say(long: LaidOut) -> None:
    series = long.series(["v"], 12_345, 150_000, max_points=1_000)
    rows = [None if n % 7 == 0 else (n * 7919) % 10_007 for n in range(series.offset, series.offset + series.rows)]
    buckets = [
        [value for value in rows[at : at + series.bucket_rows] if value is not None]
        for at in range(0, len(rows), series.bucket_rows)
    ]
    column = series.columns[0]
    assert series.offset <= 12_345
    assert series.offset + series.rows >= 162_345
    assert (column.min, column.max) == ([min(bucket) for bucket in buckets], [max(bucket) for bucket in buckets])
    assert (column.nulls, column.nans, column.missing, column.gaps) == (rows.count(None), 0, rows.count(None), 0)


def test_nulls_and_nan_that_are_known_together_only_are_told_as_missing(long: LaidOut) -> None:
    column = long.series(["d"], max_points=1_000).columns[0]
    missing = sum(n % 5 == 0 or n % 11 == 0 for n in range(LONG))
    assert (column.missing, column.nulls, column.nans) == (missing, None, None)


def test_a_column_that_the_pyramid_lacks_comes_in_the_same_buckets(long: LaidOut) -> None:
    series = long.series(["money", "v"], max_points=1_000)
    assert set(roles(long)) == {Role.PYRAMID, Role.COLUMNS}
    low = series.columns[0].min or []
    assert len(low) == len(series.columns[1].min or [])
    assert low[:2] == ["0.00", f"{series.bucket_rows}.00"]


def test_more_points_than_the_pyramid_has_buckets_come_from_the_columns(long: LaidOut) -> None:
    series = long.series(["v"], 0, 100_000, max_points=20_000)
    assert set(roles(long)) == {Role.COLUMNS}
    assert (series.bucket_rows, len(series.columns[0].min or [])) == (10, 10_000)


def test_a_short_window_comes_from_the_segments(long: LaidOut) -> None:
    series = long.series(["v"], 100_000, 20_000, max_points=2_000)
    assert set(roles(long)) == {Role.ROWS}
    assert series.bucket_rows == 20


def test_the_order_of_the_whole_axis_is_that_of_a_window_of_the_pyramid(long: LaidOut) -> None:
    known = long.series(["v"], x="up", x_order=Order.ASCENDING, max_points=1_000)
    unknown = long.series(["v"], x="up", max_points=1_000)
    assert known.axis is not None
    assert unknown.axis is not None
    assert (known.axis.order, unknown.axis.order) == (Order.ASCENDING, Order.UNSORTED)
    assert known.axis.series.column.type == "timestamp[ms, tz=UTC]"
    assert (known.axis.series.min or [])[0] == "1970-01-01T00:00:00.000Z"


@settings(max_examples=15, deadline=None)
@given(offset=st.integers(0, LONG - 1), rows=st.integers(1, LONG), points=st.integers(4, 3_000))
def test_no_window_of_any_length_hides_an_extreme(long_dataset: LaidOut, offset: int, rows: int, points: int) -> None:
    series = long_dataset.series(["v"], offset, rows, points)
    window = [None if n % 7 == 0 else (n * 7919) % 10_007 for n in range(offset, min(LONG, offset + rows))]
    present = [value for value in window if value is not None]
    column = series.columns[0]
    drawn = [value for value in (column.values or []) + (column.min or []) + (column.max or []) if value is not None]
    assert len((column.values or []) + (column.min or []) + (column.max or [])) <= points
    if present:
        assert min(drawn) <= min(present)
        assert max(drawn) >= max(present)
    if series.method is Method.EXACT:
        assert column.values == window


@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(st.integers(-100, 100) | st.none(), min_size=1, max_size=60),
    offset=st.integers(0, 70),
    rows=st.integers(1, 70),
    points=st.integers(4, 20),
)
def test_buckets_hold_the_smallest_and_largest_of_their_rows(values, offset, rows, points) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT_ROWS_MAX", 7)
        series = one_column(values, pa.int64()).series(["v"], offset, rows, points)
    window = values[series.offset : series.offset + series.rows]
    buckets = [window[at : at + series.bucket_rows] for at in range(0, len(window), series.bucket_rows)]
    present = [[value for value in bucket if value is not None] for bucket in buckets]
    column = series.columns[0]
    assert column.nulls == window.count(None)
    if series.method is Method.EXACT:
        assert column.values == values[offset : offset + rows]
        assert column.gaps == column.nulls
    else:
        assert len(buckets) <= points // 2
        assert series.offset <= offset
        assert series.offset + series.rows >= min(len(values), offset + rows)
        assert column.min == [min(bucket, default=None) for bucket in present]
        assert column.max == [max(bucket, default=None) for bucket in present]
        assert column.gaps == sum(not bucket for bucket in present)


def test_an_axis_of_one_row_that_is_nan_has_no_order() -> None:
    series = one_column([NAN, 1.0], pa.float64()).series(["v"], rows=1, x="v")
    assert series.axis is not None
    assert series.axis.order is Order.UNSORTED
