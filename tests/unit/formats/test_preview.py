"""The first rows of a dataset, cut for display."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS, PREVIEW_ROWS
from session_datasets.domain.profile import Preview
from session_datasets.formats.measure.preview import preview
from session_datasets.formats.values.cells import CellRules
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet


def preview_of(*batches: Sequence[Any], type_: pa.DataType) -> Preview:
    head = [pa.record_batch([pa.array(values, type_)], ["c"]) for values in batches]
    return preview(head, [CellRules(type_)])


@pytest.mark.parametrize("rows", [0, 1, PREVIEW_ROWS, PREVIEW_ROWS + 1])
def test_the_preview_is_the_head_of_the_rows(rows: int) -> None:
    found = laid_out(parquet({"n": pa.array(range(rows), pa.int32())}), "rows.parquet").profile.preview
    assert (found.rows, found.clipped) == (tuple((n,) for n in range(min(rows, PREVIEW_ROWS))), False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6))
def test_the_head_may_lie_in_any_number_of_batches(batches: list[list[int]]) -> None:
    numbers = [number for batch in batches for number in batch]
    assert preview_of(*batches, type_=pa.int64()).rows == tuple((number,) for number in numbers[:PREVIEW_ROWS])


@pytest.mark.parametrize(
    ("characters", "clipped"), [(PREVIEW_CELL_CHARACTERS, False), (PREVIEW_CELL_CHARACTERS + 1, True)]
)
@pytest.mark.parametrize("letter", ["x", "ä", "😀"])
def test_a_long_text_is_cut_and_it_is_said(letter: str, characters: int, clipped: bool) -> None:
    found = preview_of(["short", letter * characters], type_=pa.string())
    assert found.clipped is clipped
    assert found.rows == (("short",), (letter * PREVIEW_CELL_CHARACTERS + ("…" if clipped else ""),))


def test_a_large_nested_cell_is_cut_json_text() -> None:
    found = preview_of([[*range(1_000)]], type_=pa.list_(pa.int64()))
    assert found.rows[0][0].startswith("[0, 1, 2, ")
    assert (len(found.rows[0][0]), found.clipped) == (PREVIEW_CELL_CHARACTERS + 1, True)


def test_a_small_nested_cell_stays_what_it_is() -> None:
    type_ = pa.struct([("a", pa.list_(pa.int8()))])
    assert preview_of([{"a": [1, None]}], type_=type_) == Preview((({"a": [1, None]},),), clipped=False)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=300)), max_size=8))
def test_no_cell_is_longer_than_shown_and_all_are_json(texts: list[str | None]) -> None:
    found = preview_of(texts, type_=pa.string())
    assert all(cell is None or len(cell) <= PREVIEW_CELL_CHARACTERS + 1 for (cell,) in found.rows)
    assert json.loads(json.dumps(found.rows)) == [list(row) for row in found.rows]


def test_cells_of_megabytes_are_cut_before_they_are_spelled(monkeypatch: pytest.MonkeyPatch) -> None:
    spelled: list[int] = []
    encode = CellRules.encode

    def counting(rules: CellRules, values: pa.Array, most: int | None = None) -> list[Any]:
        cells = encode(rules, values, most)
        spelled.extend(len(cell) for cell in cells)
        return cells

    monkeypatch.setattr(CellRules, "encode", counting)
    assert preview_of(["x" * 4_000_000], type_=pa.string()).clipped is True
    assert spelled == [PREVIEW_CELL_CHARACTERS + 1]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_lacks_is_a_text(value: float) -> None:
    found = preview([pa.record_batch([pa.array([value])], ["c"])], [CellRules(pa.float64(), finite=False)])
    assert isinstance(found.rows[0][0], str)
