"""How deep messages and values may lie in each other: what is written is read."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from session_datasets.boundary import typed_json
from session_datasets.boundary.messages import _replaced, dump_object, load_object
from session_datasets.boundary.typed_json import TooDeepError


def nested(levels: int, innermost: Any = "x") -> Any:
    for _ in range(levels):
        innermost = ToolMessage("x", tool_call_id="1", artifact=innermost)
    return innermost


def in_mappings(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {1: value}
    return value


@pytest.mark.parametrize(
    ("value", "deeper"),
    [(nested(100), nested(101)), (nested(99, ["x"]), nested(99, [["x", ["x"]]])), (in_mappings(66), in_mappings(67))],
    ids=["messages", "lists in messages", "mappings of numbers"],
)
def test_what_is_too_deep_to_be_loaded_is_not_dumped_either(value: Any, deeper: Any) -> None:
    assert load_object(json.loads(json.dumps(dump_object(value)))) == value
    with pytest.raises(TooDeepError, match="so nothing was written"):
        dump_object(deeper)
    # Made without that check, it is refused by the reader.
    with pytest.raises(TooDeepError):
        load_object(typed_json.dump(deeper, replace=_replaced))


def test_a_stack_that_is_nearly_full_is_told_as_too_deep() -> None:
    dumped = dump_object(nested(100))

    def deeper(levels: int) -> Any:
        return deeper(levels - 1) if levels else load_object(dumped)

    with pytest.raises(TooDeepError):
        deeper(sys.getrecursionlimit() - 250)
