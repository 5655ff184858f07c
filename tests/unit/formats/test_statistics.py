"""What a profile says of each column, and its preview."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.domain.limits import PREVIEW_CELL_CHARACTERS, PREVIEW_ROWS
from session_datasets.domain.profile import ColumnStatistics
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet

NAN, INF = float("nan"), float("inf")


def statistics_of(values: list[Any], type_: pa.DataType) -> ColumnStatistics:
    return laid_out(parquet({"c": pa.array(values, type_)}), "rows.parquet").profile.statistics[0]


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (pa.int64(), [3, None, 1], ColumnStatistics(nulls=1, min=1, max=3, mean=2.0)),
        (pa.int64(), [2**62, 2**62, 2**62], ColumnStatistics(0, min=str(2**62), max=str(2**62), mean=float(2**62))),
        (pa.uint64(), [2**64 - 1, 0], ColumnStatistics(nulls=0, min="0", max=str(2**64 - 1), mean=float(2**63))),
        (pa.float64(), [1.0, NAN, None, 2.0], ColumnStatistics(nulls=1, nans=1, min=1.0, max=2.0, mean=1.5)),
        (pa.float64(), [NAN, NAN], ColumnStatistics(nulls=0, nans=2)),
        (pa.float64(), [INF, 1.0], ColumnStatistics(nulls=0, min=1.0, max="Infinity", mean=None)),
        (pa.float64(), [INF, -INF], ColumnStatistics(nulls=0, min="-Infinity", max="Infinity", mean=None)),
        (pa.float64(), [1.7e308, 1.7e308], ColumnStatistics(nulls=0, min=1.7e308, max=1.7e308, mean=None)),
        (pa.float32(), [0.5, NAN], ColumnStatistics(nulls=0, nans=1, min=0.5, max=0.5, mean=0.5)),
        (pa.float16(), [0.5, NAN, 1.5], ColumnStatistics(nulls=0, nans=1, min=0.5, max=1.5, mean=1.0)),
        (pa.decimal128(5, 2), [Decimal("1.5"), Decimal("2.5")], ColumnStatistics(0, min="1.50", max="2.50", mean=2.0)),
        (pa.decimal32(5, 2), [Decimal("1.50")], ColumnStatistics(nulls=0, min="1.50", max="1.50", mean=1.5)),
        (pa.bool_(), [True, False, None], ColumnStatistics(nulls=1)),
        (pa.string(), ["b", None, "a"], ColumnStatistics(nulls=1, min="a", max="b")),
        (pa.binary(), [b"b", None], ColumnStatistics(nulls=1)),
        (pa.date32(), [1, 0], ColumnStatistics(nulls=0, min="1970-01-01", max="1970-01-02")),
        (pa.time32("ms"), [1, 0], ColumnStatistics(nulls=0, min="00:00:00.000", max="00:00:00.001")),
        (pa.time64("ns"), [1], ColumnStatistics(nulls=0, min="00:00:00.000000001", max="00:00:00.000000001")),
        (pa.timestamp("ns", "UTC"), [1, None],
         ColumnStatistics(1, min="1970-01-01T00:00:00.000000001Z", max="1970-01-01T00:00:00.000000001Z")),
        (pa.duration("ms"), [5, -5], ColumnStatistics(nulls=0, min="-PT0.005S", max="PT0.005S")),
        (pa.list_(pa.int64()), [[1], None], ColumnStatistics(nulls=1)),
        (pa.int64(), [None, None], ColumnStatistics(nulls=2)),
        (pa.null(), [None], ColumnStatistics(nulls=1)),
        (pa.int64(), [], ColumnStatistics(nulls=0)),
    ],
)  # fmt: skip
def test_statistics_of_a_column(type_: pa.DataType, values: list[Any], expected: ColumnStatistics) -> None:
    assert statistics_of(values, type_) == expected


def test_statistics_cover_rows_of_all_batches() -> None:
    dataset = laid_out(parquet({"n": [*range(20_000), None]}), "rows.parquet")
    assert dataset.profile.statistics[0] == ColumnStatistics(nulls=1, min=0, max=19_999, mean=9_999.5)


def test_statistics_are_json() -> None:
    dataset = laid_out(parquet({"a": [NAN, INF], "b": [Decimal("1.5"), None]}), "rows.parquet")
    values = [[column.min, column.max, column.mean] for column in dataset.profile.statistics]
    assert json.loads(json.dumps(values, allow_nan=False)) == [["Infinity", "Infinity", None], ["1.5", "1.5", 1.5]]


def test_the_smallest_and_largest_text_are_cut_for_display() -> None:
    statistics = statistics_of(["x" * 1_000], pa.string())
    assert (statistics.min, statistics.max) == ("x" * PREVIEW_CELL_CHARACTERS, "x" * PREVIEW_CELL_CHARACTERS)


@pytest.mark.parametrize("rows", [0, 1, PREVIEW_ROWS, PREVIEW_ROWS + 1])
def test_the_preview_is_the_head_of_the_rows(rows: int) -> None:
    preview = laid_out(parquet({"n": pa.array(range(rows), pa.int32())}), "rows.parquet").profile.preview
    assert (preview.rows, preview.clipped) == (tuple((n,) for n in range(min(rows, PREVIEW_ROWS))), False)


@pytest.mark.parametrize(
    ("characters", "clipped"), [(PREVIEW_CELL_CHARACTERS, False), (PREVIEW_CELL_CHARACTERS + 1, True)]
)
def test_a_long_cell_of_the_preview_is_clipped_and_said(characters: int, clipped: bool) -> None:
    preview = laid_out("a,b\n" + "x" * characters + ",1\n").profile.preview
    assert preview.clipped is clipped
    assert preview.rows[0] == ("x" * PREVIEW_CELL_CHARACTERS + ("…" if clipped else ""), 1)


def test_a_large_nested_cell_of_the_preview_is_clipped_json_text() -> None:
    preview = laid_out(parquet({"c": [list(range(1_000))]}), "rows.parquet").profile.preview
    assert preview.rows[0][0].startswith("[0, 1, 2, ")
    assert (len(preview.rows[0][0]), preview.clipped) == (PREVIEW_CELL_CHARACTERS + 1, True)
