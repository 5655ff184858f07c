from __future__ import annotations

from session_datasets.domain.near_names import near_names


def test_a_slip_of_the_pen_is_found() -> None:
    assert near_names("dep_dlay", ["dep_delay", "carrier", "origin"]) == ("dep_delay",)


def test_case_does_not_count() -> None:
    assert near_names("CARRIER", ["carrier", "origin"]) == ("carrier",)


def test_three_at_the_most() -> None:
    assert len(near_names("column", [f"column{n}" for n in range(10)])) == 3


def test_nothing_near_is_nothing() -> None:
    assert near_names("zebra", ["carrier", "origin"]) == ()


def test_the_beginning_of_a_long_name_is_enough_to_find_it() -> None:
    assert near_names("total_amount_" + "x" * 300, ["total_amount_" + "x" * 299, "n"]) == ("total_amount_" + "x" * 299,)


def test_a_name_of_a_megabyte_is_answered_at_once() -> None:
    assert near_names("a" * 1_000_000, ["b" * 1_000_000, "carrier"]) == ()
