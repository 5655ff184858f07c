"""What the cells of a column weigh on a page."""

from __future__ import annotations

import json
from decimal import Decimal
from math import inf, nan
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.formats.measure.measure import ColumnMeasure
from session_datasets.formats.values.cells import CellRules

examples = settings(max_examples=60, deadline=None)


def weight_of(*batches: pa.Array) -> float | None:
    measure = ColumnMeasure(batches[0].type)
    for values in batches:
        measure.see(values)
    return measure.statistics.bytes_per_row


def spelled(values: pa.Array, rules: CellRules) -> float:
    """Mean bytes of compact JSON of each cell and the comma after it."""
    cells = [json.dumps(cell, ensure_ascii=False, separators=(",", ":")).encode() for cell in rules.encode(values)]
    return sum(len(cell) + 1 for cell in cells) / len(values)


@pytest.mark.parametrize(
    ("type_", "values"),
    [
        (pa.int64(), [1, -20, None, 300]),
        (pa.int64(), [2**60, 7, None]),
        (pa.uint64(), [2**63]),
        (pa.float64(), [1.5, nan, inf, None, 0.1]),
        (pa.float32(), [0.1, None]),
        (pa.bool_(), [True, False, None]),
        (pa.decimal128(9, 2), [Decimal("1.50"), None]),
        (pa.date32(), [0, None]),
        (pa.timestamp("us", "UTC"), [0, None]),
        (pa.duration("s"), [5]),
        (pa.string(), ["", "ä€😀", None, "abc"]),
        (pa.large_string(), ["abc", None]),
        (pa.binary(), [b"", b"a", b"ab", b"abc", b"abcd", None]),
        (pa.binary(2), [b"ab", None]),
        (pa.list_(pa.struct([("a", pa.string())])), [[{"a": "x"}], [], None]),
        (pa.map_(pa.string(), pa.int8()), [[("k", 1)], None]),
        (pa.null(), [None, None]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_cells_of_a_short_column_are_weighed_to_the_byte(type_: pa.DataType, values: list[Any]) -> None:
    array = pa.array(values, type_)
    measure = ColumnMeasure(type_)
    measure.see(array)
    assert measure.statistics.bytes_per_row == round(spelled(array, measure.rules), 1)


@examples
@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-9, 9), st.none()), min_size=1, max_size=200))
def test_integers_are_weighed_as_they_are_spelled(values: list[int | None]) -> None:
    array = pa.array(values, pa.int64())
    measure = ColumnMeasure(pa.int64())
    measure.see(array)
    assert measure.statistics.bytes_per_row == pytest.approx(spelled(array, measure.rules), abs=0.051)


def test_a_column_without_a_row_weighs_nothing_that_is_known() -> None:
    assert weight_of(pa.array([], pa.int64())) is None


def test_all_texts_are_weighed_wherever_the_long_ones_are() -> None:
    batches = [pa.array(["x"] * 1_000), pa.array([*(["x"] * 999), "y" * 10_000])]
    assert weight_of(*batches) == round((1_999 + 10_000) / 2_000 + 3, 1)


def test_a_sample_tells_about_all_batches() -> None:
    short, long = pa.array([1] * 1_000), pa.array([10**9] * 1_000)
    assert weight_of(*[short] * 100, *[long] * 100) == pytest.approx(6.5, rel=0.15)


def test_the_weight_depends_on_the_values_alone() -> None:
    batches = [pa.array(range(batch * 1_000, batch * 1_000 + 1_000)) for batch in range(50)]
    assert weight_of(*batches) == weight_of(*batches)


@pytest.fixture
def spelled_cells(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many cells were spelled, call by call."""
    counts: list[int] = []
    encode = CellRules.encode

    def counting(rules: CellRules, values: pa.Array, most: int | None = None) -> list[Any]:
        counts.append(len(values))
        return encode(rules, values, most)

    monkeypatch.setattr(CellRules, "encode", counting)
    return counts


def test_few_cells_are_spelled_however_many_there_are(spelled_cells: list[int]) -> None:
    weight_of(*(pa.array(range(batch, batch + 1_000)) for batch in range(1_024)))
    assert 1_024 < sum(spelled_cells) < 8_192


def test_of_large_cells_one_of_a_batch_is_spelled(spelled_cells: list[int]) -> None:
    weight_of(pa.array([[*range(100_000)]] * 10))
    assert spelled_cells == [1]
