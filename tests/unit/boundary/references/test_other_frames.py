"""Frames of polars and Arrow's tables come back as they were, or are refused by the column's name."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import UnreadableReferenceError, UnsupportedFrameError

COLUMNS: dict[str, Any] = {
    "enum": pl.Series(["a", None], dtype=pl.Enum(["b", "a", "unused"])),
    "categorical": pl.Series(["a", None], dtype=pl.Categorical),
    "null": pl.Series([None, None]),
    "array": pl.Series([[1, 2], None], dtype=pl.Array(pl.Int8, 2)),
    "list": pl.Series([["a"], None]),
    "struct": pl.Series([{"a": 1, "b": "x"}, {"a": None, "b": None}]),
    "time": pl.Series([dt.time(1, 2, 3, 4), None]),
    "duration": pl.Series([dt.timedelta(1), None], dtype=pl.Duration("ms")),
    "datetime": pl.Series([dt.datetime(2026, 1, 1), None], dtype=pl.Datetime("ns", "Europe/Berlin")),
    "date": pl.Series([dt.date(2026, 1, 1), None]),
    "decimal": pl.Series([Decimal("1.10"), None], dtype=pl.Decimal(10, 3)),
    "binary": pl.Series([b"\xff", None]),
    "uint64": pl.Series([2**64 - 1, None], dtype=pl.UInt64),
    "float": pl.Series([float("nan"), None]),
    "bool": pl.Series([True, None]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())
def test_a_column_of_polars_keeps_its_type(column: Any, store: FolderStore) -> None:
    frame = pl.DataFrame({"x": column, "n": [1, 2]})
    back = references.load(references.save(frame, store), store)
    assert back.schema == frame.schema
    assert back.equals(frame)


def test_a_frame_of_polars_without_columns_comes_back(store: FolderStore) -> None:
    assert references.load(references.save(pl.DataFrame(), store), store).equals(pl.DataFrame())


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_rows_without_columns_come_back(rows: int, store: FolderStore) -> None:
    batch = pa.record_batch({"a": pa.array(range(rows), pa.int8())}).select([])
    for frame in (pl.DataFrame(height=rows), batch, pa.Table.from_batches([batch]), pd.DataFrame(index=range(rows))):
        back = references.load(references.save(frame, store), store)
        assert type(back) is type(frame)
        assert back.shape == (rows, 0)


def test_a_file_that_makes_a_value_of_another_shape_than_was_saved_is_refused(store: FolderStore) -> None:
    for value in (pa.table({"a": [1, 2]}), pl.Series([1, 2]), pd.Series([1, 2]), np.zeros((2, 3))):
        reference = references.save(value, store)
        references.load(reference, store)
        reference["$dataset"]["shape"][0] = 3
        with pytest.raises(UnreadableReferenceError, match="another shape was saved"):
            references.load(reference, store)


def test_a_series_of_polars_comes_back_as_one(store: FolderStore) -> None:
    series = pl.Series("x", [1, None])
    back = references.load(references.save(series, store), store)
    assert (type(back), back.name, back.to_list()) == (pl.Series, "x", [1, None])


# What polars takes for a name: any text, and each once.
NAMES = ["", "column_0", "column_1", "0", " ", "a.b", "\n", "x\0y", "ü", "__index_level_0__", "$dataset"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_series_of_polars_of_any_name_comes_back(name: str, store: FolderStore) -> None:
    series = pl.Series(name, ["a", None], dtype=pl.Categorical)
    back = references.load(references.save(series, store), store)
    assert (type(back), back.name, back.dtype, back.to_list()) == (pl.Series, name, series.dtype, ["a", None])


@pytest.mark.parametrize("first", NAMES, ids=ascii)
def test_columns_of_polars_of_any_names_come_back(first: str, store: FolderStore) -> None:
    names = [first, *(name for name in NAMES if name != first)]
    frame = pl.DataFrame({name: [at] for at, name in enumerate(names)})
    frame = frame.with_columns(pl.lit("x").cast(pl.Enum(["x"])).alias(first))
    back = references.load(references.save(frame, store), store)
    assert back.schema == frame.schema
    assert back.equals(frame)


@pytest.mark.parametrize(
    ("column", "named"),
    [
        (pl.Series([object()], dtype=pl.Object), r"bad \(Object\)"),
        (pl.Series([2**100], dtype=pl.Int128), r"bad \(Int128\)"),
        (pl.Series([{"a\0b": 1}]), r"bad \(Struct"),
        (pl.Series([[]], dtype=pl.Array(pl.Int8, 0)), r"bad \(Array"),
        (pl.Series([[[]]], dtype=pl.List(pl.Array(pl.Int8, 0))), r"bad \(List\(Array"),
    ],
    ids=["object", "int128", "field-with-nul", "array-of-none", "lists-of-arrays-of-none"],
)
def test_a_column_of_polars_that_arrow_lacks_is_refused(column: Any, named: str, store: FolderStore) -> None:
    with pytest.raises(UnsupportedFrameError, match=named):
        references.save(pl.DataFrame({"bad": column}), store)


def test_a_lazy_frame_is_refused_with_what_to_do(store: FolderStore) -> None:
    with pytest.raises(UnsupportedFrameError, match="collect"):
        references.save(pl.LazyFrame({"a": [1]}), store)


@pytest.mark.parametrize(
    "bad", [pl.LazyFrame({"a": [1]}), pl.Series("s", [object()]), np.array([object()])], ids=["lazy", "series", "array"]
)
def test_what_no_file_holds_is_refused_with_its_place_in_the_value(bad: Any, store: FolderStore) -> None:
    for call in (references.save, references.externalize):
        with pytest.raises(UnsupportedFrameError, match=r"^At value\['parts'\]\[1\]: "):
            call({"parts": [1, bad, bad]}, store)


TABLES: dict[str, tuple[Any, str]] = {
    "plain": (pa.table({"a": [1, None]}), "parquet"),
    "no-columns": (pa.table({}), "parquet"),
    "names-twice": (pa.table([[1], [2]], names=["a", "a"]), "parquet"),
    "metadata": (pa.table({"a": [1]}).replace_schema_metadata({"k": b"\xff"}), "parquet"),
    "not-null": (pa.table([[1]], schema=pa.schema([pa.field("a", pa.int64(), nullable=False)])), "parquet"),
    "nested": (pa.table({"a": [[{"x": 1}], None, []]}), "parquet"),
    "map": (pa.table({"m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64()))}), "arrow"),
    "half": (pa.table({"h": pa.array([1.5], pa.float16())}), "parquet"),
    "view": (pa.table({"v": pa.array(["x"], pa.string_view())}), "parquet"),
    "seconds": (pa.table({"s": pa.array([1], pa.timestamp("s"))}), "arrow"),
    "dictionary": (pa.table({"d": pa.array(["b", "a", "b"]).dictionary_encode()}), "arrow"),
    "date64": (pa.table({"d": pa.array([86_400_000], pa.date64())}), "arrow"),
    "fixed-size-list": (pa.table({"l": pa.array([[1, 2], None], pa.list_(pa.int8(), 2))}), "arrow"),
    "list-view": (pa.table({"l": pa.array([["x"], None], pa.list_view(pa.string()))}), "arrow"),
    "large-list-view": (pa.table({"l": pa.array([[1], None], pa.large_list_view(pa.int8()))}), "arrow"),
    "empty-struct": (pa.table({"s": pa.array([{}], pa.struct([]))}), "arrow"),
    "months": (pa.table({"i": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}), "arrow"),
}


@pytest.mark.parametrize(("table", "format"), TABLES.values(), ids=TABLES.keys())
def test_a_table_of_arrow_comes_back_with_its_schema(table: Any, format: str, store: FolderStore) -> None:
    reference = references.save(table, store)
    back = references.load(reference, store)
    assert reference["$dataset"]["format"] == format
    assert ("why" in reference["$dataset"]) == (format == "arrow")
    assert back.schema.equals(table.schema, check_metadata=True)
    assert back.equals(table)


@pytest.mark.parametrize("rows", [0, 3])
def test_a_record_batch_comes_back_as_one(rows: int, store: FolderStore) -> None:
    batch = pa.record_batch({"a": pa.array(range(rows), pa.int8())})
    back = references.load(references.save(batch, store), store)
    assert type(back) is pa.RecordBatch
    assert back.equals(batch)


@pytest.mark.parametrize("letter", ["x", "ü", "\U0001f600"], ids=["ascii", "two-bytes", "four-bytes"])
def test_a_wide_frame_has_a_small_reference(letter: str, store: FolderStore) -> None:
    cells = [[1]]
    frame = pd.DataFrame({f"column number {number} {letter * 200}": pd.Series(cells) for number in range(300)})
    reference = references.save(frame, store)["$dataset"]
    assert reference["shape"] == [1, 300]
    assert len(reference["columns"]) == len(reference["cells_as_json"]) == 50
    assert len(json.dumps(reference, ensure_ascii=False).encode()) < 8_000
