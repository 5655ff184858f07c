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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_series_equal

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import UnsupportedFrameError
from session_datasets.boundary.references.frames.cells import decoded, encoded
from session_datasets.boundary.references.frames.freqs import with_freq
from session_datasets.boundary.references.frames.names import field_names
from tests.unit.boundary.typed_values import same

BERLIN = "Europe/Berlin"
DAYS = pd.date_range("2026-01-01", periods=2, freq="D")
PAIRS = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["k", None])

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


def back(value: Any, store: FolderStore) -> Any:
    return references.load(references.save(value, store), store)


def assert_same_frame(one: pd.DataFrame, other: pd.DataFrame) -> None:
    assert_frame_equal(one, other, check_exact=True, check_freq=True)
    assert type(one.columns) is type(other.columns)
    assert one.columns.dtype == other.columns.dtype
    assert one.index.dtype == other.index.dtype
    for at in range(one.shape[1]):
        column, again = one.iloc[:, at], other.iloc[:, at]
        assert column.dtype == again.dtype
        if column.dtype == object:
            assert all(map(_same_cell, column, again))


def _same_cell(one: Any, other: Any) -> bool:
    if one is pd.NA or one is pd.NaT:
        return one is other
    return same(one, other)


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


LABELS: dict[str, Any] = {
    "texts": ["a", "b"],
    "duplicates": ["a", "a"],
    "numbers": [5, 7],
    "a-number-and-its-text": pd.Index([5, "5"], dtype=object),
    "range": pd.RangeIndex(2),
    "none-and-empty": pd.Index([None, ""], dtype=object),
    "levels": PAIRS,
    "times": DAYS,
    "named": pd.Index(["a", "b"], name="labels"),
    "surrogate": pd.Index(["\ud800", "b\0c"], dtype=object),
    "name-of-the-index": ["index", "index_2"],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_labels_of_columns_come_back(labels: Any, store: FolderStore) -> None:
    frame = pd.DataFrame([[1, 2.5], [3, 4.5]], columns=labels)
    assert_same_frame(back(frame, store), frame)


INDEXES: dict[str, Any] = {
    "range": pd.RangeIndex(2),
    "range-with-step-and-name": pd.RangeIndex(10, 6, -2, name="n"),
    "numbers": [9, 7],
    "duplicates": [1, 1],
    "texts": pd.Index(["x", None], name="a"),
    "levels": PAIRS,
    "days": DAYS,
    "zoned": DAYS.tz_localize(BERLIN),
    "spans": pd.timedelta_range("1h", periods=2, freq="h"),
    "category": pd.CategoricalIndex(["x", "y"], categories=["y", "x"]),
    "mixed": pd.Index([1, "1"], dtype=object),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES.keys())
def test_the_index_comes_back(index: Any, store: FolderStore) -> None:
    frame = pd.DataFrame({"a": [1, 2], "index": [3, 4]}, index=index)
    assert_same_frame(back(frame, store), frame)


# Frequencies whose text says all of them, and those whose text says less, or nothing that pandas reads.
TOLD_FREQS: dict[str, Any] = {
    name: name for name in ("D", "2h", "W-TUE", "ME", "QS-FEB", "YE-MAR", "B", "SMS-10", "WOM-2MON", "bh", "15min")
}
UNTOLD_FREQS: dict[str, Any] = {
    "months": pd.DateOffset(months=1),
    "days-and-hours": pd.DateOffset(days=1, hours=2),
    "holidays": pd.offsets.CustomBusinessDay(holidays=["2026-01-02"]),
    "week-mask": pd.offsets.CustomBusinessDay(weekmask="Sun Mon Tue"),
    "custom-hours": pd.offsets.CustomBusinessHour(holidays=["2026-01-02"]),
    "hours": pd.offsets.BusinessHour(start="10:00"),
    "custom-month-end": pd.offsets.CustomBusinessMonthEnd(holidays=["2026-01-30"]),
    "easter": pd.offsets.Easter(),
}
FREQS = {**TOLD_FREQS, **UNTOLD_FREQS}


@pytest.mark.parametrize("place", ["index", "labels", "series"])
@pytest.mark.parametrize("freq", FREQS.values(), ids=FREQS.keys())
def test_an_index_of_any_frequency_comes_back_and_a_lost_one_is_declared(
    freq: Any, place: str, store: FolderStore
) -> None:
    times = pd.date_range("2026-01-01", periods=3, freq=freq)
    value: Any = {
        "index": pd.DataFrame({"a": [1, 2, 3]}, index=times),
        "labels": pd.DataFrame([[1, 2, 3]], columns=times),
        "series": pd.Series([1, 2, 3], index=times),
    }[place]
    reference = references.save(value, store)
    again = references.load(reference, store)
    index = again.columns if place == "labels" else again.index
    assert index.equals(times)
    if index.freq is None:
        assert reference["$dataset"]["dropped"] == ["freq"]
    else:
        assert "dropped" not in reference["$dataset"]
        assert index.freq == times.freq
    assert (index.freq is not None) or freq not in TOLD_FREQS.values()


def test_a_lost_frequency_and_lost_attrs_are_both_declared(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": [1]}, index=pd.date_range("2026", periods=1, freq=pd.DateOffset(months=1)))
    frame.attrs = {"handle": object()}
    assert references.save(frame, store)["$dataset"]["dropped"] == ["freq", "attrs"]


def test_a_frequency_that_does_not_fit_the_times_of_a_file_is_none() -> None:
    times = pd.DatetimeIndex(["2026-01-01", "2026-01-05", "2026-01-06"])
    assert [with_freq(times, text).freq for text in ("D", "no such", "<DateOffset: months=1>")] == [None] * 3


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


@pytest.mark.parametrize("allows", [True, False])
@pytest.mark.parametrize("value", [pd.DataFrame({"a": [1]}), pd.Series([1])], ids=["frame", "series"])
def test_whether_labels_may_occur_twice_comes_back(value: Any, allows: bool, store: FolderStore) -> None:
    assert back(value.set_flags(allows_duplicate_labels=allows), store).flags.allows_duplicate_labels is allows


@pytest.mark.parametrize("name", [None, "days", 5, ("x", 1), pd.Timestamp("2026")], ids=str)
@pytest.mark.parametrize("place", ["column", "index"])
def test_categories_keep_their_name_and_frequency(place: str, name: Any, store: FolderStore) -> None:
    categories = pd.date_range("2026-01-01", periods=3, freq="D").rename(name)
    cells = pd.Categorical.from_codes([0, 2], categories=categories)
    frame = pd.DataFrame({"a": cells}) if place == "column" else pd.DataFrame({"a": [1, 2]}, index=cells)
    again = back(frame, store)
    found = again["a"].cat.categories if place == "column" else again.index.categories
    assert (found.name, found.freq) == (name, categories.freq)
    assert found.equals(categories)


def test_a_frequency_of_categories_that_is_lost_is_declared(store: FolderStore) -> None:
    categories = pd.date_range("2026-01-01", periods=3, freq=pd.DateOffset(months=1))
    frame = pd.DataFrame({"a": pd.Categorical.from_codes([0, 2], categories=categories)})
    assert references.save(frame, store)["$dataset"]["dropped"] == ["freq"]
    again = back(frame, store)["a"]
    assert (again.tolist(), again.cat.categories.freq) == (frame["a"].tolist(), None)


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


CELLS = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(max_size=4), st.binary(max_size=3), st.decimals(), st.dates(),
    st.tuples(st.integers(), st.text(max_size=2)), st.sampled_from([pd.NA, pd.NaT]),
)  # fmt: skip


@given(st.lists(CELLS, max_size=12))
def test_any_cells_come_back_from_their_column(cells: list[Any]) -> None:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    made = encoded(pd.Series(column, dtype=object), "column")
    again = decoded(pa.chunked_array([made.arrow]), made.spec)
    assert all(map(_same_cell, column, again))


@given(st.lists(st.floats(width=32) | st.none(), max_size=12), st.sampled_from(["float32", "float64", "Float64"]))
def test_any_floats_come_back_bit_by_bit(cells: list[Any], dtype: str) -> None:
    series = pd.Series(cells, dtype="float64" if not dtype.startswith("F") else dtype).astype(dtype)
    made = encoded(series, "column")
    again = pd.Series(decoded(pa.chunked_array([made.arrow]), made.spec))
    assert_series_equal(again, series, check_exact=True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=3) | st.integers() | st.none(), max_size=8), st.lists(st.text(max_size=3), max_size=3))
def test_names_in_the_file_are_texts_of_which_none_occurs_twice(labels: list[Any], more: list[str]) -> None:
    names = field_names(labels, more)
    assert len(set(names)) == len(names) == len(labels) + len(more)
    assert all(type(name) is str and name for name in names)


@given(st.lists(st.text("abc", min_size=1, max_size=3), unique=True, max_size=8))
def test_names_that_are_good_names_stay(labels: list[str]) -> None:
    assert field_names(labels) == labels
