from __future__ import annotations

import pytest

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


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ("missing.csv", "s.csv"),
        ("datasets/missing.csv", "datasets/s.csv"),
        ("quarterly/reports/missing.csv", "quarterly/reports/s.csv"),
        ("a.parquet", "b.parquet"),
        ("report.parquet", "sales.parquet"),
    ],
)
def test_folders_and_a_suffix_make_no_two_files_alike(wanted: str, there: str) -> None:
    assert near_names(wanted, [there]) == ()


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ("slaes.csv", "sales.csv"),
        ("datasets/slaes.csv", "datasets/sales.csv"),
        ("dataset/sales.csv", "datasets/sales.csv"),
        ("flights.csv", "flights.parquet"),
        ("customer.nmae", "customer.name"),
        ("ordr.price", "order.price"),
        (".cvs", ".csv"),
    ],
)
def test_what_differs_little_where_it_differs_is_near(wanted: str, there: str) -> None:
    assert near_names(wanted, [there]) == (there,)


def test_the_nearest_comes_first_although_its_folder_is_shared() -> None:
    there = ["datasets/sales_old.csv", "datasets/sales.csv", "datasets/scales.csv", "datasets/salt.csv"]
    assert near_names("datasets/sale.csv", there)[0] == "datasets/sales.csv"
