"""Several items written together or in batches, on a table that is busy."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.storage import many_items
from session_datasets.storage.many_items import ITEMS_OF_A_BATCH, batches, written_in_batches, written_together


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many_items.time, "sleep", lambda _: None)


def cancelled(*codes: str) -> ClientError:
    answer: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
        "CancellationReasons": [{"Code": code} for code in codes],
    }
    return ClientError(answer, "TransactWriteItems")


class Transactions:
    """Answers with these errors, one after the other, and then with success."""

    def __init__(self, *errors: ClientError) -> None:
        self._errors = list(errors)
        self.asked = 0

    def transact_write_items(self, TransactItems: Any) -> None:
        self.asked += 1
        if self._errors:
            raise self._errors.pop(0)


def test_a_conflict_with_another_transaction_is_tried_again() -> None:
    table = Transactions(cancelled("TransactionConflict", "None"), cancelled("None", "TransactionConflict"))
    assert (written_together(table, [{}, {}]), table.asked) == ([], 3)


def test_what_condition_failed_is_told_and_not_tried_again() -> None:
    table = Transactions(cancelled("ConditionalCheckFailed", "None"))
    assert (written_together(table, [{}, {}]), table.asked) == ([True, False], 1)


def test_a_failed_condition_counts_more_than_a_conflict_beside_it() -> None:
    table = Transactions(cancelled("TransactionConflict", "ConditionalCheckFailed"))
    assert written_together(table, [{}, {}]) == [False, True]


def test_conflicts_without_end_are_told_as_busy() -> None:
    table = Transactions(*[cancelled("TransactionConflict")] * 100)
    with pytest.raises(Refusal) as refused:
        written_together(table, [{}])
    assert refused.value.problem.code is ProblemCode.UNAVAILABLE
    assert table.asked < 10


@pytest.mark.parametrize("code", ["ThrottlingError", "ValidationError"])
def test_any_other_reason_is_raised_as_it_is(code: str) -> None:
    with pytest.raises(ClientError):
        written_together(Transactions(cancelled(code)), [{}])


class Batches:
    """Takes ``at_once`` requests of each batch and leaves the others undone."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self.written: list[Any] = []
        self.sizes: list[int] = []

    def batch_write_item(self, RequestItems: dict[str, list[Any]]) -> dict[str, Any]:
        ((table, requests),) = RequestItems.items()
        self.sizes.append(len(requests))
        self.written += requests[: self._at_once]
        left = requests[self._at_once :]
        return {"UnprocessedItems": {table: left} if left else {}}


@given(st.integers(0, 120), st.integers(5, 30))
def test_everything_is_written_once_whatever_is_left_undone(count: int, at_once: int) -> None:
    table = Batches(at_once)
    written_in_batches(table, "records", ({"n": n} for n in range(count)))
    assert sorted(each["n"] for each in table.written) == list(range(count))
    assert all(0 < size <= ITEMS_OF_A_BATCH for size in table.sizes)


def test_a_table_that_takes_nothing_is_told_as_busy() -> None:
    with pytest.raises(Refusal) as refused:
        written_in_batches(Batches(0), "records", [{"n": 1}])
    assert refused.value.problem.code is ProblemCode.UNAVAILABLE


def test_batches_are_full_but_for_the_last() -> None:
    assert [len(each) for each in batches(range(60))] == [25, 25, 10]
