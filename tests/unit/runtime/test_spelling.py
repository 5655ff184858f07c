"""What Lambda's runtime is given of an answer full of cells."""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

import pytest

from lambdas.read_columns.handler import handler as read_columns
from lambdas.read_rows.handler import handler as read_rows
from session_datasets.runtime.spelling import spelled

ANSWER: dict[str, Any] = {"v": 1, "rows": [[1, -0.0, 1e-7, 1e300, "é😀\x7f", None, True, {"a": [9007199254740993]}]]}


class Context:
    """As much of Lambda's as a door and Powertools look at."""

    aws_request_id = "r-1"
    function_name = "read_rows"

    def get_remaining_time_in_millis(self) -> int:
        return 15_000


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lambda's runtime runs this process."""
    monkeypatch.setitem(sys.modules, "awslambdaric", ModuleType("awslambdaric"))


@pytest.mark.usefixtures("runtime")
def test_lambdas_runtime_is_given_the_json_of_the_answer() -> None:
    text = spelled(ANSWER)
    assert isinstance(text, bytes)
    assert json.loads(text) == ANSWER


def test_another_runtime_is_given_the_answer_itself() -> None:
    assert spelled(ANSWER) is ANSWER


@pytest.mark.usefixtures("runtime")
def test_cells_nested_too_deep_for_the_fast_encoder_are_left_to_the_runtime() -> None:
    nested: list[Any] = []
    for _ in range(300):
        nested = [nested]
    answer = {"rows": [[nested]]}
    assert spelled(answer) is answer


@pytest.mark.usefixtures("runtime")
@pytest.mark.parametrize("handler", [read_rows, read_columns], ids=["read_rows", "read_columns"])
def test_a_handler_of_rows_answers_text_a_refusal_included(handler: Any) -> None:
    answered = handler({"v": 2}, Context())
    assert isinstance(answered, bytes)
    problem = json.loads(answered)["problem"]
    assert problem["request_id"] == "r-1"
