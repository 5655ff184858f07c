"""A row is laid out only if one can hold it: its bytes and its nested values are bounded, however small the file is."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.limits import (
    CLIPPED_CELL_CHARACTERS,
    PREVIEW_CELL_CHARACTERS,
    ROW_ITEMS_MAX,
)
from session_datasets.domain.page import ClippedCell
from session_datasets.domain.profile import Format
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.reading.pages import clip_cell
from session_datasets.formats.values import row_sizes
from session_datasets.formats.values.cells import CellRules
from session_datasets.formats.values.row_sizes import small_slices
from tests.support.laid_out import LaidOut, laid_out, understood
from tests.support.odd_files import parquet
from tests.unit.formats.test_cells import CASES
from tests.unit.formats.test_parquet_file import counted_memory

TOO_MANY_ITEMS = "A row has more than 1,000,000 values inside its nested cells, too many to be paged."
TOO_MANY_BYTES = "A row takes more than 100,000 bytes once decoded, too many to be paged."


def one_list(items: pa.Array) -> pa.Array:
    """A column of one row that holds all the items."""
    return pa.ListArray.from_arrays(pa.array([0, len(items)], pa.int32()), items)


def nulls(count: int) -> bytes:
    """A few hundred bytes of Parquet with one row: a list of so many nulls."""
    return parquet({"c": one_list(pa.nulls(count))}, data_page_size=1 << 30, compression="zstd")


def bits(count: int) -> pa.Array:
    return pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(b"\xff" * (count // 8 + 1))])


HOLDERS = {
    "nulls": lambda count: one_list(pa.nulls(count)),
    "truths": lambda count: one_list(bits(count)),
    "lists of lists": lambda count: one_list(pa.ListArray.from_arrays(range(count // 2 + 1), pa.nulls(count // 2))),
    "a map": lambda count: pa.MapArray.from_arrays([0, count // 2], bits(count // 2), pa.nulls(count // 2)),
    "a struct": lambda count: pa.StructArray.from_arrays([one_list(pa.nulls(count - 1))], ["x"]),
}  # fmt: skip


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("others", [0, 50])
def test_rows_have_as_many_nested_values_as_allowed_and_none_has_more(holder: str, others: int) -> None:
    """``others``: rows without items around it, so that the average says nothing."""
    for count, kept in ((ROW_ITEMS_MAX, True), (ROW_ITEMS_MAX + 3, False)):
        column = HOLDERS[holder](count)
        empty = pa.nulls(others, column.type)
        table = understood(parquet({"c": pa.concat_arrays([empty, column, empty])}), "rows.parquet")
        assert (table.format is Format.PARQUET) is kept
        assert kept or (table.note or "").startswith(TOO_MANY_ITEMS)


@pytest.mark.parametrize("name", ["rows.json", "rows.jsonl"])
def test_json_rows_are_bounded_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_sizes, "ROW_ITEMS_MAX", 1_000)
    for count, kept in ((1_000, True), (1_001, False)):
        row = json.dumps({"c": [0] * count}, separators=(",", ":")).encode()
        table = understood(row if name.endswith("l") else b"[" + row + b"]", name)
        assert (table.format is not Format.OTHER) is kept
        assert kept or (table.note or "").startswith("A row has more than 1,000 values inside its nested cells")


@pytest.mark.parametrize("holder", ["text", "dictionary", "binary", "list", "several columns"])
def test_rows_take_as_many_bytes_as_allowed_and_none_takes_more(holder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_sizes, "ROW_BYTES_MAX", 100_000)
    for size, kept in ((100_000 - 100, True), (100_001, False)):
        text = pa.array(["x" * size])
        columns = {
            "text": {"c": text},
            "dictionary": {"c": text.dictionary_encode()},
            "binary": {"c": text.cast(pa.binary())},
            "list": {"c": one_list(text)},
            "several columns": {"c": ["x" * (size // 2)], "d": ["x" * (size - size // 2)]},
        }[holder]
        table = understood(parquet(columns, compression="zstd"), "rows.parquet")
        assert (table.format is Format.PARQUET) is kept
        assert kept or (table.note or "").startswith(TOO_MANY_BYTES)


def test_a_few_hundred_bytes_that_stand_for_millions_of_items_take_no_memory() -> None:
    data = nulls(20_000_000)
    assert len(data) < 1_000
    tracemalloc.start()
    try:
        with counted_memory() as memory:
            table = understood(data, "rows.parquet")
        python_peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (table.note or "").startswith(TOO_MANY_ITEMS)
    assert memory.max_memory() < 1_000_000
    assert python_peak < 5_000_000


def test_many_rows_of_nulls_are_decoded_a_few_at_a_time() -> None:
    column = pa.ListArray.from_arrays(range(0, 20_000_001, 100_000), pa.nulls(20_000_000))
    data = parquet({"c": column}, data_page_size=1 << 30, compression="zstd")
    tracemalloc.start()
    try:
        dataset = laid_out(data, "rows.parquet")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert dataset.profile.shape.rows == 200
    assert peak < 20_000_000
    page = dataset.page(0, 1)
    assert page.rows == [[[None] * 100_000]]


def test_segments_count_items_that_take_no_bytes() -> None:
    few = pa.ListArray.from_arrays(range(0, 100_001, 100), pa.nulls(100_000))
    many = pa.ListArray.from_arrays(range(0, 40_000_001, 1_000_000), pa.nulls(40_000_000))
    assert segments_of(laid_out(parquet({"c": few}), "rows.parquet")) == 1
    # 16 Mi of them at most in one segment.
    assert 3 <= segments_of(laid_out(parquet({"c": many}), "rows.parquet")) <= 10


def segments_of(dataset: LaidOut) -> int:
    return len(Directories().of(dataset.reader, dataset.layout).row_ends)


def test_a_long_text_is_cut_without_being_made_in_full() -> None:
    size = 30_000_000
    data = parquet({"n": [1], "t": ["é" * (size // 2)], "b": [b"x" * size]}, compression="zstd")
    tracemalloc.start()
    try:
        dataset = laid_out(data, "rows.parquet")
        page = dataset.page(max_bytes=2_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert page.rows == [[1, "é" * CLIPPED_CELL_CHARACTERS + "…", "eHh4" * (CLIPPED_CELL_CHARACTERS // 4) + "…"]]
    assert page.clipped == (ClippedCell(0, 1, size // 2), ClippedCell(0, 2, 4 * size // 3))
    assert dataset.profile.preview.rows[0][1] == "é" * PREVIEW_CELL_CHARACTERS + "…"
    assert peak < size / 2


@pytest.mark.parametrize(("type_", "values"), [(case[0], case[1]) for case in CASES], ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 100])
def test_a_cell_made_in_part_is_clipped_like_the_whole(type_: pa.DataType, values: list[Any], most: int) -> None:
    array = pa.array(values * 2, type_)
    rules = CellRules(type_)
    for characters in range(most + 1):
        part = [clip_cell(cell, characters) for cell in rules.encode(array, most)]
        assert repr(part) == repr([clip_cell(cell, characters) for cell in rules.encode(array)])


@pytest.mark.parametrize(
    "value", [{"t": "é" * 300, "l": list(range(300)), "m": [[n] * 300 for n in range(5)]}, {"b": "x"}, {}]
)
def test_a_clipped_nested_cell_tells_the_characters_of_the_whole(value: dict[str, Any]) -> None:
    long = {"pad": "y" * 3_000, **value}
    page = laid_out(json.dumps([{"c": long, "d": "z" * 3_000}]), "rows.json").page(max_bytes=1_024)
    text = json.dumps(long, ensure_ascii=False)
    assert page.rows[0][0] == text[:CLIPPED_CELL_CHARACTERS] + "…"
    assert page.clipped[0].characters == len(text)


@pytest.mark.parametrize("bytes_max", [1, 100, 10_000])
def test_slices_join_to_the_batch_and_are_small_or_single_rows(bytes_max: int) -> None:
    batch = pa.record_batch({"t": ["x" * (n % 50) for n in range(200)], "l": [[n] * (n % 7) for n in range(200)]})
    slices = list(small_slices(batch, bytes_max))
    assert pa.Table.from_batches(slices).to_pylist() == batch.to_pylist()
    assert all(piece.num_rows == 1 or piece.nbytes <= bytes_max for piece in slices)
