from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.bounded import bounded_profile, json_bytes
from session_datasets.domain.limits import (
    NAME_CHARACTERS_MAX,
    PREVIEW_CELL_CHARACTERS,
    PREVIEW_ROWS,
    RECORD_PROFILE_BYTES_MAX,
)
from session_datasets.domain.profile import Column, ColumnStatistics, Order, Preview, Profile, Shape
from tests.support.builders import a_profile


def size_of(profile: Profile) -> int:
    return json_bytes(asdict(profile))


def test_a_profile_of_exactly_the_budget_stays_whole() -> None:
    profile = a_profile(columns=20)
    assert bounded_profile(profile, size_of(profile)) is profile


def test_one_byte_less_costs_the_last_column() -> None:
    profile = a_profile(columns=20)
    cut = bounded_profile(profile, size_of(profile) - 1)
    assert len(cut.columns) + cut.columns_omitted == 20
    assert cut.columns_omitted == 1


def test_schema_statistics_and_preview_are_cut_alike() -> None:
    cut = bounded_profile(a_profile(columns=500), 4_000)
    assert len(cut.columns) == len(cut.statistics) == len(cut.preview.rows[0]) > 0


def test_the_shape_tells_the_whole_width() -> None:
    assert bounded_profile(a_profile(columns=103_630), 32_768).shape.columns == 103_630


@pytest.mark.parametrize("name", ["c{}", "ä{}", "😀" * NAME_CHARACTERS_MAX + "{}", "n" * 4_096 + "{}"])
def test_the_widest_table_fits_the_record_whatever_its_names(name: str) -> None:
    cut = bounded_profile(a_profile(columns=103_630, name=name), RECORD_PROFILE_BYTES_MAX)
    assert size_of(cut) <= RECORD_PROFILE_BYTES_MAX
    assert len(cut.columns) + cut.columns_omitted == 103_630


def test_no_more_columns_are_measured_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[object] = []

    def counting(value: object) -> int:
        measured.append(value)
        return 1_000

    monkeypatch.setattr("session_datasets.domain.bounded.json_bytes", counting)
    bounded_profile(a_profile(columns=100_000), 20_000)
    assert len(measured) < 100


def test_a_single_name_beyond_the_budget_leaves_no_column() -> None:
    cut = bounded_profile(a_profile(columns=1, name="n" * 1_000_000), 32_768)
    assert (cut.columns, cut.columns_omitted) == ((), 1)


def test_how_the_file_was_read_is_told_beside_the_columns_that_fit() -> None:
    profile = replace(a_profile(columns=500), reading={"delimiter": ";"})
    assert bounded_profile(profile, 4_000).reading == {"delimiter": ";"}


def test_a_reading_beyond_the_budget_is_left_out_with_all_columns() -> None:
    cut = bounded_profile(replace(a_profile(columns=3), reading={"remarks": "x" * 40_000}), 32_768)
    assert (cut.reading, cut.columns, cut.columns_omitted) == ({}, (), 3)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=60), st.integers(min_value=400, max_value=9_000))
def test_it_never_passes_the_budget_and_never_cuts_without_need(columns: int, budget: int) -> None:
    profile = a_profile(columns=columns)
    cut = bounded_profile(profile, budget)
    assert size_of(cut) <= budget
    if cut.columns_omitted:
        assert size_of(profile.first_columns(len(cut.columns) + 1)) > budget


CELLS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=PREVIEW_CELL_CHARACTERS + 1),
    st.lists(st.integers(0, 9), max_size=3),
)
STATISTICS = st.builds(
    ColumnStatistics,
    nulls=st.integers(0, 10**12),
    min=CELLS,
    max=CELLS,
    mean=st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
    distinct=st.one_of(st.none(), st.integers(0, 10**12)),
    distinct_estimated=st.booleans(),
    bytes_per_row=st.one_of(st.none(), st.floats(0, 1e6)),
    order=st.one_of(st.none(), st.sampled_from(Order)),
    rule=st.one_of(st.none(), st.text(max_size=20)),
)


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    width, height = draw(st.integers(0, 12)), draw(st.integers(0, PREVIEW_ROWS))
    names = draw(st.lists(st.text(max_size=30), min_size=width, max_size=width))
    return Profile(
        shape=Shape(height, width),
        columns=tuple(Column(name, "string") for name in names),
        statistics=tuple(draw(STATISTICS) for _ in names),
        preview=Preview(tuple(tuple(draw(CELLS) for _ in names) for _ in range(height)), draw(st.booleans())),
        columns_omitted=draw(st.integers(0, 200)),
        reading=draw(st.dictionaries(st.text(max_size=3), st.text(max_size=4), max_size=3)),
    )


@settings(max_examples=60, deadline=None)
@given(profiles(), st.integers(600, 6_000))
def test_any_profile_is_cut_to_the_column_that_just_fits(profile: Profile, budget: int) -> None:
    cut = bounded_profile(profile, budget)
    assert size_of(cut) <= budget
    if len(cut.columns) < len(profile.columns):
        assert size_of(profile.first_columns(len(cut.columns) + 1)) > budget
    else:
        assert cut is profile


@settings(max_examples=60, deadline=None)
@given(profiles())
def test_columns_that_are_left_keep_all_that_is_known_of_them(profile: Profile) -> None:
    cut = bounded_profile(profile, size_of(profile) // 2 + 300)
    width = len(cut.columns)
    told = {field.name: getattr(cut, field.name) for field in fields(cut)}
    assert told | {"columns_omitted": 0} == {
        "shape": profile.shape,
        "columns": profile.columns[:width],
        "statistics": profile.statistics[:width],
        "preview": Preview(tuple(row[:width] for row in profile.preview.rows), profile.preview.clipped),
        "columns_omitted": 0,
        "reading": profile.reading,
    }
