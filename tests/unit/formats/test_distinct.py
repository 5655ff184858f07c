"""How many different values there are: exactly while they are few, within the stated error beyond."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.profile import ColumnStatistics, Order
from session_datasets.formats.measure.distinct import KEPT, DistinctCount
from session_datasets.formats.measure.hashing import Hashes, number_hashes, span_hashes, spans
from session_datasets.formats.measure.measure import ColumnMeasure

examples = settings(max_examples=60, deadline=None)
# The standard error of an estimate.
SIGMA = 1 / sqrt(KEPT)


def counted(*batches: Hashes) -> DistinctCount:
    count = DistinctCount()
    for hashes in batches:
        count.add(hashes)
    return count


def different_integers(count: int, seed: int) -> np.ndarray[Any, Any]:
    """``count`` different integers, close together or far apart as the seed says."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2**40) + np.arange(count) * int(rng.integers(1, 1_000))


def text_hashes(texts: Sequence[str | bytes | None], type_: pa.DataType | None = None) -> list[int]:
    return [int(each) for each in span_hashes(spans(pa.array(texts, type_ or pa.string())))]


@pytest.mark.parametrize(("count", "estimated"), [(0, False), (1, False), (KEPT, False), (KEPT + 1, True)])
def test_the_count_is_exact_up_to_what_is_kept(count: int, estimated: bool) -> None:
    found = counted(number_hashes(np.arange(count)))
    assert found.estimated is estimated
    assert estimated or found.count == count


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [KEPT + 1, 3_000, 10_000, 100_000, 1_000_000])
def test_an_estimate_of_integers_lies_within_four_standard_errors(count: int, seed: int) -> None:
    found = counted(*np.array_split(number_hashes(different_integers(count, seed)), 7))
    assert abs(found.count / count - 1) < 4 * SIGMA


@pytest.mark.parametrize("pattern", ["{}", "item-{:012d}", "a long common beginning of many words {} and end {}"])
@pytest.mark.parametrize("count", [5_000, 60_000])
def test_an_estimate_of_texts_lies_within_four_standard_errors(count: int, pattern: str) -> None:
    texts = pa.array([pattern.format(number, number % 7) for number in range(count)])
    found = counted(span_hashes(spans(texts)))
    assert abs(found.count / count - 1) < 4 * SIGMA


def test_estimates_err_to_both_sides_alike_and_as_much_as_stated() -> None:
    errors = np.array(
        [counted(number_hashes(different_integers(20_000, seed))).count / 20_000 - 1 for seed in range(100)]
    )
    assert abs(errors.mean()) < 4 * SIGMA / sqrt(len(errors))
    assert 0.75 * SIGMA < errors.std() < 1.25 * SIGMA


@examples
@given(st.lists(st.integers(0, 9_000), max_size=6), st.integers(0, 2**32))
def test_neither_order_nor_repetition_nor_borders_of_batches_change_the_answer(ends: list[int], seed: int) -> None:
    numbers = np.concatenate([np.arange(6_000), np.arange(3_000)])
    whole = counted(number_hashes(np.arange(6_000)))
    np.random.default_rng(seed).shuffle(numbers)
    assert counted(*np.split(number_hashes(numbers), sorted(ends))).count == whole.count


def statistics_of(*batches: pa.Array) -> ColumnStatistics:
    measure = ColumnMeasure(batches[0].type)
    for values in batches:
        measure.see(values)
    return measure.statistics


@pytest.mark.parametrize("type_", [pa.int64(), pa.float32(), pa.string(), pa.binary(), pa.decimal128(25, 2)], ids=str)
def test_a_column_of_many_values_is_estimated_whatever_its_type(type_: pa.DataType) -> None:
    numbers = pa.array([*range(50_000), *range(50_000)])
    values = numbers.cast(pa.string()).cast(type_) if type_ == pa.binary() else numbers.cast(type_)
    found = statistics_of(*(values[begin : begin + 30_000] for begin in range(0, len(values), 30_000)))
    assert found.distinct is not None
    assert abs(found.distinct / 50_000 - 1) < 4 * SIGMA
    assert found.distinct_estimated


@pytest.mark.parametrize("type_", [pa.int64(), pa.float64(), pa.timestamp("us"), pa.decimal128(25, 2)], ids=str)
@pytest.mark.parametrize("step", [1, -1])
def test_values_that_only_grow_or_only_fall_are_counted_exactly(type_: pa.DataType, step: int) -> None:
    values = pa.array([*range(9_000)][::step]).cast(type_)
    found = statistics_of(values[:5_000], values[5_000:])
    assert (found.distinct, found.distinct_estimated) == (9_000, False)


def test_equal_neighbours_in_order_are_counted_once() -> None:
    few = statistics_of(pa.array([1, 2]), pa.array([2, 3]))
    assert (few.distinct, few.order) == (3, Order.ASCENDING)
    many = statistics_of(pa.array([*range(9_000), 8_999]))
    assert (many.distinct_estimated, many.order) == (True, Order.ASCENDING)


@pytest.mark.parametrize("seed", range(20))
def test_no_more_values_differ_than_there_are(seed: int) -> None:
    numbers = different_integers(3_000, seed)
    np.random.default_rng(seed).shuffle(numbers)
    found = statistics_of(pa.array([*numbers.tolist(), None, None]))
    assert found.distinct is not None
    assert found.distinct <= 3_000


@examples
@given(st.lists(st.integers(-(2**63), 2**63 - 1), unique=True, max_size=200))
def test_different_integers_have_different_hashes(numbers: list[int]) -> None:
    assert len(set(number_hashes(np.array(numbers, np.int64)).tolist())) == len(numbers)


@examples
@given(st.lists(st.floats(allow_nan=False), max_size=100))
def test_numbers_have_the_same_hash_exactly_if_they_are_equal(numbers: list[float]) -> None:
    assert len(set(number_hashes(np.array(numbers, np.float64)).tolist())) == len(set(numbers))


# Lengths on both sides of a word, of a block, and of what is hashed on its own.
BYTES = st.one_of(
    st.binary(max_size=70),
    st.builds(bytes, st.sampled_from([7, 8, 9, 31, 32, 33, 64, 511, 512, 513, 2_000])),
    st.builds(
        lambda size, place: bytes(size - 1 - place % size) + b"x" + bytes(place % size),
        st.sampled_from([8, 32, 40, 512, 513]),
        st.integers(0, 600),
    ),
)


@examples
@given(st.lists(st.one_of(BYTES, st.none()), max_size=40))
def test_a_text_has_the_same_hash_in_any_company(values: list[bytes | None]) -> None:
    present = [value for value in values if value is not None]
    assert text_hashes(values, pa.binary()) == [text_hashes([value], pa.binary())[0] for value in present]


@examples
@given(st.lists(BYTES, unique=True, max_size=60))
def test_different_texts_have_different_hashes(values: list[bytes]) -> None:
    assert len(set(text_hashes(values, pa.binary()))) == len(values)


@examples
@given(st.lists(BYTES, max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_slices_hash_their_own_values(values: list[bytes], begin: int, end: int) -> None:
    whole = pa.array(values, pa.large_binary())
    assert span_hashes(spans(whole[begin:end])).tolist() == text_hashes(values, pa.binary())[begin:end]


def test_a_buffer_that_ends_with_its_last_text_is_not_read_beyond() -> None:
    data = b"abcdefghij"
    offsets = np.array([0, 3, 10], np.int32)
    exact = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    assert span_hashes(spans(exact)).tolist() == text_hashes(["abc", "defghij"])


def test_hashes_are_the_same_in_every_run_and_on_every_machine() -> None:
    assert text_hashes(["", "a", "berlin", "x" * 33, "y" * 600]) == [
        0x9CA066F1A4AB2EEA,
        0x82B33CC8F225C61C,
        0x6175BACDF05653D7,
        0x6811EA1A40B4135D,
        0x7FA17D6FEE15D1CE,
    ]
    assert number_hashes(np.array([0, 1, -1])).tolist() == [
        0x9CA066F1A4AB2EEA,
        0x25B775FAECA8F520,
        0x3CD617BBBCC39640,
    ]
