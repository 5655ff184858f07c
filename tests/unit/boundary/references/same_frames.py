"""When two frames of pandas are the same: every cell, type, label, and the index with its frequency."""

from __future__ import annotations

from typing import Any

import pandas as pd
from pandas.testing import assert_frame_equal

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from tests.unit.boundary.typed_values import same

BERLIN = "Europe/Berlin"
DAYS = pd.date_range("2026-01-01", periods=2, freq="D")
PAIRS = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["k", None])


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
            assert all(map(same_cell, column, again))


def same_cell(one: Any, other: Any) -> bool:
    if one is pd.NA or one is pd.NaT:
        return one is other
    return same(one, other)
