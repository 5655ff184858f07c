"""A session remembers which calls failed, within a bound."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.feedback import Failures

ARGUMENTS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=5)


def test_the_same_call_is_counted() -> None:
    failures = Failures()
    assert [failures.failed("query", {"sql": "x"}) for _ in range(3)] == [1, 2, 3]


@given(ARGUMENTS)
def test_the_order_of_arguments_makes_no_other_call(arguments: dict[str, object]) -> None:
    failures = Failures()
    failures.failed("query", arguments)
    assert failures.failed("query", dict(reversed(arguments.items()))) == 2


@pytest.mark.parametrize(
    "other", [("query", {"sql": "y"}), ("chart", {"sql": "x"}), ("query", {"sql": "x", "limit": 1}), ("query", "x")]
)
def test_another_label_or_argument_is_another_call(other: tuple[str, object]) -> None:
    failures = Failures()
    failures.failed("query", {"sql": "x"})
    assert failures.failed(*other) == 1


def test_a_call_that_went_well_is_forgotten() -> None:
    failures = Failures()
    failures.failed("query", "x")
    failures.succeeded("query", "x")
    assert failures.failed("query", "x") == 1
    failures.succeeded("query", "never failed")


def test_memory_is_bounded_and_the_longest_ago_goes_first() -> None:
    failures = Failures(remembered=3)
    for sql in "abc":
        failures.failed("query", sql)
    failures.failed("query", "a")
    failures.failed("query", "d")
    assert len(failures) == 3
    assert (failures.failed("query", "a"), failures.failed("query", "b")) == (3, 1)


def test_ten_thousand_calls_leave_as_many_as_are_remembered() -> None:
    failures = Failures()
    for number in range(10_000):
        failures.failed("query", "x" * 1_000 + str(number))
    assert len(failures) == 256
    assert {len(key) for key in failures._counts} == {32}


def test_no_failure_is_lost_between_threads() -> None:
    failures = Failures()
    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(lambda _: failures.failed("query", "x"), range(400)))
    assert sorted(counts) == list(range(1, 401))


def test_to_remember_nothing_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="1 or more"):
        Failures(remembered=0)
