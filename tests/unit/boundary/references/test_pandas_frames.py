"""A frame of pandas comes back with every cell, type, label and its index, or is refused by the column's name."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pandas.testing import assert_series_equal

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import UnsupportedFrameError
from tests.unit.boundary.references.same_frames import BERLIN, assert_same_frame, back

# The values that pandas' own to_parquet refuses, and those that it or its CSV changes silently.
ODD: dict[str, Any] = {
    "mixed-int-and-text": [1, "x"],
    "mixed-everything": [1, 2.5, "x", None, np.nan, pd.NA, pd.NaT, True, b"x", (1,), {"a"}, [1], {}],
    "empty-dict": [{}, {"x": 1}],
    "sparse-dict-keys": [{"a": 1}, {"b": 2}],
    "tuples": [(1, 2), (3,)],
    "sets": [{1, 2}, set()],
    "lists": [[1], [2, 3]],
    "complex": [1j, 2 + 0j],
    "decimals-of-two-scales": [Decimal("1.10"), Decimal(".1")],
    "mixed-zones": [pd.Timestamp("2026", tz="UTC"), pd.Timestamp("2026", tz="Asia/Tokyo")],
    "dates": [dt.date(2026, 1, 1), None],
    "times": [dt.time(1, 2, 3), None],
    "bytes": [b"x", b"\xff"],
    "integers-beyond-64-bits": [2**70, 1],
    "text-and-none": ["x", None],
    "text-nan-na-empty": ["nan", "NA", ""],
    "text-with-nul": ["a\0b", "\0"],
    "lone-surrogate": ["\ud800", "x"],
    "text-and-nan": ["x", np.nan],
    "all-none": [None, None],
    "booleans-and-none": [True, None],
}


@pytest.mark.parametrize("cells", ODD.values(), ids=ODD.keys())
def test_cells_of_any_python_type_come_back(cells: list[Any], store: FolderStore) -> None:
    column = np.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        column[at] = cell
    frame = pd.DataFrame({"a": pd.Series(column, dtype=object), "n": range(len(cells))})
    assert_same_frame(back(frame, store), frame)


TYPED: dict[str, Any] = {
    **{name: np.array([1, 2], dtype=name) for name in ("int8", "uint8", "int64", "uint64", "float16", "float32")},
    "float64": np.array([np.nan, -0.0, np.inf]),
    "bool": np.array([True, False]),
    "complex64": np.array([1j, 2], dtype="complex64"),
    "complex128": np.array([complex("nan"), 2]),
    "str": pd.array(["a", None], dtype="str"),
    "string-python": pd.array(["a", None], dtype="string[python]"),
    "string-arrow": pd.array(["a", None], dtype="string[pyarrow]"),
    "Int64": pd.array([2**60 + 1, None], dtype="Int64"),
    "UInt8": pd.array([255, None], dtype="UInt8"),
    "Float32": pd.array([0.1, None], dtype="Float32"),
    "boolean": pd.array([True, None], dtype="boolean"),
    "arrow-int": pd.array([1, None], dtype=pd.ArrowDtype(pa.int64())),
    "arrow-list": pd.array([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int8()))),
    "arrow-seconds": pd.array([None, dt.datetime(2026, 1, 1)], dtype=pd.ArrowDtype(pa.timestamp("s"))),
    **{f"datetime-{unit}": np.array(["2026-01-01", "NaT"], f"M8[{unit}]") for unit in ("s", "ms", "us", "ns")},
    **{f"timedelta-{unit}": np.array([1, "NaT"], f"m8[{unit}]") for unit in ("s", "ms", "us", "ns")},
    "datetime-of-far-seconds": np.array(["-999999999-01-01", "NaT"], "M8[s]"),
    "zoned": pd.array(pd.to_datetime(["2026-01-01", None]).tz_localize(BERLIN)),
    "zoned-twice-a-year": pd.array(
        pd.to_datetime(["2026-10-25 00:30", "2026-10-25 01:30"], utc=True).tz_convert(BERLIN)
    ),
    "zoned-fixed": pd.array(pd.to_datetime(["2026-01-01"]).tz_localize(dt.timezone(dt.timedelta(hours=1)))),
    "category": pd.Categorical(["x", None, "y"], categories=["y", "unused", "x"], ordered=True),
    "category-int": pd.Categorical([3, 1, 3]),
    "category-times": pd.Categorical(pd.to_datetime(["2026", "2025", None])),
    "category-mixed": pd.Categorical([1, "x", (1,)]),
    "category-empty": pd.Categorical([None, None], categories=[]),
}


@pytest.mark.parametrize("array", TYPED.values(), ids=TYPED.keys())
def test_a_column_keeps_its_type(array: Any, store: FolderStore) -> None:
    frame = pd.DataFrame({"a": array})
    assert_same_frame(back(frame, store), frame)


@pytest.mark.parametrize("array", TYPED.values(), ids=TYPED.keys())
def test_a_column_keeps_its_type_without_rows(array: Any, store: FolderStore) -> None:
    frame = pd.DataFrame({"a": array}).iloc[:0]
    assert_same_frame(back(frame, store), frame)


def test_the_reference_says_what_became_of_the_index(store: FolderStore) -> None:
    plain, named = pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="id"))
    assert references.save(plain, store)["$dataset"]["index"] == "range"
    assert references.save(named, store)["$dataset"]["index"] == ["id"]


def test_the_reference_names_the_columns_whose_cells_are_json(store: FolderStore) -> None:
    frame = pd.DataFrame({"n": [1], "mixed": pd.Series([(1,)], dtype=object)})
    assert references.save(frame, store)["$dataset"]["cells_as_json"] == ["mixed"]


def test_a_reference_has_shape_columns_format_and_size(store: FolderStore) -> None:
    reference = references.save(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), store, name="orders")["$dataset"]
    assert (reference["format"], reference["shape"], reference["columns"]) == ("parquet", [2, 2], ["a", "b"])
    assert (store._root / reference["place"]["key"]).stat().st_size == reference["bytes"]


def test_other_readers_of_the_file_see_plain_columns(store: FolderStore) -> None:
    frame = pd.DataFrame({"city": pd.Categorical(["x", "y"]), "n": [1, 2]}, index=pd.Index([7, 8], name="id"))
    reference = references.save(frame, store)["$dataset"]
    table = parquet.read_table(store._root / reference["place"]["key"])
    assert table.to_pydict() == {"city": ["x", "y"], "n": [1, 2], "id": [7, 8]}


def test_what_parquet_cannot_hold_is_an_arrow_file_that_says_why(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": np.array(["-999999999-01-01"], "M8[s]")})
    reference = references.save(frame, store)["$dataset"]
    assert (reference["format"], "Parquet refused it" in reference["why"]) == ("arrow", True)


def test_a_parquet_file_that_failed_leaves_nothing_behind(tmp_path: Any) -> None:
    from session_datasets.boundary.references.frames.tables import write_table

    table = pa.table({"s": [{}]}, schema=pa.schema([("s", pa.struct([]))]))
    assert write_table(table, tmp_path).path.name == "value.arrow"
    assert [each.name for each in tmp_path.iterdir()] == ["value.arrow"]


@pytest.mark.parametrize("value", [pd.DataFrame(), pd.DataFrame(index=range(3)), pd.DataFrame(index=["x"])], ids=str)
def test_a_frame_without_columns_keeps_its_rows(value: pd.DataFrame, store: FolderStore) -> None:
    assert_same_frame(back(value, store), value)


@pytest.mark.parametrize("name", [None, "a", 5, ("x", 1)], ids=str)
def test_a_series_keeps_its_name_and_index(name: Any, store: FolderStore) -> None:
    series = pd.Series([1.5, np.nan], index=["x", "y"], name=name)
    assert_series_equal(back(series, store), series, check_exact=True)


@pytest.mark.parametrize("dtype", ["Float32", "Float64"])
def test_a_number_that_is_none_and_a_missing_one_stay_two_things(dtype: str, store: FolderStore) -> None:
    numbers = np.array([1.5, np.nan, np.inf, -0.0, 7.0], dtype=dtype.lower())
    array = pd.arrays.FloatingArray(numbers, np.array([False, False, False, False, True]))
    again = back(pd.DataFrame({"a": array}), store)["a"].array
    assert again.dtype == dtype
    assert list(map(repr, again)) == list(map(repr, array))
    assert again.isna().tolist() == [False, False, False, False, True]


def test_attrs_come_back(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = {"source": ("x", 1)}
    assert back(frame, store).attrs == {"source": ("x", 1)}


def test_attrs_that_cannot_be_written_are_declared_as_dropped(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = {"handle": object()}
    assert references.save(frame, store)["$dataset"]["dropped"] == ["attrs"]


@pytest.mark.parametrize(
    ("column", "named"),
    [
        (pd.Series([object()]), "column 'bad' holds a cell in row 0"),
        (pd.Series(pd.period_range("2026", periods=1, freq="M")), "column 'bad' of dtype period"),
        (pd.Series(pd.arrays.SparseArray([0, 1])), "column 'bad' of dtype Sparse"),
    ],
    ids=["object", "period", "sparse"],
)
def test_a_column_that_would_come_back_as_something_else_is_refused(
    column: Any, named: str, store: FolderStore, folder: Any
) -> None:
    with pytest.raises(UnsupportedFrameError, match=named) as caught:
        references.save(pd.DataFrame({"good": range(len(column)), "bad": column}), store)
    assert caught.value.advice
    assert not list(folder.iterdir())


def test_a_subclass_is_refused_with_what_to_pass(store: FolderStore) -> None:
    class Special(pd.DataFrame): ...

    with pytest.raises(UnsupportedFrameError, match=r"pandas.DataFrame\(value\)"):
        references.save(Special({"a": [1]}), store)


def test_the_frame_is_not_changed(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "x"], dtype=object)}, index=["p", "q"])
    before = frame.copy(deep=True)
    references.save(frame, store)
    assert_same_frame(frame, before)
