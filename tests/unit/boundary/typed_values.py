"""Any value that typed JSON keeps, and what "the same" means for two of them, told without typed JSON."""

from __future__ import annotations

import math
import struct
from datetime import UTC, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

ZONES = st.one_of(
    st.none(),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]).map(ZoneInfo),
    st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone),
    st.just(timezone(timedelta(hours=1), "summer")),
    st.just(UTC),
)
# Beside all other texts, those that no UTF-8 holds.
TEXTS = st.text(st.characters(codec=None, categories=None), max_size=8)
HASHABLE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-3, 3),
    st.integers(2**62, 2**80),
    st.floats(allow_nan=False),
    TEXTS,
    st.sampled_from(["$type", "$dataset", "value", "tuple/1", "1", ""]),
    st.binary(max_size=6),
    st.decimals(allow_nan=False),
    st.sampled_from([Decimal("1.1"), Decimal("1.10"), Decimal("-0"), Decimal("1E+3")]),
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(timezones=ZONES.filter(lambda zone: zone is None or isinstance(zone, timezone))),
    st.timedeltas(),
    st.uuids(),
    st.complex_numbers(allow_nan=False),
)
SCALARS = st.one_of(
    HASHABLE, st.floats(), st.complex_numbers(), st.binary(max_size=6).map(bytearray), st.just(Decimal("NaN"))
)
KEYS = st.recursive(
    HASHABLE,
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=4,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(TEXTS, inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4),
        st.dictionaries(st.sampled_from(["$type", "$dataset", "value"]), inner, max_size=3),
        st.sets(KEYS, max_size=4),
        st.frozensets(KEYS, max_size=4),
    ),
    max_leaves=20,
)


def same(one: Any, other: Any) -> bool:
    """Equal, of equal types in every part; order counts in lists and tuples only."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, Decimal):
        return one.as_tuple() == other.as_tuple()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return _matched(list(one.items()), list(other.items()))
    if isinstance(one, set | frozenset):
        return _matched(list(one), list(other))
    if hasattr(one, "tzinfo"):
        return (repr(one), one.fold) == (repr(other), other.fold)
    return bool(one == other)


def _matched(some: list[Any], others: list[Any]) -> bool:
    left = list(others)
    for each in some:
        found = next((at for at, other in enumerate(left) if same(each, other)), None)
        if found is None:
            return False
        del left[found]
    return not left


def reordered(value: Any) -> Any:
    """The same value, with its mappings in another order and its sets built anew."""
    if isinstance(value, dict):
        return {reordered(key): reordered(each) for key, each in reversed(value.items())}
    if isinstance(value, list | tuple):
        return type(value)(map(reordered, value))
    if isinstance(value, set | frozenset):
        return type(value)(reversed([reordered(each) for each in value]))
    return value
