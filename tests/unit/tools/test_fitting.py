from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from session_datasets.tools.answers import ToolAnswer, most_that_fits
from session_datasets.tools.fitting import clipped, clipped_cell, one_line, plural, some_of

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=300)


@given(text=_TEXTS, most=st.integers(3, 200))
def test_a_clipped_text_has_at_most_the_bytes_asked_for_as_json(text: str, most: int) -> None:
    told = clipped(text, most)
    assert len(json.dumps(told, ensure_ascii=False).encode()) - 2 <= most


@given(text=_TEXTS, most=st.integers(3, 200))
def test_a_clipped_text_is_the_text_or_its_beginning_and_a_mark(text: str, most: int) -> None:
    told = clipped(text, most)
    assert told == text or (told.endswith("…") and text.startswith(told[:-1]))


@given(text=st.text("abc ", max_size=300), most=st.integers(3, 200))
def test_no_more_is_cut_than_needs_to_be(text: str, most: int) -> None:
    told = clipped(text, most)
    assert told == text or told == text[: most - 3].rstrip() + "…"


def test_a_line_has_no_line_ends() -> None:
    assert one_line(" a\n\tb  c ", 100) == "a b c"


def test_a_nested_cell_that_is_too_long_becomes_the_beginning_of_its_json() -> None:
    assert clipped_cell({"a": [1, 2]}, 100) == {"a": [1, 2]}
    assert clipped_cell({"a": ["x" * 100]}, 12) == '{"a":[…'


@given(value=st.none() | st.booleans() | st.integers() | st.floats())
def test_a_number_is_never_cut(value: object) -> None:
    assert clipped_cell(value, 3) is value


@given(most=st.integers(0, 500), budget=st.integers(1, 200), least=st.integers(0, 5))
def test_the_greatest_size_within_the_budget_is_found(most: int, budget: int, least: int) -> None:
    most = max(most, least)
    told = most_that_fits(most, lambda size: ToolAnswer("x" * size), budget, least=least)
    assert len(told.text) == max(least, min(most, budget * 4))


def test_counts_are_told_in_words() -> None:
    assert plural(1, "row") == "1 row"
    assert plural(1_234, "row") == "1,234 rows"
    assert some_of(["a", "b", "c"], 2) == "a, b and 1 more"
    assert some_of(["a"], 2) == "a"
