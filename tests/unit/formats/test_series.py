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
from session_datasets.formats import segments
from session_datasets.formats.directory import Directories
from session_datasets.formats.segments import Segments
from session_datasets.formats.series import read_series
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
    assert (reduced.method, reduced.bucket_rows, reduced.columns[0].values) == (Method.MIN_MAX, 2, None)
    assert (reduced.columns[0].min, reduced.columns[0].max, reduced.columns[0].nulls) == ([1, 2, 5], [3, 2, 5], 1)


def test_a_window_is_read_from_its_offset_and_ends_with_the_dataset() -> None:
    series = one_column(list(range(10)), pa.int64()).series(["v"], offset=7, rows=100)
    assert (series.offset, series.rows, series.total, series.columns[0].values) == (7, 3, 10, [7, 8, 9])


@pytest.mark.parametrize("offset", [10, 11])
def test_a_window_beyond_the_end_is_empty(offset: int) -> None:
    series = one_column(list(range(10)), pa.int64()).series(["v"], offset=offset)
    assert (series.rows, series.method, series.columns[0].values) == (0, Method.EXACT, [])


def test_a_bucket_of_nulls_or_nan_only_is_a_gap() -> None:
    series = one_column([None, None, NAN, NAN, 1.0, NAN, 2.0, None], pa.float64()).series(["v"], max_points=4)
    assert (series.columns[0].min, series.columns[0].max, series.columns[0].nulls) == (
        [None, None, 1.0, 2.0], [None, None, 1.0, 2.0], 3,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "values", "low", "high"),
    [
        (pa.int64(), [2**60, 1, 2, 3], ["1", "2"], [str(2**60), "3"]),
        (pa.float32(), [0.1, 0.2, 0.3, 0.4], [0.1, 0.3], [0.2, 0.4]),
        (pa.decimal128(4, 2), [Decimal("1.5"), Decimal("0.5"), None, Decimal("2")], ["0.50", "2.00"], ["1.50", "2.00"]),
        (pa.date32(), [1, 0, 2, 3], ["1970-01-01", "1970-01-03"], ["1970-01-02", "1970-01-04"]),
        (pa.timestamp("ms", "UTC"), [1, 0, None, None],
         ["1970-01-01T00:00:00.000Z", None], ["1970-01-01T00:00:00.001Z", None]),
        (pa.duration("ms"), [1, -1, 0, 2], ["-PT0.001S", "PT0.000S"], ["PT0.001S", "PT0.002S"]),
        (pa.time64("ns"), [1, 2, 3, 4],
         ["00:00:00.000000001", "00:00:00.000000003"], ["00:00:00.000000002", "00:00:00.000000004"]),
    ],
)  # fmt: skip
def test_buckets_are_spelled_like_cells(type_: pa.DataType, values: list[Any], low: list[Any], high: list[Any]) -> None:
    column = one_column(values, type_).series(["v"], max_points=2).columns[0]
    assert (column.min, column.max) == (low, high)


@pytest.mark.parametrize("type_", [pa.string(), pa.bool_(), pa.list_(pa.int64())])
def test_what_has_no_order_to_plot_is_exact_or_refused(type_: pa.DataType) -> None:
    dataset = one_column([None, None, None], type_)
    assert dataset.series(["v"], max_points=3).columns[0].values == [None] * 3
    with pytest.raises(Refusal) as refused:
        dataset.series(["v"], max_points=2)
    assert refused.value.problem.code is ProblemCode.INVALID_REQUEST
    assert refused.value.problem.retry_with == {"rows": 2}


def test_columns_come_in_the_asked_order_and_unknown_ones_are_refused() -> None:
    dataset = laid_out("a,b\n1,2\n3,4\n")
    assert [column.values for column in dataset.series(["b", "a"]).columns] == [[2, 4], [1, 3]]
    with pytest.raises(Refusal) as refused:
        dataset.series(["aa"])
    assert refused.value.problem.did_you_mean == ("a",)


def read_within(dataset: LaidOut, rows: int, max_bytes: int) -> Series:
    table = Segments(dataset.reader, dataset.layout, Directories())
    return read_series(dataset.reader, table, columns=["v"], offset=0, rows=rows, max_points=rows, max_bytes=max_bytes)


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


@settings(max_examples=40, deadline=None)
@given(
    values=st.lists(st.integers(-100, 100) | st.none(), min_size=1, max_size=60),
    offset=st.integers(0, 70),
    rows=st.integers(1, 70),
    points=st.integers(1, 12),
)
def test_buckets_hold_the_smallest_and_largest_of_their_rows(values, offset, rows, points) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT_ROWS_MAX", 7)
        series = one_column(values, pa.int64()).series(["v"], offset, rows, points)
    window = values[offset : offset + rows]
    buckets = [window[at : at + series.bucket_rows] for at in range(0, len(window), series.bucket_rows)]
    present = [[value for value in bucket if value is not None] for bucket in buckets]
    column = series.columns[0]
    assert len(buckets) <= points
    assert column.nulls == window.count(None)
    if series.method is Method.EXACT:
        assert column.values == window
    else:
        assert column.min == [min(bucket, default=None) for bucket in present]
        assert column.max == [max(bucket, default=None) for bucket in present]
