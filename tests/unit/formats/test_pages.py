"""What ends a page, and what becomes of a row that no page can hold."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import CLIPPED_CELL_CHARACTERS
from session_datasets.domain.page import ClippedCell, LimitHit, Page
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.pages import read_page
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet


def numbers(rows: int, columns: int = 1) -> LaidOut:
    return laid_out(parquet(pa.table([list(range(rows))] * columns, [f"n{at}" for at in range(columns)])), "n.parquet")


def escaped_bytes(page: Page) -> int:
    """The rows as JSON, as long as they can become."""
    return len(json.dumps(page.rows, ensure_ascii=True))


def test_the_asked_number_of_rows_ends_a_page() -> None:
    page = numbers(10).page(2, 3)
    assert (page.rows, page.offset, page.next_offset, page.total, page.limit_hit) == (
        [[2], [3], [4]], 2, 5, 10, LimitHit.ROWS,
    )  # fmt: skip


@pytest.mark.parametrize("limit", [3, 4])
def test_the_end_of_the_dataset_is_no_limit(limit: int) -> None:
    page = numbers(10).page(7, limit)
    assert (page.rows, page.next_offset, page.limit_hit) == ([[7], [8], [9]], None, None)


@pytest.mark.parametrize("offset", [10, 11, 10**15])
def test_beyond_the_end_a_page_is_empty(offset: int) -> None:
    page = numbers(10).page(offset, 5)
    assert (page.rows, page.offset, page.next_offset, page.total, page.limit_hit) == ([], offset, None, 10, None)


@pytest.mark.parametrize(("max_bytes", "returned"), [(15, 3), (14, 2), (10, 2), (9, 1)])
def test_the_byte_budget_holds_whole_rows_up_to_the_last_byte(max_bytes: int, returned: int) -> None:
    assert len("[[0], [1], [2]]") == 15
    page = numbers(10).page(0, 10, max_bytes=max_bytes)
    assert (page.returned, page.limit_hit, page.clipped) == (returned, LimitHit.BYTES, ())
    assert escaped_bytes(page) <= max_bytes


def test_bytes_are_counted_after_escaping() -> None:
    dataset = laid_out(json.dumps([{"t": "é" * 10}] * 3), "rows.json")
    one_row = len(json.dumps([["é" * 10]]))
    assert one_row == 66
    assert dataset.page(0, 3, max_bytes=2 * one_row).returned == 2
    assert dataset.page(0, 3, max_bytes=2 * one_row - 1).returned == 1


@pytest.mark.parametrize(
    ("cells_max", "returned", "hit"), [(6, 3, LimitHit.CELLS), (5, 2, LimitHit.CELLS), (1, 1, LimitHit.CELLS)]
)
def test_the_number_of_cells_ends_a_page_but_not_its_first_row(cells_max: int, returned: int, hit: LimitHit) -> None:
    dataset = numbers(10, columns=2)
    table = Segments(dataset.reader, dataset.layout, Directories())
    page = read_page(dataset.reader, table, offset=0, limit=9, columns=None, max_bytes=10_000, cells_max=cells_max)
    assert (page.returned, page.limit_hit, page.next_offset) == (returned, hit, returned)


def test_cells_beyond_the_asked_rows_do_not_matter() -> None:
    dataset = numbers(10, columns=2)
    table = Segments(dataset.reader, dataset.layout, Directories())
    page = read_page(dataset.reader, table, offset=0, limit=3, columns=None, max_bytes=10_000, cells_max=6)
    assert (page.returned, page.limit_hit) == (3, LimitHit.ROWS)


def test_columns_come_in_the_asked_order() -> None:
    dataset = laid_out("a,b,c\n1,2,3\n")
    page = dataset.page(columns=["c", "a"])
    assert ([column.name for column in page.columns], page.rows) == (["c", "a"], [[3, 1]])


@pytest.mark.parametrize(
    ("columns", "code", "near"),
    [
        (["pirce"], ProblemCode.UNKNOWN_COLUMN, ("price",)),
        (["price", "PRICE"], ProblemCode.UNKNOWN_COLUMN, ("price",)),
        (["zzz"], ProblemCode.UNKNOWN_COLUMN, ()),
        ([], ProblemCode.INVALID_REQUEST, ()),
        (["price", "price"], ProblemCode.INVALID_REQUEST, ()),
    ],
)
def test_a_wrong_choice_of_columns_is_refused(columns: list[str], code: ProblemCode, near: tuple[str, ...]) -> None:
    with pytest.raises(Refusal) as refused:
        laid_out("price,amount\n1,2\n").page(columns=columns)
    assert (refused.value.problem.code, refused.value.problem.did_you_mean) == (code, near)


def test_a_row_larger_than_the_budget_comes_alone_with_its_long_cells_clipped() -> None:
    rows = [{"n": 1, "t": "x" * 5_000, "o": list(range(2_000))}, {"n": 2, "t": "y", "o": []}]
    page = laid_out(json.dumps(rows), "rows.json").page(0, 2, max_bytes=1_024)
    json_text = json.dumps(rows[0]["o"])
    assert page.rows == [[1, "x" * CLIPPED_CELL_CHARACTERS + "…", json_text[:CLIPPED_CELL_CHARACTERS] + "…"]]
    assert page.clipped == (ClippedCell(0, 1, 5_000), ClippedCell(0, 2, len(json_text)))
    assert (page.limit_hit, page.next_offset) == (LimitHit.BYTES, 1)


def test_a_clipped_last_row_is_the_end_of_the_dataset() -> None:
    page = laid_out(json.dumps([{"t": "x" * 5_000}]), "rows.json").page(max_bytes=1_024)
    assert (page.returned, page.next_offset, page.limit_hit, len(page.clipped)) == (1, None, None, 1)


def test_a_large_row_ends_the_page_before_it_and_opens_the_next_one_clipped() -> None:
    dataset = laid_out(json.dumps([{"t": "a"}, {"t": "x" * 5_000}, {"t": "b"}]), "rows.json")
    first = dataset.page(0, 3, max_bytes=1_024)
    second = dataset.page(first.next_offset or 0, 3, max_bytes=1_024)
    assert (first.rows, first.clipped, first.limit_hit) == ([["a"]], (), LimitHit.BYTES)
    assert (second.clipped, second.next_offset) == ((ClippedCell(0, 0, 5_000),), 2)


@pytest.mark.parametrize("columns", [5, 20, 60, 120, 160])
def test_cells_are_cut_as_short_as_it_takes_for_one_row_to_fit(columns: int) -> None:
    row = {f"c{at}": "long words" * 100 for at in range(columns)}
    page = laid_out(json.dumps([row]), "rows.json").page(max_bytes=1_024)
    assert page.returned == 1
    assert escaped_bytes(page) <= 1_024
    assert len(page.clipped) == columns


def test_numbers_give_way_to_null_where_even_short_texts_do_not_fit() -> None:
    row: dict[str, Any] = {f"c{at}": 1.2345678901234567 for at in range(150)}
    page = laid_out(json.dumps([row]), "rows.json").page(max_bytes=1_024)
    assert page.rows == [[None] * 150]
    assert page.clipped[0] == ClippedCell(0, 0, len("1.2345678901234567"))


def test_a_row_of_too_many_columns_for_the_budget_is_refused_with_the_bytes_it_needs() -> None:
    dataset = laid_out(json.dumps([{f"c{at}": "words" for at in range(300)}]), "rows.json")
    with pytest.raises(Refusal) as refused:
        dataset.page(max_bytes=1_024)
    assert refused.value.problem.code is ProblemCode.TOO_LARGE
    assert refused.value.problem.advice == "Name fewer columns, or allow at least 1,802 bytes."
    assert dataset.page(max_bytes=1_802).rows == [[None] * 300]


def test_the_same_page_twice_is_identical() -> None:
    dataset = numbers(100)
    first, second = dataset.page(10, 10), dataset.page(10, 10)
    assert (first.rows, first.columns, first.next_offset) == (second.rows, second.columns, second.next_offset)


def test_a_clipped_row_that_is_all_that_was_asked_for_ends_the_page_as_the_limit_does() -> None:
    dataset = laid_out("a\n" + "x" * 2_000 + "\ny\n")
    page = dataset.page(limit=1, max_bytes=1_024)
    assert (page.returned, len(page.clipped), page.limit_hit) == (1, 1, LimitHit.ROWS)
