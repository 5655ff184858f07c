"""Labels and indexes of pandas come back with their types, names and frequencies."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.frames.freqs import with_freq
from tests.unit.boundary.references.same_frames import BERLIN, DAYS, PAIRS, assert_same_frame, back

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
