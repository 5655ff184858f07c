"""The boundary rule on its own, and how many bytes JSON takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.materialize import json_bytes, take_within_bytes
from session_datasets.materialize.json_texts import NoJsonError, iso_duration, json_text


@pytest.mark.parametrize(
    ("max_bytes", "taken", "more"), [(None, 3, False), (6, 3, False), (5, 2, True), (3, 2, True), (0, 0, True)]
)
def test_items_are_taken_as_long_as_their_sizes_fit(max_bytes: int | None, taken: int, more: bool) -> None:
    items = ["a", "bb", "ccc"]
    assert take_within_bytes(items, len, max_bytes) == (items[:taken], more)


def test_nothing_is_pulled_behind_the_first_item_that_does_not_fit() -> None:
    def items() -> Iterator[str]:
        yield from ("aaaa", "bbbb")
        raise AssertionError("pulled too far")

    assert take_within_bytes(items(), len, 5) == (["aaaa"], True)


def test_without_items_nothing_is_missing() -> None:
    assert take_within_bytes([], len, 0) == ([], False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_bytes_are_those_of_the_text_that_is_written(value: object) -> None:
    assert json_bytes(value) == len(json_text(value).encode()) == len(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("é", '"\\u00e9"'),
        ("\ud800", '"\\ud800"'),
        (float("nan"), '"NaN"'),
        ([float("inf"), float("-inf")], '["Infinity", "-Infinity"]'),
        (b"\x00\xff", '"AP8="'),
        (date(2024, 2, 29), '"2024-02-29"'),
        (datetime(2024, 2, 29, 12, 30), '"2024-02-29T12:30:00"'),
        (timedelta(days=1, seconds=2, microseconds=500_000), '"P1DT2.5S"'),
        (Decimal("1.10"), '"1.10"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ({1: "a", None: "b", date(2024, 1, 1): "c"}, '{"1": "a", "null": "b", "2024-01-01": "c"}'),
        ({"b", "a"}, '["a", "b"]'),
        (("a", (1,)), '["a", [1]]'),
    ],
)
def test_what_json_lacks_is_a_text(value: object, text: str) -> None:
    assert json_text(value) == text


@pytest.mark.parametrize(
    ("value", "reason"),
    [({1: "a", "1": "b"}, "two keys are both written '1'"), (object(), "a object has no text of its own")],
)
def test_what_has_no_json_is_refused_with_the_reason(value: object, reason: str) -> None:
    with pytest.raises(NoJsonError, match=reason):
        json_bytes(value)


def test_a_value_inside_itself_is_refused() -> None:
    value: list[object] = []
    value.append(value)
    with pytest.raises(NoJsonError, match="in itself"):
        json_bytes(value)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "PT0S"), (-1, "-PT1S"), (86_400, "P1D"), (86_401.25, "P1DT1.25S"), (0.000001, "PT0.000001S")],
)
def test_a_duration_is_iso_8601(seconds: float, text: str) -> None:
    assert iso_duration(timedelta(seconds=seconds)) == text
