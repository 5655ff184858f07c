from __future__ import annotations

from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.bounded import bounded_profile, json_bytes
from tests.support.builders import a_profile


def test_a_profile_of_exactly_the_budget_stays_whole() -> None:
    profile = a_profile(columns=20)
    assert bounded_profile(profile, json_bytes(asdict(profile))) is profile


def test_one_byte_less_costs_the_last_column() -> None:
    profile = a_profile(columns=20)
    cut = bounded_profile(profile, json_bytes(asdict(profile)) - 1)
    assert len(cut.columns) + cut.columns_omitted == 20
    assert cut.columns_omitted == 1


def test_schema_statistics_and_preview_are_cut_alike() -> None:
    cut = bounded_profile(a_profile(columns=500), 4_000)
    assert len(cut.columns) == len(cut.statistics) == len(cut.preview.rows[0]) > 0


def test_the_shape_tells_the_whole_width() -> None:
    assert bounded_profile(a_profile(columns=103_630), 32_768).shape.columns == 103_630


def test_a_single_name_beyond_the_budget_leaves_no_column() -> None:
    cut = bounded_profile(a_profile(columns=1, name="n" * 1_000_000), 32_768)
    assert (cut.columns, cut.columns_omitted) == ((), 1)


@given(st.integers(min_value=0, max_value=60), st.integers(min_value=400, max_value=9_000))
def test_it_never_passes_the_budget_and_never_cuts_without_need(columns: int, budget: int) -> None:
    profile = a_profile(columns=columns)
    cut = bounded_profile(profile, budget)
    assert json_bytes(asdict(cut)) <= budget
    if cut.columns_omitted:
        assert json_bytes(asdict(profile.first_columns(len(cut.columns) + 1))) > budget
