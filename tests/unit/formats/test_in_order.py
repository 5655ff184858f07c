"""Work in threads: used in order, bounded, and its errors are not lost."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from session_datasets.formats.layout.in_order import InOrder


def _slowly(place: int) -> int:
    """Every other one takes longer."""
    time.sleep(0.002 * (place % 2 == 0))
    return place


def test_results_are_used_in_the_order_the_work_was_given() -> None:
    used: list[int] = []
    with InOrder(threads=2, ahead=3) as order:
        for place in range(20):
            order.do(partial(_slowly, place), used.append)
        order.finish()
    assert used == [*range(20)]


def test_results_are_used_by_the_thread_that_gave_the_work() -> None:
    users: set[int] = set()
    with InOrder() as order:
        for _ in range(5):
            order.do(lambda: None, lambda _: users.add(threading.get_ident()))
        order.finish()
    assert users == {threading.get_ident()}


def test_no_more_work_is_under_way_than_allowed() -> None:
    gate = threading.Event()
    used: list[bool | None] = []
    with InOrder(threads=1, ahead=2) as order:
        for _ in range(2):
            order.do(lambda: gate.wait(9), used.append)
        assert used == []
        gate.set()
        order.do(lambda: None, used.append)
        assert len(used) == 1


@pytest.mark.parametrize("more", [0, 10])
def test_an_error_is_raised_where_its_result_would_have_been_used(more: int) -> None:
    before = threading.active_count()

    def run() -> None:
        with InOrder(ahead=2) as order:
            order.do(lambda: 1 / 0, lambda _: None)
            for _ in range(more):
                order.do(lambda: 1.0, lambda _: None)
            order.finish()

    with pytest.raises(ZeroDivisionError):
        run()
    assert threading.active_count() == before


def test_work_not_begun_is_dropped_when_the_giver_fails() -> None:
    done: list[int] = []
    gate = threading.Event()

    def fail() -> None:
        with InOrder(threads=1, ahead=9) as order:
            order.do(lambda: gate.wait(9), lambda _: None)
            for place in range(5):
                order.do(lambda place=place: done.append(place), lambda _: None)  # type: ignore[misc]
            threading.Timer(0.05, gate.set).start()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert done == []
