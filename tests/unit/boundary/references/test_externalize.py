"""What becomes a file and what stays: frames and arrays always, other values by their serialized bytes."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets.boundary import references, typed_json
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.limits import FIELD_FILES_MAX, INLINE_BYTES_MAX
from session_datasets.boundary.typed.text import written
from session_datasets.boundary.typed_json import CyclicValueError, Registry, TooDeepError, UnsupportedValueError
from tests.unit.boundary.typed_values import VALUES, same

FRAME = pd.DataFrame({"a": [1, 2]})


def files(folder: Path) -> int:
    return len(list(folder.iterdir()))


def text_of(size: int) -> str:
    """A text that takes so many bytes as JSON."""
    return "x" * (size - 2)


# --- should_spill ---------------------------------------------------------------------------------------------


def test_none_does_not_spill() -> None:
    assert not references.should_spill(None, threshold=0)


def test_a_reference_does_not_spill(store: FolderStore) -> None:
    assert not references.should_spill(references.save(FRAME, store), threshold=0)


@pytest.mark.parametrize("value", [FRAME.iloc[:0], np.zeros(0), {"deep": [FRAME]}], ids=["frame", "array", "inside"])
def test_frames_and_arrays_of_any_size_spill(value: Any) -> None:
    assert references.should_spill(value, threshold=10**9)


def test_a_value_of_the_threshold_stays_and_one_byte_more_spills() -> None:
    assert not references.should_spill(text_of(100), threshold=100)
    assert references.should_spill(text_of(101), threshold=100)


def test_bytes_are_counted_and_not_characters() -> None:
    assert not references.should_spill("é" * 49, threshold=100)
    assert references.should_spill("é" * 50, threshold=100)


def test_should_spill_saves_nothing(store: FolderStore, folder: Path) -> None:
    references.should_spill({"a": FRAME})
    assert files(folder) == 0


# --- externalize ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [99, 100])
def test_a_value_up_to_the_threshold_stays(size: int, store: FolderStore) -> None:
    assert references.externalize(text_of(size), store, threshold=100) == text_of(size)


def test_a_value_above_the_threshold_becomes_a_reference(store: FolderStore) -> None:
    assert references.is_reference(references.externalize(text_of(101), store, threshold=100))


def test_a_large_field_of_a_small_mapping_goes_alone(store: FolderStore) -> None:
    output = references.externalize(
        {"id": 7, "text": text_of(5_000), "more": {"x": text_of(5_000)}}, store, threshold=4_000
    )
    assert output["id"] == 7
    assert references.is_reference(output["text"])
    assert references.is_reference(output["more"]["x"])


def test_a_mapping_of_many_small_values_becomes_one_file(store: FolderStore, folder: Path) -> None:
    value = {f"k{number}": text_of(50) for number in range(100)}
    assert references.is_reference(references.externalize(value, store, threshold=1_000))
    assert files(folder) == 1


def test_a_mapping_of_too_many_large_fields_becomes_one_file(store: FolderStore, folder: Path) -> None:
    large = {f"k{number}": text_of(40_000) for number in range(FIELD_FILES_MAX)}
    assert not references.is_reference(references.externalize(large, store))
    assert files(folder) == FIELD_FILES_MAX == 16
    assert references.is_reference(references.externalize({**large, "one more": text_of(40_000)}, store))
    assert files(folder) == FIELD_FILES_MAX + 1


def test_a_mapping_whose_references_are_too_large_themselves_becomes_one_file(store: FolderStore) -> None:
    large = {f"{number}{'k' * 200}": text_of(300) for number in range(60)}
    output = references.externalize({"a": large, "b": large}, store, threshold=5_000)
    assert references.is_reference(output)
    assert references.hydrate(output, store) == {"a": large, "b": large}


def test_a_large_list_becomes_one_file(store: FolderStore, folder: Path) -> None:
    assert references.is_reference(references.externalize([text_of(200)] * 10, store, threshold=1_000))
    assert files(folder) == 1


def test_the_default_threshold_is_32_kib(store: FolderStore) -> None:
    assert INLINE_BYTES_MAX == 32_768
    assert not references.is_reference(references.externalize(text_of(32_768), store))
    assert references.is_reference(references.externalize(text_of(32_769), store))


def test_a_frame_inside_a_list_is_a_reference_in_the_list(store: FolderStore) -> None:
    [pointer, number] = references.externalize([FRAME, 1], store)
    assert (references.is_reference(pointer), number) == (True, 1)


def test_a_frame_that_occurs_twice_is_saved_once(store: FolderStore, folder: Path) -> None:
    output = references.externalize({"a": FRAME, "b": [FRAME]}, store)
    assert output["a"] == output["b"][0]
    assert files(folder) == 1


def test_a_reference_in_the_value_passes_unchanged(store: FolderStore) -> None:
    pointer = references.save(FRAME, store)
    assert references.externalize({"from_upstream": pointer}, store) == {"from_upstream": pointer}


@pytest.mark.parametrize(
    "data",
    [{"$dataset": "mine"}, {"$dataset": {"v": 1}}, {"$dataset": 1, "more": 2}, {"$type": "tuple/1", "value": []}],
    ids=str,
)
def test_data_with_the_key_of_a_reference_comes_back_as_data(data: Any, store: FolderStore) -> None:
    output = references.externalize({"user": data}, store)
    assert not references.is_reference(output["user"])
    assert references.hydrate(output, store) == {"user": data}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(value=VALUES, threshold=st.sampled_from([0, 20, 100, 10_000]))
def test_any_value_comes_back_whatever_the_threshold(value: Any, threshold: int, store: FolderStore) -> None:
    before = copy.deepcopy(value)
    output = references.externalize(value, store, threshold=threshold)
    assert same(references.hydrate(json.loads(json.dumps(output, allow_nan=False)), store), before)
    assert same(value, before)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(value=VALUES)
def test_what_is_inline_has_at_most_the_threshold_or_is_a_reference(value: Any, store: FolderStore) -> None:
    output = references.externalize(value, store, threshold=2_000)
    assert references.is_reference(output) or len(written(output)) <= 2_000


def test_a_registered_dataclass_with_a_frame_comes_back(store: FolderStore) -> None:
    @dataclass
    class Report:
        title: str
        rows: Any

    registry = Registry()
    registry.register(Report)
    output = references.externalize(Report("t", FRAME), store, registry=registry)
    back = references.hydrate(output, store, registry=registry)
    assert (type(back), back.title, back.rows.equals(FRAME)) == (Report, "t", True)


def test_a_value_that_holds_itself_is_refused(store: FolderStore, folder: Path) -> None:
    value: dict[str, Any] = {}
    value["me"] = value
    with pytest.raises(CyclicValueError):
        references.externalize(value, store)
    assert files(folder) == 0


def test_a_value_that_is_too_deep_is_refused(store: FolderStore) -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    with pytest.raises(TooDeepError):
        references.save(value, store)


def test_a_value_without_a_rule_is_refused_by_its_place(store: FolderStore) -> None:
    with pytest.raises(UnsupportedValueError, match=r"value\['handles'\]\[0\]"):
        references.externalize({"handles": [object()]}, store)


# --- save -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([1, 2, 3], {"value": "list", "length": 3}),
        ((1, 2), {"value": "tuple", "length": 2}),
        ({"b": 1, "a": 2}, {"value": "dict", "length": 2, "keys": ["a", "b"]}),
        ({1: 2}, {"value": "dict", "length": 1}),
        ("héllo", {"value": "str", "length": 5}),
        (Decimal("1.10"), {"value": "decimal"}),
        (None, {"value": "NoneType"}),
    ],
    ids=str,
)
def test_a_reference_to_a_value_tells_its_type_and_length_or_keys(value: Any, told: Any, store: FolderStore) -> None:
    reference = references.save(value, store)["$dataset"]
    fixed = {name: reference.pop(name) for name in ("v", "format", "bytes", "sha256", "place")}
    assert reference == told
    assert (fixed["v"], fixed["format"], fixed["bytes"]) == (1, "json", len(typed_json.dumps(value)))


def test_a_reference_tells_at_most_50_sorted_keys(store: FolderStore) -> None:
    reference = references.save({f"k{number:03}": 1 for number in reversed(range(60))}, store)["$dataset"]
    assert reference["keys"] == [f"k{number:03}" for number in range(50)]
    assert reference["length"] == 60


def test_a_reference_is_saved_as_itself(store: FolderStore, folder: Path) -> None:
    reference = references.save(1, store)
    assert references.save(reference, store) == reference
    assert files(folder) == 1


def test_the_same_name_twice_makes_two_files(store: FolderStore) -> None:
    first, second = references.save([1], store, name="rows"), references.save([2], store, name="rows")
    assert [references.load(each, store) for each in (first, second)] == [[1], [2]]


def test_values_saved_at_once_under_one_name_stay_apart(store: FolderStore) -> None:
    with ThreadPoolExecutor(8) as threads:
        saved = list(threads.map(lambda number: references.save([number % 10], store, name="x"), range(40)))
    assert [references.load(each, store) for each in saved] == [[number % 10] for number in range(40)]


@pytest.mark.parametrize("name", ["../../up", "a/b\\c", "", "nul\0", "ü" * 500, "CON", ".hidden", "a\nb"])
def test_a_name_that_is_no_file_name_stays_in_the_folder(name: str, store: FolderStore, folder: Path) -> None:
    key = references.save([1], store, name=name)["$dataset"]["place"]["key"]
    assert [each.name for each in folder.iterdir()] == [key]
    assert len(key) < 120


@pytest.mark.parametrize(
    "wrap", [lambda f: (1, f), lambda f: {2: [f]}, lambda f: {"$type": f}], ids=["tuple", "key", "tag"]
)
def test_a_frame_comes_back_from_inside_what_has_a_tag(wrap: Any, store: FolderStore) -> None:
    back = references.hydrate(references.externalize(wrap(FRAME), store), store)
    [found] = [each for each in _leaves(back) if isinstance(each, pd.DataFrame)]
    assert found.equals(FRAME)
    assert type(back) is type(wrap(FRAME))


def _leaves(value: Any) -> list[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    return [value] if parts is None else [leaf for each in parts for leaf in _leaves(each)]
