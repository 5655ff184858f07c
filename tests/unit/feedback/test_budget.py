"""A session's rows: never more than its budget, however many ask at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.feedback import (
    EstimateExceededError,
    RowBudgetExceededError,
    SessionBudget,
    check_estimate,
    feedback_of,
)


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as the interpreter can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def granted(budget: SessionBudget, rows: int) -> int:
    try:
        budget.charge(rows)
    except RowBudgetExceededError:
        return 0
    return rows


def test_a_charge_that_lands_on_the_budget_is_taken_and_one_row_more_is_not() -> None:
    budget = SessionBudget(10)
    budget.charge(10)
    assert (budget.consumed, budget.remaining) == (10, 0)
    with pytest.raises(RowBudgetExceededError):
        budget.charge(1)


def test_a_refused_charge_costs_nothing_and_a_smaller_result_still_fits() -> None:
    budget = SessionBudget(10)
    budget.charge(4)
    with pytest.raises(RowBudgetExceededError):
        budget.charge(7)
    assert budget.consumed == 4
    budget.charge(6)
    assert budget.remaining == 0


@given(st.integers(0, 50), st.lists(st.integers(0, 20)))
def test_what_was_granted_is_what_was_consumed_and_never_more_than_the_budget(rows: int, charges: list[int]) -> None:
    budget = SessionBudget(rows)
    total = sum(granted(budget, charge) for charge in charges)
    assert budget.consumed == total <= rows


@given(st.lists(st.integers(0, 1_000)))
def test_without_a_bound_everything_is_granted_and_counted(charges: list[int]) -> None:
    budget = SessionBudget()
    for charge in charges:
        budget.charge(charge)
    assert (budget.consumed, budget.remaining) == (sum(charges), None)


@pytest.mark.usefixtures("switching")
def test_parallel_charges_never_pass_the_budget_and_none_is_lost() -> None:
    budget = SessionBudget(1_000)
    together = threading.Barrier(8)

    def charge_often(_: int) -> int:
        together.wait()
        return sum(granted(budget, 1) for _ in range(400))

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(charge_often, range(8))) == 1_000
    assert (budget.consumed, budget.remaining) == (1_000, 0)


@pytest.mark.usefixtures("switching")
def test_parallel_deliveries_that_fail_leave_nothing_charged() -> None:
    budget = SessionBudget(1_000)

    def deliver(number: int) -> None:
        with pytest.raises(OSError, match="lost"), budget.charged(3):
            raise OSError("lost")
        with budget.charged(2):
            pass

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(deliver, range(200)))
    assert budget.consumed == 400


def test_a_delivery_that_does_not_fit_is_not_begun() -> None:
    budget = SessionBudget(1)
    begun = []
    with pytest.raises(RowBudgetExceededError), budget.charged(2):
        begun.append(True)
    assert (begun, budget.consumed) == ([], 0)


def test_a_call_that_fails_before_it_has_rows_is_not_charged() -> None:
    budget = SessionBudget(10)

    def query() -> list[int]:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        budget.charge(len(query()))
    assert budget.consumed == 0


def test_the_way_to_a_whole_budget_is_stated() -> None:
    budget = SessionBudget(10)
    budget.charge(10)
    with pytest.raises(RowBudgetExceededError) as refused:
        budget.charge(1)
    text = feedback_of(refused.value, what="query").text()
    assert "The result has 1 rows; 0 of this session's 10 are left." in text
    assert "A new session begins with its whole budget." in text


def test_rows_that_still_fit_are_offered() -> None:
    with pytest.raises(RowBudgetExceededError, match="Ask for at most 10 rows"):
        SessionBudget(10).charge(11)


def test_a_reset_gives_the_whole_budget() -> None:
    budget = SessionBudget(10)
    budget.charge(10)
    budget.reset()
    assert budget.remaining == 10


@pytest.mark.parametrize("rows", [-1, -(10**20)])
def test_negative_rows_are_a_mistake_and_give_nothing_back(rows: int) -> None:
    budget = SessionBudget(10)
    budget.charge(5)
    with pytest.raises(ValueError, match="0 rows or more"):
        budget.charge(rows)
    assert budget.consumed == 5


@pytest.mark.parametrize("rows", [0.5, 1.0, True, "1", None], ids=repr)
def test_what_is_no_number_of_rows_is_not_charged(rows: Any) -> None:
    budget = SessionBudget(10)
    with pytest.raises(TypeError, match="nothing was charged"):
        budget.charge(rows)
    with pytest.raises(TypeError, match="nothing was charged"), budget.charged(rows):
        pass
    assert budget.consumed == 0


@pytest.mark.parametrize("rows", [0.5, True, "1"], ids=repr)
def test_what_is_no_number_of_rows_is_no_budget(rows: Any) -> None:
    with pytest.raises(TypeError, match="is an int"):
        SessionBudget(rows)


def test_a_negative_budget_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        SessionBudget(-1)


def test_an_estimate_of_exactly_the_most_rows_is_allowed() -> None:
    check_estimate(1_000, 1_000)


def test_an_estimate_of_one_row_more_is_refused_with_both_numbers() -> None:
    with pytest.raises(EstimateExceededError, match=r"1,001 rows .* at most 1,000"):
        check_estimate(1_001, 1_000)


def test_a_charge_that_was_reset_is_not_given_back_once_more() -> None:
    budget = SessionBudget(10)
    handing = budget.charged(4)
    handing.__enter__()
    budget.reset()
    budget.charge(7)
    assert not handing.__exit__(OSError, OSError("lost"), None)
    assert (budget.consumed, budget.remaining) == (7, 3)


@given(st.lists(st.sampled_from(["charge", "reset", "fail", "open"]), max_size=12))
def test_consumed_is_what_was_charged_since_the_last_reset_and_not_given_back(steps: list[str]) -> None:
    budget, kept = SessionBudget(), 0
    ahead: list[tuple[Any, bool]] = []
    for step in steps:
        if step == "charge":
            budget.charge(1)
            kept += 1
        elif step == "reset":
            budget.reset()
            kept, ahead = 0, [(each, False) for each, _ in ahead]
        elif step == "open":
            handing = budget.charged(3)
            handing.__enter__()
            ahead.append((handing, True))
            kept += 3
        elif ahead:
            handing, counts = ahead.pop()
            assert not handing.__exit__(OSError, OSError("lost"), None)
            kept -= 3 if counts else 0
        assert budget.consumed == kept
