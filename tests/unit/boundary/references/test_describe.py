"""One line about any value."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore, describe
from tests.unit.boundary.typed_values import VALUES


class Silent:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Frame(pd.DataFrame):
    @property
    def shape(self) -> Any:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (pd.DataFrame({"a": range(1_000), "b": 1}), "dataset pandas.DataFrame as parquet, 1,000 x 2, (a, b), "),
        (np.zeros((2, 3), "f4"), "dataset numpy.ndarray as npy, 2 x 3, float32, 152 B"),
        (list(range(2_000)), "dataset list as json, 2,000 items, 8.7 KiB"),
        ({"b": 1, "a": 2}, "dataset dict as json, 2 items, (a, b), 13 B"),
        (np.array(1.0), "dataset numpy.ndarray as npy, one value, float64, 136 B"),
    ],
    ids=["frame", "array", "list", "dict", "one-value"],
)
def test_a_reference_is_told_by_format_shape_or_count_and_size(value: Any, line: str, store: FolderStore) -> None:
    assert describe(references.save(value, store)).startswith(line)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (1 / 3, "0.333333"),
        (1234567.0, "1.23457e+06"),
        (1e-10, "1e-10"),
        (float("nan"), "nan"),
        (7, "7"),
        (None, "None"),
        ("text", "text"),
        ("two\nlines\tand\x1b[31m", "two lines and [31m"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 79 + "…"),
        ([], "[]"),
        ([1, 2], "list, 2 items: [1, 2]"),
        (b"ab", "bytes, 2 bytes: b'ab'"),
        (pd.DataFrame({"a": [1, 2]}), "pandas.DataFrame, 2 x 1"),
        (pl.Series([1]), "polars.Series, 1"),
        (np.zeros((2, 0)), "numpy.ndarray, 2 x 0, float64"),
        (Silent(), "<Silent>"),
        ([Silent()], "<list>"),
        (Frame(), "<Frame>"),
        (10**5_000, "<int>"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_any_other_value_is_told_in_a_line(value: Any, line: str) -> None:
    assert describe(value) == line


class Named(NamedTuple):
    rows: list[Any]
    more: int


class Asked:
    """Counts how often it is spelled out."""

    times = 0

    def __repr__(self) -> str:
        type(self).times += 1
        return "x"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda each: each,
        lambda each: [each],
        lambda each: {"k": each},
        lambda each: [[[each]] * 3, {7: (each,)}],
        tuple,
        lambda each: dict(enumerate(each)),
        lambda each: [each] * 1_000,
        deque,
        lambda each: OrderedDict(enumerate(each)),
        lambda each: defaultdict(list, {1: each}),
        lambda each: deque([each]),
        lambda each: Named(each, 1),
    ],
    ids=[
        "list",
        "in-list",
        "in-dict",
        "deep",
        "tuple",
        "dict",
        "wide",
        "deque",
        "ordered",
        "default",
        "in-deque",
        "named",
    ],
)
def test_of_a_large_value_only_what_the_line_shows_is_spelled_out(wrap: Any) -> None:
    Asked.times = 0
    assert len(describe(wrap([Asked()] * 100_000))) <= 120
    assert 0 < Asked.times <= 80


@given(VALUES)
def test_a_small_value_is_spelled_as_python_spells_it(value: Any) -> None:
    if type(value) in (list, tuple, dict) and value and len(text := repr(value)) <= 80 and text.isprintable():
        assert describe(value).endswith(f": {text}")


@pytest.mark.parametrize("value", [(1,), {1}, frozenset({1}), {"a": [(), {}, set()]}, [b"x", None]], ids=repr)
def test_every_container_is_spelled_as_python_spells_it(value: Any) -> None:
    assert describe(value).endswith(f": {value!r}")


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (deque([1]), "deque([1])"),
        (OrderedDict(a=1), "OrderedDict({'a': 1})"),
        (Named([1], 2), "Named([1], 2)"),
        (type("State", (dict,), {})(a=1), "{'a': 1}"),
        (type("Text", (str,), {})("x" * 1_000), "'" + "x" * 78 + "…"),
    ],
    ids=["deque", "ordered", "named", "dict", "str"],
)
def test_a_derived_container_is_spelled_with_its_name_if_it_has_its_own_spelling(value: Any, spelled: str) -> None:
    assert describe(value) == spelled


def test_a_value_that_holds_itself_is_told_in_a_line() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert describe(loop) == "list, 1 items: " + "[" * 33 + "…" + "]" * 33


@given(VALUES)
def test_the_line_is_one_and_short(value: Any) -> None:
    line = describe(value)
    assert line.isprintable()
    assert len(line) <= 120


def test_a_reference_with_hostile_names_is_one_line(store: FolderStore) -> None:
    reference = references.save({"a\nb": 1}, store)
    assert describe(reference) == "dataset dict as json, 1 items, (a b), 10 B"


def test_a_reference_with_facts_of_another_form_is_still_told(store: FolderStore) -> None:
    reference = references.save([1], store)
    reference["$dataset"] |= {"shape": "x", "length": [], "columns": 7}
    assert describe(reference) == "dataset list as json, 3 B"
