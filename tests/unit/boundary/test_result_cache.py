"""The cache of a workflow's results: stable keys, copies, a budget."""

from __future__ import annotations

import contextvars
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session_datasets.boundary import result_cache, typed_json
from session_datasets.boundary.references import FolderStore, load_bytes, save_bytes
from session_datasets.boundary.result_cache import (
    ResultCache,
    cache_key,
    cache_lookup,
    cache_put,
    result_cache_snapshot,
    set_result_cache,
)


@pytest.fixture(autouse=True)
def _no_cache_of_another_test() -> Iterator[None]:
    token = result_cache._active.set(None)
    yield
    result_cache._active.reset(token)


@pytest.mark.parametrize("value", [None, False, 0, "", [], {"a": (1, b"x")}], ids=repr)
def test_what_was_put_is_a_hit_also_when_it_is_nothing(value: Any) -> None:
    set_result_cache(None)
    assert cache_put("k", value)
    assert cache_lookup("k") == (True, value)


def test_what_was_not_put_is_no_hit() -> None:
    set_result_cache(None)
    assert cache_lookup("k") == (False, None)


def test_without_an_active_cache_a_put_does_nothing() -> None:
    assert cache_put("k", 1) is False
    assert cache_lookup("k") == (False, None)
    assert result_cache_snapshot() is None


@pytest.mark.parametrize("given_cache", [None, {}], ids=["none", "empty"])
def test_the_snapshot_of_an_empty_cache_is_none(given_cache: dict[str, Any] | None) -> None:
    set_result_cache(given_cache)
    assert result_cache_snapshot() is None


def test_a_snapshot_survives_as_json_and_makes_the_next_runs_cache() -> None:
    set_result_cache(None)
    cache_put("a", {"when": date(2026, 11, 30), 3: (1, 2)})
    cache_put("b", None)
    carried = json.loads(json.dumps(result_cache_snapshot()))
    set_result_cache(carried)
    assert cache_lookup("a") == (True, {"when": date(2026, 11, 30), 3: (1, 2)})
    assert cache_lookup("b") == (True, None)
    assert result_cache_snapshot() == carried


def test_values_are_copies_on_the_way_in_and_out() -> None:
    set_result_cache(None)
    value = {"list": [1]}
    cache_put("k", value)
    value["list"].append(2)
    cache_lookup("k")[1]["list"].append(3)
    snapshot = result_cache_snapshot()
    assert snapshot is not None
    snapshot["k"]["list"].append(4)
    assert cache_lookup("k") == (True, {"list": [1]})


def test_a_cache_belongs_to_the_task_that_set_it_and_to_those_it_starts() -> None:
    set_result_cache(None)

    def another() -> None:
        set_result_cache(None)
        cache_put("k", "another's")

    contextvars.Context().run(another)
    assert cache_lookup("k") == (False, None)
    contextvars.copy_context().run(cache_put, "k", "a child's")
    assert cache_lookup("k") == (True, "a child's")


# --- keys -------------------------------------------------------------------------------------------------------


def test_a_key_does_not_depend_on_the_order_of_arguments() -> None:
    assert cache_key("tool", "c", {"a": 1, "b": {2, 3}}) == cache_key("tool", "c", {"b": {3, 2}, "a": 1})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("tool", "c", [1]), ("model", "c", [1])),
        (("tool", "c", [1]), ("tool", "d", [1])),
        (("tool", "ca", "b"), ("tool", "c", "ab")),
        (("tool", "c", [1]), ("tool", "c", [1.0])),
        (("tool", "c", [1]), ("tool", "c", [True])),
        (("tool", "c", [1]), ("tool", "c", (1,))),
        (("tool", "c", {1: "x"}), ("tool", "c", {"1": "x"})),
        (("tool", "c", Decimal("1.1")), ("tool", "c", Decimal("1.10"))),
        (("tool", "c", b"x"), ("tool", "c", "x")),
        (("tool", "c", None), ("tool", "c", "null")),
    ],
    ids=["kind", "call", "border", "float", "bool", "tuple", "int key", "scale", "bytes", "none"],
)
def test_different_calls_have_different_keys(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert cache_key(*one) != cache_key(*other)


def test_keys_of_mixed_types_have_a_key_of_the_cache() -> None:
    assert cache_key("t", "c", {1: "x", "a": "y", None: "z"}) == cache_key("t", "c", {None: "z", "a": "y", 1: "x"})


def test_an_object_that_only_has_an_address_has_no_key() -> None:
    with pytest.raises(typed_json.UnsupportedValueError, match="object"):
        cache_key("tool", "c", {"x": object()})


def test_a_key_is_the_same_in_another_process() -> None:
    code = (
        "from session_datasets.boundary.result_cache import cache_key\n"
        "print(cache_key('tool', 'c', {'b': {'x', 'y', 'z'}, 'a': [1, (2.5, None)]}))"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "shared"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert keys == {cache_key("tool", "c", {"a": [1, (2.5, None)], "b": {"z", "x", "y"}})}


# --- budget -----------------------------------------------------------------------------------------------------


def test_an_entry_up_to_the_limit_is_kept_and_one_byte_more_is_not() -> None:
    cache = ResultCache(entry_bytes_max=12)
    assert cache.put("k", "x" * 10)
    assert not cache.put("l", "x" * 11)
    assert cache.lookup("l") == (False, None)


def test_a_value_that_is_not_kept_leaves_no_older_one() -> None:
    cache = ResultCache(entry_bytes_max=12)
    cache.put("k", "old")
    cache.put("k", "x" * 11)
    assert cache.lookup("k") == (False, None)


def test_over_the_budget_the_oldest_entries_go() -> None:
    cache = ResultCache(budget_bytes=3 * (1 + 12))
    for key in "abcd":
        cache.put(key, key * 10)
    assert list(cache.snapshot()) == ["b", "c", "d"]


@given(
    st.lists(st.tuples(st.sampled_from("abcde"), st.text(max_size=40))),
    st.integers(min_value=0, max_value=120),
    st.integers(min_value=0, max_value=60),
)
def test_the_budget_is_never_passed_and_counts_what_is_there(
    puts: list[tuple[str, str]], budget: int, entry: int
) -> None:
    cache = ResultCache(budget_bytes=budget, entry_bytes_max=entry)
    for key, value in puts:
        kept = cache.put(key, value)
        assert cache.lookup(key) == ((True, value) if kept else (False, None))
        held = sum(len(key) + len(typed_json.dumps(each)) for key, each in cache.snapshot().items())
        assert cache.size == held <= budget


@pytest.fixture
def spilling(tmp_path: Path) -> dict[str, Any]:
    """Options that spill to a folder and fetch from it."""
    store = FolderStore(tmp_path)
    return {
        "entry_bytes_max": 1_000,
        "spill": lambda value: save_bytes(typed_json.dumps(value), store, name="result"),
        "fetch": lambda reference: typed_json.loads(load_bytes(reference, store)),
    }


def test_an_entry_above_the_limit_spills_to_a_reference_and_comes_back(spilling: dict[str, Any]) -> None:
    value = {"rows": [[number, (number,)] for number in range(5_000)]}
    set_result_cache(None, **spilling)
    assert cache_put("k", value)
    snapshot = result_cache_snapshot()
    assert snapshot is not None
    assert list(snapshot["k"]) == ["$dataset"]
    assert len(json.dumps(snapshot)) < 1_000
    set_result_cache(json.loads(json.dumps(snapshot)), **spilling)
    assert cache_lookup("k") == (True, value)


def test_without_a_way_to_fetch_a_lookup_answers_the_reference(spilling: dict[str, Any]) -> None:
    set_result_cache(None, **spilling)
    cache_put("k", "x" * 2_000)
    snapshot = result_cache_snapshot()
    set_result_cache(snapshot)
    assert snapshot is not None
    assert cache_lookup("k") == (True, snapshot["k"])


def test_a_users_value_that_looks_like_a_reference_is_no_spilled_one(spilling: dict[str, Any]) -> None:
    set_result_cache(None, **spilling)
    cache_put("k", {"$dataset": {"key": "of the user"}})
    assert cache_lookup("k") == (True, {"$dataset": {"key": "of the user"}})


def test_a_spill_that_answers_no_reference_is_refused() -> None:
    set_result_cache(None, entry_bytes_max=1, spill=lambda value: {"key": "x"})
    with pytest.raises(ValueError, match=r"\$dataset"):
        cache_put("k", "xx")
