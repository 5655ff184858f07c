"""What typed JSON refuses, and where its errors point."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from datetime import datetime, tzinfo
from decimal import Decimal
from enum import IntEnum
from typing import Any

import numpy as np
import pytest

from session_datasets.boundary.typed import tags
from session_datasets.boundary.typed_json import (
    DEPTH_MAX,
    CyclicValueError,
    MalformedJsonError,
    TooDeepError,
    TooManyValuesError,
    UnsupportedValueError,
    dump,
    dumps,
    load,
    loads,
)


class Number(IntEnum):
    ONE = 1


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


class Zone(tzinfo): ...


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Number.ONE,
        namedtuple("Pair", "a b")(1, 2),
        OrderedDict(a=1),
        datetime(2026, 1, 1, tzinfo=Zone()),
        np.str_("x"),
        np.longdouble(1),
        lambda: None,
        memoryview(b""),
    ],
    ids=["object", "IntEnum", "namedtuple", "OrderedDict", "tzinfo", "np.str_", "longdouble", "function", "memoryview"],
)
def test_what_would_come_back_as_something_else_is_refused_where_it_stands(value: Any) -> None:
    with pytest.raises(UnsupportedValueError) as caught:
        dump({"rows": [0, {"x": value}]})
    assert caught.value.path == "value['rows'][1]['x']"
    assert caught.value.advice


def test_a_subclass_is_told_what_to_become() -> None:
    with pytest.raises(UnsupportedValueError, match="Convert it to a plain dict"):
        dump(OrderedDict(a=1))


def test_a_value_that_holds_itself_is_refused() -> None:
    value: dict[str, Any] = {"a": []}
    value["a"].append(value)
    with pytest.raises(CyclicValueError, match=r"At value\['a'\]\[0\]"):
        dump(value)


def test_a_value_that_occurs_twice_is_no_cycle() -> None:
    twice = [1]
    assert load(dump([twice, twice])) == [[1], [1]]


def test_the_deepest_allowed_value_comes_back_and_one_level_more_is_refused() -> None:
    assert loads(dumps(nested(DEPTH_MAX))) == nested(DEPTH_MAX)
    with pytest.raises(TooDeepError):
        dump(nested(DEPTH_MAX + 1))


def test_a_scalar_with_a_tag_is_kept_at_the_deepest_level() -> None:
    value: Any = Decimal(1)
    for _ in range(DEPTH_MAX):
        value = (value,)
    assert loads(dumps(value)) == value


@pytest.mark.parametrize("levels", [DEPTH_MAX + 2, 100_000])
def test_json_that_lies_in_itself_too_deep_is_refused(levels: int) -> None:
    with pytest.raises(TooDeepError):
        loads("[" * levels + "]" * levels)


def test_a_value_of_endlessly_shared_parts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tags, "VALUES_MAX", 1_000)
    value: Any = [1]
    for _ in range(60):
        value = [value, value]
    with pytest.raises(TooManyValuesError, match="more than 1,000 values"):
        dump(value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is no JSON"),
        ("[Infinity]", "Infinity is no JSON"),
        ("1e999", "beyond what a double holds"),
        ('{"a":1,"a":2}', "a key twice"),
        ("{", "no JSON"),
        ("", "no JSON"),
        (b"\xff", "no JSON"),
        ('{"$type":"tuple/1"}', "is a tag, and this is none"),
        ('{"$type":"tuple/1","value":[],"more":1}', "is a tag, and this is none"),
        ('{"$type":1,"value":[]}', "is a tag, and this is none"),
        ('{"$type":"tuple/1","value":{}}', "tuple holds a list"),
        ('{"$type":"dict/1","value":[[1]]}', "dict holds pairs"),
        ('{"$type":"dict/1","value":[[1,2],[1,3]]}', "a key twice"),
        ('{"$type":"dict/1","value":[[[],2]]}', "no value that can be one"),
        ('{"$type":"set/1","value":[[]]}', "set cannot be built"),
        ('{"$type":"bytes/1","value":"?"}', "bytes cannot be built"),
        ('{"$type":"decimal/1","value":"x"}', "decimal cannot be built"),
        ('{"$type":"int/1","value":"12"}', "int cannot be built"),
        ('{"$type":"float/1","value":"1.5"}', "float cannot be built"),
        ('{"$type":"datetime/1","value":["2026-01-01T00:00:00",0,"../../etc/passwd"]}', "datetime cannot be built"),
        ('{"$type":"datetime/1","value":["2026-01-01T00:00:00",0,"No/Such_Zone"]}', "datetime cannot be built"),
        ('{"$type":"numpy/1","value":["|O","AAAAAAAAAAA="]}', "numpy cannot be built"),
        ('{"$type":"numpy/1","value":["<i8","AA=="]}', "numpy cannot be built"),
    ],
)
def test_what_was_not_written_here_is_refused(text: str | bytes, why: str) -> None:
    with pytest.raises(MalformedJsonError) as caught:
        loads(text)
    assert why.lower() in caught.value.detail.lower()


def test_a_value_that_is_no_json_is_not_loaded() -> None:
    with pytest.raises(MalformedJsonError, match="Tuple is no type of JSON"):
        load((1,))
