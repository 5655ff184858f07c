"""Typed JSON by example: what is kept, what is refused, and where an error points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum, Flag
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from session_datasets.boundary import typed_json
from session_datasets.boundary.typed_json import (
    MalformedJsonError,
    Registry,
    UnknownTypeError,
    UnsupportedValueError,
    canonical,
    dump,
    dumps,
    load,
    loads,
)


class Color(Enum):
    RED = "r"
    BLUE = "b"


class Right(Flag):
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Point:
    x: int
    y: tuple[int, ...] = ()


@dataclass
class Counted:
    items: list[int]
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = len(self.items)


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    for cls in (Color, Right, Point, Counted):
        registry.register(cls)
    return registry


# --- plain stays plain ---------------------------------------------------------------------------------------


def test_plain_json_is_dumped_as_itself() -> None:
    value = {"a": [1, 2.5, "x", None, True], "b": {}}
    assert dump(value) == value


def test_a_tag_has_a_name_and_the_version_of_its_rule() -> None:
    assert dump((1, 2)) == {"$type": "tuple/1", "value": [1, 2]}


# --- kept ----------------------------------------------------------------------------------------------------


def test_the_keys_1_and_text_1_do_not_collide() -> None:
    assert loads(dumps({1: "int", "1": "text"})) == {1: "int", "1": "text"}


@pytest.mark.parametrize("keys", [("$type",), ("$dataset",), ("$type", "value"), ("$dataset", "x")])
def test_data_with_a_reserved_key_comes_back_as_data(keys: tuple[str, ...]) -> None:
    value = dict.fromkeys(keys, "tuple/1")
    assert "$dataset" not in dump(value)
    assert loads(dumps(value)) == value


def test_a_decimal_keeps_its_scale() -> None:
    assert str(loads(dumps(Decimal("1.10")))) == "1.10"


def test_an_integer_of_ten_thousand_digits_comes_back() -> None:
    assert loads(dumps(-(7**10_000))) == -(7**10_000)


def test_integers_that_a_double_would_round_travel_as_text() -> None:
    assert dump(2**53 - 1) == 2**53 - 1
    assert dump(2**53) == {"$type": "int/1", "value": hex(2**53)}


def test_two_surrogates_beside_each_other_do_not_become_one_character() -> None:
    assert loads(dumps("\ud83d\ude00")) == "\ud83d\ude00" != "\U0001f600"


def test_a_moment_that_occurs_twice_keeps_which_one_it_is() -> None:
    second = datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ZoneInfo("Europe/Berlin"))
    assert loads(dumps(second)).utcoffset() == second.utcoffset() != second.replace(fold=0).utcoffset()


def test_utc_comes_back_as_utc() -> None:
    assert loads(dumps(datetime(2026, 1, 1, tzinfo=UTC))).tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        np.float64(1.5),
        np.float32(0.1),
        np.float16(2),
        np.int64(-3),
        np.uint8(255),
        np.bool_(True),
        np.complex64(1 + 2j),
        np.datetime64("2026-01-01T00:00:00", "ns"),
        np.timedelta64(5, "s"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_number_of_numpy_keeps_its_type(value: Any) -> None:
    loaded = loads(dumps({"n": value}))["n"]
    assert (loaded, loaded.dtype) == (value, value.dtype)


def test_nan_is_written_without_a_token_and_read_as_nan() -> None:
    assert dumps([float("nan")]) == b'[{"$type":"float/1","value":"nan"}]'


# --- registered types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [Color.RED, Color.BLUE, Right.READ, Right.READ | Right.WRITE, Right(0)], ids=str)
def test_a_registered_enum_comes_back(registry: Registry, value: Any) -> None:
    assert loads(dumps(value, registry=registry), registry=registry) is value


def test_a_registered_dataclass_comes_back_with_its_parts(registry: Registry) -> None:
    value = {"p": [Point(1, (2, 3))]}
    assert loads(dumps(value, registry=registry), registry=registry) == value


def test_a_field_without_init_is_made_by_the_class_again(registry: Registry) -> None:
    assert loads(dumps(Counted([1, 2]), registry=registry), registry=registry) == Counted([1, 2])


def test_a_field_of_a_later_writer_is_left_out_and_a_missing_one_takes_its_default(registry: Registry) -> None:
    tagged = {"$type": "Point/1", "value": {"x": 1, "later": 2}}
    assert load(tagged, registry=registry) == Point(1)


def test_a_missing_field_without_default_is_refused(registry: Registry) -> None:
    with pytest.raises(MalformedJsonError, match="Point cannot be built"):
        load({"$type": "Point/1", "value": {"y": []}}, registry=registry)


def test_a_class_with_rules_of_its_own_comes_back() -> None:
    registry = Registry()
    registry.register(range, name="range", parts=lambda r: (r.start, r.stop, r.step), build=lambda p: range(*p))
    assert loads(dumps(range(1, 9, 2), registry=registry), registry=registry) == range(1, 9, 2)


def test_a_type_that_is_not_registered_is_refused() -> None:
    with pytest.raises(UnsupportedValueError, match=r"At value\['p'\]: .*Point.*typed_json.register"):
        dump({"p": Point(1)})


def test_data_names_no_type_that_is_not_registered() -> None:
    with pytest.raises(UnknownTypeError, match=r"'os\.system' is not registered here"):
        load({"$type": "os.system/1", "value": "true"})


def test_a_name_in_data_imports_no_module() -> None:
    before = set(sys.modules)
    with pytest.raises(UnknownTypeError):
        load({"$type": "antigravity/1", "value": None})
    assert "antigravity" not in set(sys.modules) - before


def test_a_later_version_of_a_registered_type_is_refused_with_its_version(registry: Registry) -> None:
    with pytest.raises(UnknownTypeError, match="has version 2 of 'Point', this process knows up to 1"):
        load({"$type": "Point/2", "value": {}}, registry=registry)


def test_a_later_version_of_an_own_rule_is_refused() -> None:
    with pytest.raises(UnknownTypeError, match="version 2 of 'tuple'"):
        load({"$type": "tuple/2", "value": []})


@pytest.mark.parametrize("name", ["tuple", "decimal", "numpy", "a/b", "", "1a"])
def test_a_name_that_is_ours_or_no_name_is_not_registered(name: str) -> None:
    with pytest.raises(ValueError, match=r"is no name for a type|nothing was registered"):
        Registry().register(Point, name=name or " ")


def test_two_classes_do_not_share_a_name() -> None:
    registry = Registry()
    registry.register(Point, name="thing")
    with pytest.raises(ValueError, match="'thing' is registered for Point"):
        registry.register(Color, name="thing")


def test_a_class_without_rules_is_not_registered() -> None:
    with pytest.raises(TypeError, match="pass parts= and build="):
        Registry().register(object)


# --- canonical -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        (Decimal("1.1"), Decimal("1.10")),
        ((1,), [1]),
        ({1}, frozenset({1})),
        ({1: 2}, {"1": 2}),
        (None, "None"),
        (b"a", "a"),
        (np.int64(1), 1),
    ],
    ids=str,
)
def test_values_that_are_not_alike_have_other_canonical_bytes(one: Any, other: Any) -> None:
    assert canonical(one) != canonical(other)


def test_nan_has_the_canonical_bytes_of_nan() -> None:
    assert canonical(float("nan")) == canonical(-float("nan"))


def test_canonical_bytes_refuse_what_only_has_an_address() -> None:
    with pytest.raises(UnsupportedValueError):
        canonical({"handle": object()})


def test_canonical_bytes_and_dumps_are_the_same_in_every_process() -> None:
    program = (
        "from session_datasets.boundary.typed_json import canonical, dumps\n"
        "value = {'s': {'a', 'b', 'c', 1, (2, frozenset({'x', 'y', 'z'}))}, 2: {'k', 'l'}, 'a': {'z': 1, 'y': 2}}\n"
        "print(canonical(value), dumps(value))"
    )
    answers = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        answers.add(subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True).stdout)
    assert len(answers) == 1
    assert b"frozenset" in answers.pop()


# --- hooks and imports ---------------------------------------------------------------------------------------


def test_what_replaces_a_value_is_not_escaped() -> None:
    pointer = {"$dataset": {"v": 1}}
    assert dump({"f": b"frame"}, replace=lambda value: pointer if value == b"frame" else None) == {"f": pointer}


def test_an_object_with_the_key_of_a_reference_is_resolved() -> None:
    assert load([{"$dataset": 7}], resolve=lambda reference: reference["$dataset"]) == [7]


def test_without_a_resolver_a_reference_is_left_as_it_is() -> None:
    assert load({"$dataset": {"v": 1}}) == {"$dataset": {"v": 1}}


def test_nothing_but_the_standard_library_is_imported() -> None:
    program = (
        "import sys, json\n"
        "from session_datasets.boundary import typed_json\n"
        "typed_json.loads(typed_json.dumps({1: (2,)}))\n"
        "own = {'numpy', 'pandas', 'pyarrow', 'pydantic', 'boto3', 'polars'}\n"
        "print(json.dumps(sorted(own & set(sys.modules))))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    answer = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert json.loads(answer.stdout) == []


def test_the_default_registry_is_shared_by_the_functions() -> None:
    assert typed_json.register == typed_json.REGISTRY.register
