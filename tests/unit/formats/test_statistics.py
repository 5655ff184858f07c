"""What a profile says of each column, against plain Python over the same values."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import fsum, inf, isclose, isfinite, isnan, nan
from typing import Any, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS
from session_datasets.domain.profile import ColumnStatistics, Order
from session_datasets.formats.measure.measure import ColumnMeasure
from session_datasets.formats.values.cells import CellRules
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet

examples = settings(max_examples=60, deadline=None)
ASCENDING, DESCENDING, UNSORTED = Order.ASCENDING, Order.DESCENDING, Order.UNSORTED


def measured(batches: Sequence[pa.Array], type_: pa.DataType) -> ColumnMeasure:
    """Each batch on its own, however small."""
    measure = ColumnMeasure(type_, rows_at_once=1)
    for values in batches:
        measure.see(values)
    return measure


def statistics_of(values: list[Any], type_: pa.DataType) -> ColumnStatistics:
    """All but the weight of the cells, which has its own tests."""
    return replace(measured([pa.array(values, type_)], type_).statistics, bytes_per_row=None)


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (pa.int64(), [3, None, 1], ColumnStatistics(1, min=1, max=3, mean=2.0, distinct=2, order=UNSORTED)),
        (pa.int64(), [2**62, 2**62, 2**62],
         ColumnStatistics(0, min=str(2**62), max=str(2**62), mean=float(2**62), distinct=1, order=ASCENDING)),
        (pa.int64(), [-(2**63), 2**63 - 1],
         ColumnStatistics(0, min=str(-(2**63)), max=str(2**63 - 1), mean=-0.5, distinct=2, order=ASCENDING)),
        (pa.uint64(), [2**64 - 1, 0],
         ColumnStatistics(0, min="0", max=str(2**64 - 1), mean=float(2**63), distinct=2, order=DESCENDING)),
        (pa.int8(), [-128, 127], ColumnStatistics(0, min=-128, max=127, mean=-0.5, distinct=2, order=ASCENDING)),
        (pa.float64(), [1.0, nan, None, 2.0],
         ColumnStatistics(1, nans=1, min=1.0, max=2.0, mean=1.5, distinct=2, order=UNSORTED)),
        (pa.float64(), [nan, nan], ColumnStatistics(0, nans=2, distinct=0, order=UNSORTED)),
        (pa.float64(), [nan], ColumnStatistics(0, nans=1, distinct=0, order=UNSORTED)),
        (pa.float64(), [0.0, -0.0], ColumnStatistics(0, min=0.0, max=0.0, mean=0.0, distinct=1, order=ASCENDING)),
        (pa.float64(), [inf, 1.0], ColumnStatistics(0, min=1.0, max="Infinity", distinct=2, order=DESCENDING)),
        (pa.float64(), [inf, -inf], ColumnStatistics(0, min="-Infinity", max="Infinity", distinct=2, order=DESCENDING)),
        (pa.float64(), [1.7e308, 1.7e308],
         ColumnStatistics(0, min=1.7e308, max=1.7e308, mean=1.7e308, distinct=1, order=ASCENDING)),
        (pa.float32(), [0.5, nan], ColumnStatistics(0, nans=1, min=0.5, max=0.5, mean=0.5, distinct=1, order=UNSORTED)),
        (pa.float16(), [0.5, nan, 1.5],
         ColumnStatistics(0, nans=1, min=0.5, max=1.5, mean=1.0, distinct=2, order=UNSORTED)),
        (pa.decimal128(5, 2), [Decimal("1.5"), Decimal("2.5")],
         ColumnStatistics(0, min="1.50", max="2.50", mean=2.0, distinct=2, order=ASCENDING)),
        (pa.decimal128(38, 0), [Decimal(10**38 - 1)] * 3,
         ColumnStatistics(0, min="9" * 38, max="9" * 38, mean=1e38, distinct=1, order=ASCENDING)),
        (pa.decimal256(76, 0), [Decimal(10**76 - 1)] * 3,
         ColumnStatistics(0, min="9" * 76, max="9" * 76, mean=1e76, distinct=1, order=ASCENDING)),
        (pa.decimal32(5, 2), [Decimal("1.50")],
         ColumnStatistics(0, min="1.50", max="1.50", mean=1.5, distinct=1, order=ASCENDING)),
        (pa.bool_(), [True, False, None], ColumnStatistics(1, distinct=2)),
        (pa.string(), ["b", None, "ab"],
         ColumnStatistics(1, min="ab", max="b", distinct=2, length_min=1, length_max=2, order=UNSORTED)),
        (pa.string(), ["", "ä€😀"],
         ColumnStatistics(0, min="", max="ä€😀", distinct=2, length_min=0, length_max=3, order=ASCENDING)),
        (pa.binary(), [b"bc", None, b""], ColumnStatistics(1, distinct=2, length_min=0, length_max=2)),
        (pa.binary(2), [b"bc", None], ColumnStatistics(1, distinct=1, length_min=2, length_max=2)),
        (pa.date32(), [1, 0], ColumnStatistics(0, min="1970-01-01", max="1970-01-02", distinct=2, order=DESCENDING)),
        (pa.time32("ms"), [1, 0],
         ColumnStatistics(0, min="00:00:00.000", max="00:00:00.001", distinct=2, order=DESCENDING)),
        (pa.time64("ns"), [1],
         ColumnStatistics(0, min="00:00:00.000000001", max="00:00:00.000000001", distinct=1, order=ASCENDING)),
        (pa.timestamp("ns", "UTC"), [1, None],
         ColumnStatistics(1, min="1970-01-01T00:00:00.000000001Z", max="1970-01-01T00:00:00.000000001Z", distinct=1,
                          order=UNSORTED)),
        (pa.duration("ms"), [5, -5], ColumnStatistics(0, min="-PT0.005S", max="PT0.005S", distinct=2,
                                                      order=DESCENDING)),
        (pa.list_(pa.int64()), [[1], None], ColumnStatistics(1)),
        (pa.struct([("a", pa.float64())]), [{"a": nan}, None], ColumnStatistics(1)),
        (pa.map_(pa.string(), pa.int8()), [[("a", 1)]], ColumnStatistics(0)),
        (pa.int64(), [None, None], ColumnStatistics(2, distinct=0, order=UNSORTED)),
        (pa.string(), [None], ColumnStatistics(1, distinct=0, order=UNSORTED)),
        (pa.null(), [None], ColumnStatistics(1)),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_statistics_of_a_column(type_: pa.DataType, values: list[Any], expected: ColumnStatistics) -> None:
    assert statistics_of(values, type_) == expected


FLAT_TYPES = [
    pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.decimal128(9, 2), pa.decimal256(60, 3), pa.date32(),
    pa.time64("us"), pa.timestamp("ns", "Europe/Paris"), pa.duration("s"), pa.string(), pa.large_string(),
]  # fmt: skip


@pytest.mark.parametrize("type_", FLAT_TYPES, ids=str)
def test_a_column_without_a_row_has_no_value_and_is_in_order(type_: pa.DataType) -> None:
    assert statistics_of([], type_) == ColumnStatistics(nulls=0, distinct=0, order=ASCENDING)


def cut(values: pa.Array, ends: Sequence[int]) -> list[pa.Array]:
    """Slices of one array, empty ones among them."""
    places = sorted({0, len(values), *(end % (len(values) + 1) for end in ends)})
    return [values[begin:end] for begin, end in pairwise(places)] + [values[:0]]


ENDS = st.lists(st.integers(min_value=0, max_value=200), max_size=4)


def order_of(values: Sequence[Any]) -> Order:
    if any(value is None or value != value for value in values):
        return UNSORTED
    if all(a <= b for a, b in pairwise(values)):
        return ASCENDING
    return DESCENDING if all(a >= b for a, b in pairwise(values)) else UNSORTED


def integers_of(bits: int, signed: bool) -> st.SearchStrategy[list[int | None]]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    values = st.one_of(st.integers(low, high), st.integers(0, 3))
    lists = st.lists(st.one_of(values, st.none()), max_size=60)
    return st.one_of(lists, st.lists(values, max_size=60).map(sorted))


INTEGERS = [
    (getattr(pa, f"{'' if signed else 'u'}int{bits}")(), bits, signed)
    for signed in (True, False)
    for bits in (8, 16, 32, 64)
]


@pytest.mark.parametrize(("type_", "bits", "signed"), INTEGERS, ids=str)
@examples
@given(data=st.data(), ends=ENDS)
def test_integers_are_measured_to_the_last_digit(
    type_: pa.DataType, bits: int, signed: bool, data: st.DataObject, ends: list[int]
) -> None:
    values = data.draw(integers_of(bits, signed))
    found = measured(cut(pa.array(values, type_), ends), type_).statistics
    numbers = [value for value in values if value is not None]
    assert found.nulls == values.count(None)
    assert [None if end is None else int(end) for end in (found.min, found.max)] == [
        min(numbers, default=None), max(numbers, default=None)]  # fmt: skip
    assert found.mean == (sum(numbers) / len(numbers) if numbers else None)
    assert (found.distinct, found.distinct_estimated) == (len(set(numbers)), False)
    assert found.order is order_of(values)


FLOATS = [(pa.float16(), 16), (pa.float32(), 32), (pa.float64(), 64)]


@pytest.mark.parametrize(("type_", "width"), FLOATS, ids=str)
@examples
@given(data=st.data(), ends=ENDS)
def test_floating_point_numbers_are_measured_without_nan(
    type_: pa.DataType, width: Literal[16, 32, 64], data: st.DataObject, ends: list[int]
) -> None:
    values = data.draw(st.lists(st.one_of(st.floats(width=width), st.just(0.0), st.none()), max_size=60))
    found = measured(cut(pa.array(values, type_), ends), type_).statistics
    numbers = [value for value in values if value is not None and not isnan(value)]
    assert found.nans == len([value for value in values if value is not None and isnan(value)])
    # A float is told as the shortest text that rounds to it, so it is compared as a float.
    ends_told = pa.array([None if end is None else float(end) for end in (found.min, found.max)], type_)
    assert ends_told.to_pylist() == [min(numbers, default=None), max(numbers, default=None)]
    assert found.distinct == len(set(numbers))
    assert found.order is order_of(values)


@examples
@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60), ENDS)
def test_the_mean_of_doubles_is_their_mean(values: list[float], ends: list[int]) -> None:
    found = measured(cut(pa.array(values, pa.float64()), ends), pa.float64()).statistics
    assert found.mean is not None
    assert isclose(found.mean, fsum(values) / len(values), rel_tol=1e-12, abs_tol=1e-6)


LARGEST = sys.float_info.max
LARGE = st.one_of(
    st.sampled_from([LARGEST, -LARGEST, LARGEST / 3, 1.0]), st.floats(allow_nan=False, allow_infinity=False)
)


@examples
@given(st.lists(LARGE, min_size=1, max_size=60), ENDS)
def test_the_mean_of_doubles_whose_sum_is_beyond_a_double_is_their_mean(values: list[float], ends: list[int]) -> None:
    found = measured(cut(pa.array(values, pa.float64()), ends), pa.float64()).statistics
    exact = sum(map(Fraction, values)) / len(values)
    assert found.mean is not None
    assert abs(Fraction(found.mean) - exact) <= Fraction(max(map(abs, values))) / 10**12


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ([LARGEST] * 3, LARGEST),
        ([LARGEST, LARGEST, -LARGEST, -LARGEST], 0.0),
        ([-LARGEST, -LARGEST, None, nan], -LARGEST),
        ([LARGEST, LARGEST, inf], None),
        ([LARGEST, LARGEST, inf, -inf], None),
    ],
    ids=["all the largest", "as many of both signs", "beside gaps", "an infinity", "both infinities"],
)
@pytest.mark.parametrize("batches", [1, 4])
def test_the_mean_of_the_largest_doubles(values: list[float | None], mean: float | None, batches: int) -> None:
    array = pa.array(values, pa.float64())
    found = measured(cut(array, range(batches)), pa.float64()).statistics
    assert found.mean == mean


@examples
@given(st.lists(st.one_of(st.floats(), st.none()), max_size=30))
def test_a_mean_is_finite_or_absent(values: list[float | None]) -> None:
    mean = statistics_of(values, pa.float64()).mean
    assert mean is None or isfinite(mean)


DECIMALS = [pa.decimal32(9, 2), pa.decimal64(18, 0), pa.decimal128(38, 10), pa.decimal128(5, -3), pa.decimal256(76, 30)]


@pytest.mark.parametrize("type_", DECIMALS, ids=str)
@examples
@given(data=st.data(), ends=ENDS)
def test_decimals_are_measured_to_the_last_digit(type_: pa.DataType, data: st.DataObject, ends: list[int]) -> None:
    most = 10**type_.precision - 1
    unscaled = data.draw(st.lists(st.one_of(st.integers(-most, most), st.integers(0, 3), st.none()), max_size=40))
    values = [None if value is None else Decimal((value < 0, Decimal(abs(value)).as_tuple().digits, -type_.scale))
              for value in unscaled]  # fmt: skip
    found = measured(cut(pa.array(values, type_), ends), type_).statistics
    numbers = [value for value in values if value is not None]
    assert [None if end is None else Decimal(end) for end in (found.min, found.max)] == [
        min(numbers, default=None), max(numbers, default=None)]  # fmt: skip
    assert found.mean == (float(sum(map(Fraction, numbers)) / len(numbers)) if numbers else None)
    assert found.distinct == len(set(numbers))
    assert found.order is order_of(values)


TIMES = [(pa.date32(), 32), (pa.timestamp("s"), 64), (pa.timestamp("ns", "UTC"), 64), (pa.duration("us"), 64)]


@pytest.mark.parametrize(("type_", "bits"), TIMES, ids=str)
@examples
@given(data=st.data(), ends=ENDS)
def test_times_are_measured_as_the_integers_that_count_them(
    type_: pa.DataType, bits: int, data: st.DataObject, ends: list[int]
) -> None:
    counts = data.draw(integers_of(bits, True))
    found = measured(cut(pa.array(counts, type_), ends), type_).statistics
    present = [count for count in counts if count is not None]
    ends_told = [min(present), max(present)] if present else [None, None]
    assert [found.min, found.max] == CellRules(type_).encode(pa.array(ends_told, type_))
    assert found.mean is None
    assert found.distinct == len(set(present))
    assert found.order is order_of(counts)


@pytest.mark.parametrize("type_", [pa.string(), pa.large_string()], ids=str)
@examples
@given(values=st.lists(st.one_of(st.text(max_size=150), st.sampled_from("abc"), st.none()), max_size=60), ends=ENDS)
def test_texts_are_measured_in_characters(type_: pa.DataType, values: list[str | None], ends: list[int]) -> None:
    found = measured(cut(pa.array(values, type_), ends), type_).statistics
    texts = [value for value in values if value is not None]
    told = [text[:PREVIEW_CELL_CHARACTERS] for text in texts]
    lengths = [len(text) for text in texts]
    assert (found.min, found.max) == (min(told, default=None), max(told, default=None))
    assert (found.length_min, found.length_max) == (min(lengths, default=None), max(lengths, default=None))
    assert found.distinct == len(set(texts))
    assert found.order is order_of(values)


@pytest.mark.parametrize("type_", [pa.binary(), pa.large_binary()], ids=str)
@examples
@given(values=st.lists(st.one_of(st.binary(max_size=40), st.none()), max_size=60), ends=ENDS)
def test_binaries_are_measured_in_bytes(type_: pa.DataType, values: list[bytes | None], ends: list[int]) -> None:
    found = measured(cut(pa.array(values, type_), ends), type_).statistics
    present = [value for value in values if value is not None]
    lengths = [len(value) for value in present]
    assert (found.length_min, found.length_max) == (min(lengths, default=None), max(lengths, default=None))
    assert found.distinct == len(set(present))
    assert (found.min, found.max, found.order) == (None, None, None)


@examples
@given(st.lists(st.one_of(st.booleans(), st.none()), max_size=20), ENDS)
def test_truth_values_are_counted_and_are_no_numbers(values: list[bool | None], ends: list[int]) -> None:
    found = measured(cut(pa.array(values, pa.bool_()), ends), pa.bool_()).statistics
    assert found.distinct == len({value for value in values if value is not None})
    assert (found.nulls, found.min, found.mean, found.order) == (values.count(None), None, None, None)


def test_what_lies_under_a_null_is_no_value() -> None:
    hidden = pa.array([1.0, nan, 3.0], pa.float64())
    values = pa.Array.from_buffers(pa.float64(), 3, [pa.py_buffer(b"\x01"), hidden.buffers()[1]])
    found = measured([values], pa.float64()).statistics
    assert (found.nulls, found.nans, found.max, found.distinct) == (2, 0, 1.0, 1)


def test_order_holds_across_the_borders_of_batches() -> None:
    batches = [pa.array([1, 2]), pa.array([], pa.int64()), pa.array([2, 3]), pa.array([1, 4])]
    assert measured(batches[:3], pa.int64()).statistics.order is ASCENDING
    assert measured(batches, pa.int64()).statistics.order is UNSORTED


@pytest.mark.parametrize("place", [1, 255, 256, 257, 999])
def test_one_value_out_of_place_is_seen_wherever_it_is(place: int) -> None:
    values = [*range(1_000)]
    values[place] = -1
    assert statistics_of(values, pa.int64()).order is UNSORTED


def test_statistics_cover_rows_of_all_batches() -> None:
    found = laid_out(parquet({"n": [*range(1_000), None]}), "rows.parquet").profile.statistics[0]
    assert (found.nulls, found.min, found.max, found.mean, found.distinct) == (1, 0, 999, 499.5, 1_000)


def test_a_batch_of_many_pieces_is_measured_whole() -> None:
    found = statistics_of([*range(40_000), 7], pa.int64())
    assert (found.max, found.mean, found.order) == (39_999, (sum(range(40_000)) + 7) / 40_001, UNSORTED)


def test_the_smallest_and_largest_text_are_cut_for_display() -> None:
    statistics = statistics_of(["x" * 1_000], pa.string())
    assert (statistics.min, statistics.max) == ("x" * PREVIEW_CELL_CHARACTERS, "x" * PREVIEW_CELL_CHARACTERS)
    assert (statistics.length_min, statistics.length_max) == (1_000, 1_000)


@examples
@given(st.lists(st.one_of(st.floats(), st.none()), max_size=20))
def test_statistics_are_json(values: list[float | None]) -> None:
    found = measured([pa.array(values, pa.float64())], pa.float64()).statistics
    told = asdict(found)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@examples
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=20), ENDS)
def test_integers_are_told_as_texts_only_beyond_what_a_double_holds(values: list[int], ends: list[int]) -> None:
    rules = measured(cut(pa.array(values, pa.int64()), ends), pa.int64()).rules
    assert rules.exact is all(abs(value) <= 2**53 for value in values)


def test_an_integer_beyond_a_double_inside_a_nested_value_makes_the_column_texts() -> None:
    type_ = pa.list_(pa.int64())
    assert measured([pa.array([[1], [2**53]], type_)], type_).rules.exact is True
    assert measured([pa.array([[1]], type_), pa.array([[2**53 + 1]], type_)], type_).rules.exact is False


@pytest.mark.parametrize(("values", "finite"), [([1.0, None], True), ([inf], False), ([-inf], False), ([nan], False)])
def test_rules_know_whether_all_numbers_are_finite(values: list[float], finite: bool) -> None:
    assert measured([pa.array(values, pa.float64())], pa.float64()).rules.finite is finite


@examples
@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.none()), max_size=200), st.integers(1, 100), ENDS)
def test_small_batches_may_be_joined_before_they_are_measured(
    values: list[int | None], rows_at_once: int, ends: list[int]
) -> None:
    batches = cut(pa.array(values, pa.int64()), ends)
    joined = ColumnMeasure(pa.int64(), rows_at_once)
    for batch in batches:
        joined.see(batch)
    assert joined.rules == measured(batches, pa.int64()).rules
    assert joined.statistics == measured(batches, pa.int64()).statistics


def test_a_large_cell_is_not_held_back() -> None:
    measure = ColumnMeasure(pa.string())
    measure.see(pa.array(["x" * 1_000_000]))
    assert measure.statistics.length_max == 1_000_000


def test_a_small_batch_that_is_held_back_does_not_hold_the_one_it_was_cut_from() -> None:
    before = pa.total_allocated_bytes()
    measures = [ColumnMeasure(pa.int64()) for _ in range(20)]
    for measure in measures:
        measure.see(pa.array(range(100_000))[:10])
    assert pa.total_allocated_bytes() - before < 100_000
    assert [measure.statistics.max for measure in measures] == [9] * 20


@pytest.mark.parametrize("type_", [pa.int64(), pa.string()], ids=str)
def test_a_batch_that_was_measured_is_let_go(type_: pa.DataType) -> None:
    before = pa.total_allocated_bytes()
    measure = ColumnMeasure(type_)
    measure.see(pa.array([9, *range(100_000)]).cast(type_))
    assert pa.total_allocated_bytes() - before < 100_000
    assert measure.statistics.order is UNSORTED
