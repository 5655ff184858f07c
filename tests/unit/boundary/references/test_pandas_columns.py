"""Any cells and any names of columns, as a file holds them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_series_equal

from session_datasets.boundary.references.frames.cells import decoded, encoded
from session_datasets.boundary.references.frames.names import field_names
from tests.unit.boundary.references.same_frames import same_cell

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
    assert all(map(same_cell, column, again))


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
