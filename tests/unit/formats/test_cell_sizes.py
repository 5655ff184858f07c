"""Sizes of cells are those of json.dumps with everything beyond ASCII escaped, to the byte."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.formats.values.cell_sizes import cells_bytes, plain_rows_bytes, row_overhead_bytes
from session_datasets.formats.values.cells import CellRules

cells_of_a_type: st.SearchStrategy[tuple[pa.DataType, list[Any]]] = st.one_of(
    st.tuples(st.just(pa.string()), st.lists(st.text() | st.none())),
    st.tuples(st.just(pa.float64()), st.lists(st.floats() | st.none())),
    st.tuples(st.just(pa.float32()), st.lists(st.floats(width=32) | st.none())),
    st.tuples(st.just(pa.int64()), st.lists(st.integers(-(2**63), 2**63 - 1) | st.none())),
    st.tuples(st.just(pa.bool_()), st.lists(st.booleans() | st.none())),
    st.tuples(st.just(pa.binary()), st.lists(st.binary() | st.none())),
    st.tuples(
        st.just(pa.list_(pa.struct([("a", pa.float64()), ("ü", pa.string())]))),
        st.lists(st.lists(st.fixed_dictionaries({"a": st.floats(), "ü": st.text()}), max_size=3) | st.none()),
    ),
)


@settings(max_examples=300)
@given(typed=cells_of_a_type)
def test_cells_take_as_many_bytes_as_json_dumps_makes_of_them(typed: tuple[pa.DataType, list[Any]]) -> None:
    type_, values = typed
    cells = CellRules(type_, exact=True, finite=False).encode(pa.array(values, type_))
    assert cells_bytes(cells, type_) == sum(len(json.dumps(cell)) for cell in cells)


@pytest.mark.parametrize("number", [1e-5, 1e-7, 1.5e-10, 9.9e-5, 1e-4, 1e15, 1e16, 1e22, -1e-6, 5e-324, 1.234e-05])
def test_numbers_count_as_they_are_written(number: float) -> None:
    assert cells_bytes([number], pa.float64()) == len(json.dumps(number))


@pytest.mark.parametrize("text", ["é", "😀", "\x7f", "\x00", "\u2028", '"\\/', "a\nb"])
def test_texts_count_as_they_are_escaped(text: str) -> None:
    assert cells_bytes([text], pa.string()) == len(json.dumps(text))


@given(rows=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3)))
def test_rows_take_their_cells_and_what_stands_between_them(rows: list[list[int]]) -> None:
    cells = sum(cells_bytes(column, pa.int64()) for column in zip(*rows, strict=True))
    # The comma behind the last row is not there, the brackets around all of them are.
    whole = cells + len(rows) * row_overhead_bytes(3) + (0 if rows else 2)
    assert whole == len(json.dumps(rows))


@settings(max_examples=300)
@given(typed=cells_of_a_type, copies=st.integers(1, 3))
def test_rows_that_are_sized_at_once_take_what_their_columns_do(
    typed: tuple[pa.DataType, list[Any]], copies: int
) -> None:
    type_, values = typed
    cells = CellRules(type_, exact=True, finite=False).encode(pa.array(values, type_))
    rows = [[cell] * copies for cell in cells]
    at_once = plain_rows_bytes(rows, [type_] * copies)
    by_columns = copies * cells_bytes(cells, type_) + len(rows) * row_overhead_bytes(copies)
    assert at_once in (None, by_columns) or not rows


@pytest.mark.parametrize(
    ("cell", "type_"),
    [("é", pa.string()), ("\x7f", pa.string()), (1e-7, pa.float64()), ([1], pa.list_(pa.int64()))],
    ids=["beyond-ascii", "delete", "small-number", "nested"],
)
def test_rows_that_the_fast_encoder_spells_otherwise_are_not_sized_at_once(cell: Any, type_: pa.DataType) -> None:
    assert plain_rows_bytes([[cell]], [type_]) is None


def test_plain_rows_are_sized_at_once() -> None:
    rows = [["a-b", 1, None], ["c", 2, True]]
    # The comma behind the last row is counted, the brackets around all of them are not.
    assert plain_rows_bytes(rows, [pa.string(), pa.int64(), pa.bool_()]) == len(json.dumps(rows)) - 2 + 2


def test_rows_without_columns_are_sized_at_once() -> None:
    assert plain_rows_bytes([[], []], []) == len(json.dumps([[], []])) - 2 + 2
