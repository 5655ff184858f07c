"""What holds for every value: it comes back as it was, and its canonical bytes tell it from every other."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary.typed_json import MalformedJsonError, TypedJsonError, canonical, dump, dumps, load, loads
from tests.unit.boundary.typed_values import VALUES, reordered, same

JSON_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
TAG_LIKE = st.sampled_from(
    [
        "tuple/1",
        "dict/1",
        "set/1",
        "int/1",
        "float/1",
        "decimal/1",
        "datetime/1",
        "numpy/1",
        "bytes/1",
        "x/1",
        "tuple/2",
    ]
)
ANY_JSON = st.recursive(
    JSON_LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text(max_size=3), inner, max_size=4),
        st.fixed_dictionaries({"$type": TAG_LIKE, "value": inner}),
        st.fixed_dictionaries({"$dataset": inner}),
    ),
    max_leaves=15,
)


@given(VALUES)
def test_a_value_comes_back_equal_and_of_the_same_types(value: Any) -> None:
    assert same(load(dump(value)), value)


@given(VALUES)
def test_a_value_comes_back_from_text(value: Any) -> None:
    assert same(loads(dumps(value)), value)


@given(VALUES)
def test_the_text_is_strict_json_in_utf_8(value: Any) -> None:
    assert json.loads(dumps(value).decode(), parse_constant=_refuse) == dump(value)


def _refuse(token: str) -> None:
    raise AssertionError(token)


@given(VALUES)
def test_mappings_keep_their_order(value: Any) -> None:
    assert dumps(load(dump(value))) == dumps(value)


@given(VALUES)
def test_a_value_is_only_read(value: Any) -> None:
    before = copy.deepcopy(value)
    dump(value)
    assert same(value, before)


@given(VALUES)
def test_the_order_of_mappings_and_sets_does_not_change_canonical_bytes(value: Any) -> None:
    assert canonical(reordered(value)) == canonical(value)


@given(VALUES, VALUES)
def test_canonical_bytes_are_equal_exactly_for_the_same_values(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) == same(one, other)


@given(VALUES)
def test_the_dump_of_a_dump_comes_back_as_the_dump(value: Any) -> None:
    assert load(dump(dump(value))) == dump(value)


@given(ANY_JSON)
def test_any_json_is_loaded_or_refused_by_name(value: Any) -> None:
    with suppress(TypedJsonError):
        load(value)


@given(ANY_JSON)
def test_any_json_survives_as_data(value: Any) -> None:
    assert same(load(dump(value)), value)


@given(st.binary(max_size=40))
def test_any_bytes_are_parsed_or_refused_by_name(data: bytes) -> None:
    with suppress(MalformedJsonError):
        loads(data)
