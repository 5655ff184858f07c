"""What a budget of bytes keeps of lazy rows, and what it pulls of them."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.materialize import materialize_result, parquet_file
from session_datasets.materialize.groups import Group, Groups
from session_datasets.materialize.refusals import BudgetTooSmallError, InvalidMaterializeError
from tests.unit.materialize.conftest import Saving


class Counted:
    """Rows without an end, unless ``rows`` says so; ``pulls`` counts what was taken of them."""

    def __init__(self, rows: int | None = None) -> None:
        self.pulls = 0
        self._rows = rows

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for number in itertools.count():
            if number == self._rows:
                return
            self.pulls += 1
            yield number, f"row {number}"


def raising_after(rows: int) -> Iterator[tuple[str]]:
    for _ in range(rows):
        yield ("abcd",)
    raise AssertionError("a row behind the budget's end was pulled")


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_of_endless_rows_one_more_is_pulled_than_fits(save: Saving, fmt: str) -> None:
    source = Counted()
    result = save(["n", "text"], source, fmt=fmt, max_bytes=4_000)
    assert result.row_count > 100
    assert source.pulls == result.row_count + 1
    assert result.truncated


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_the_file_is_no_larger_than_the_budget_and_as_large_as_it_says(save: Saving, fmt: str) -> None:
    result = save(["n", "text"], Counted(), fmt=fmt, max_bytes=4_000)
    size = Path(result.path).stat().st_size
    assert 3_900 < size <= 4_000
    assert result.bytes == size


def test_a_source_that_fails_behind_the_first_row_too_many_is_not_asked_again(save: Saving) -> None:
    # The header takes three bytes, each row six.
    result = save(["a"], raising_after(3), max_bytes=3 + 2 * 6)
    assert (result.row_count, result.truncated) == (2, True)


@pytest.mark.parametrize(
    ("max_bytes", "rows", "truncated"), [(15, 2, False), (14, 1, True), (16, 2, False)], ids=["exact", "less", "more"]
)
def test_a_row_that_ends_on_the_budget_is_kept_and_one_byte_less_drops_it(
    save: Saving, max_bytes: int, rows: int, truncated: bool
) -> None:
    result = save(["a"], [("abcd",), ("efgh",)], max_bytes=max_bytes)
    assert (result.row_count, result.truncated) == (rows, truncated)


def test_one_row_behind_an_exact_end_makes_it_incomplete(save: Saving) -> None:
    result = save(["a"], [("abcd",), ("efgh",), ("i",)], max_bytes=15)
    assert (result.row_count, result.truncated) == (2, True)


def test_bytes_of_utf_8_are_counted_and_not_characters(save: Saving) -> None:
    rows = [("ääää",)]  # eight bytes
    assert save(["a"], rows, max_bytes=3 + 10).row_count == 1
    assert save(["a"], rows, max_bytes=3 + 9).row_count == 0


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_without_a_budget_nothing_is_missing(save: Saving, fmt: str) -> None:
    result = save(["n", "text"], Counted(5_000), fmt=fmt)
    assert (result.row_count, result.truncated) == (5_000, False)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_budget_below_the_columns_alone_is_refused_before_a_row_is_pulled(save: Saving, fmt: str) -> None:
    source = Counted()
    with pytest.raises(BudgetTooSmallError, match="the budget is 5;"):
        save(["n", "text"], source, fmt=fmt, max_bytes=5)
    assert source.pulls == 0


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_a_first_row_above_the_budget_leaves_a_file_of_no_rows_within_it(save: Saving, fmt: str) -> None:
    result = save(["text"], [("".join(random.Random(7).choices(ascii_letters, k=9_000)),)], fmt=fmt, max_bytes=2_000)
    assert (result.row_count, result.truncated) == (0, True)
    assert 0 < Path(result.path).stat().st_size <= 2_000
    assert "INCOMPLETE" in result.to_summary()


@pytest.mark.parametrize("value", [-1, 1.5, True, "10"])
def test_a_budget_that_is_no_whole_number_from_0_on_is_refused(save: Saving, value: Any) -> None:
    with pytest.raises(InvalidMaterializeError, match="max_bytes is"):
        save(["a"], [], max_bytes=value)


def test_memory_does_not_grow_with_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 500)

    def peak(rows: int, fmt: str) -> int:
        tracemalloc.start()
        try:
            materialize_result(["n", "text"], Counted(rows), tmp_path, fmt=fmt)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10, "parquet")  # what is imported once
    assert peak(4_000, "parquet") < 1.5 * peak(1_000, "parquet")
    assert peak(4_000, "csv") < 1.5 * peak(1_000, "csv")


def test_parquet_of_little_is_larger_than_csv_and_is_held_to_the_budget_all_the_same(save: Saving) -> None:
    rows = [(1, "a"), (2, "b")]
    assert save(["n", "t"], rows, max_bytes=100).row_count == 2
    with pytest.raises(BudgetTooSmallError, match="which is smaller for few rows"):
        save(["n", "t"], rows, fmt="parquet", max_bytes=100)


def test_five_hundred_columns_of_one_row_are_held_to_the_budget(save: Saving) -> None:
    columns = [f"c{n}" for n in range(500)]
    whole = save(columns, [range(500)], fmt="parquet")
    assert whole.bytes > 20 * save(columns, [range(500)]).bytes
    exact = save(columns, [range(500)], fmt="parquet", max_bytes=whole.bytes)
    assert (exact.row_count, exact.truncated) == (1, False)
    less = save(columns, [range(500)], fmt="parquet", max_bytes=whole.bytes - 1)
    assert (less.row_count, less.truncated) == (0, True)


def test_several_row_groups_stay_within_the_budget(save: Saving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 50)
    source = Counted()
    result = save(["n", "text"], source, fmt="parquet", max_bytes=20_000)
    file = pq.ParquetFile(result.path)
    assert file.metadata.num_row_groups > 3
    assert file.metadata.num_rows == result.row_count
    assert source.pulls == result.row_count + 1
    assert 18_000 < result.bytes <= 20_000


def test_rows_that_compress_to_nearly_nothing_are_measured_a_bounded_number_of_times(
    save: Saving, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    group_of = Groups.group_of

    def counted(groups: Groups, types: Any, table: Any) -> Group:
        measured.append(len(table))
        return group_of(groups, types, table)

    monkeypatch.setattr(Groups, "group_of", counted)
    monkeypatch.setattr(parquet_file, "MEASURED_ROWS_MAX", 5_000)
    source = (("x", "y") for _ in itertools.count())
    result = save(["a", "b"], source, fmt="parquet", max_bytes=4_000)
    metadata = pq.ParquetFile(result.path).metadata
    longest = max(metadata.row_group(at).num_rows for at in range(metadata.num_row_groups))
    assert result.truncated
    assert metadata.num_row_groups > 3
    # One measurement passes the limit of its group, and the group that is put aside is measured once more.
    assert sum(measured) <= (metadata.num_row_groups + 1) * (5_000 + 2 * longest)


def test_what_is_measured_of_a_growing_group_is_what_is_written(save: Saving) -> None:
    drawn = random.Random(7)
    rows = [(n, drawn.choice(["red", "green", None]), f"text {drawn.randint(0, 50)}") for n in range(2_000)]
    whole = save(["n", "colour", "text"], rows, fmt="parquet")
    exact = save(["n", "colour", "text"], rows, fmt="parquet", max_bytes=whole.bytes)
    assert (exact.row_count, exact.bytes, exact.truncated) == (2_000, whole.bytes, False)
    assert save(["n", "colour", "text"], rows, fmt="parquet", max_bytes=whole.bytes - 1).truncated


def test_a_type_that_widens_late_drops_rows_rather_than_pass_the_budget(
    save: Saving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_file, "BATCH_ROWS", 100)
    drawn = random.Random(7)
    numbers = [(drawn.random(),) for _ in range(1_000)]
    as_numbers = save(["a"], numbers, fmt="parquet").bytes
    result = save(["a"], [*numbers, ("text",)], fmt="parquet", max_bytes=as_numbers + 1_200)
    assert result.truncated
    assert result.bytes <= as_numbers + 1_200
    assert pq.ParquetFile(result.path).metadata.num_rows == result.row_count < 1_000
    assert result.stats["a"]["count"] == result.row_count


CELLS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=60), st.decimals(), st.binary(max_size=60)
)


@settings(max_examples=50)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=20), st.integers(0, 6_000), st.sampled_from(["csv", "parquet"]))
def test_whatever_the_rows_the_file_stays_within_the_budget(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, Any]], max_bytes: int, fmt: str
) -> None:
    folder = tmp_path_factory.mktemp("budget")
    pulled: list[Any] = []

    def counted() -> Iterator[tuple[Any, Any]]:
        for row in rows:
            pulled.append(row)
            yield row

    try:
        result = materialize_result(["a", "b"], counted(), folder, fmt=fmt, max_bytes=max_bytes)
    except BudgetTooSmallError:
        assert pulled == []
        return
    assert Path(result.path).stat().st_size == result.bytes <= max_bytes
    assert len(pulled) == result.row_count + result.truncated
    if not result.truncated:
        assert result.row_count == len(rows)
