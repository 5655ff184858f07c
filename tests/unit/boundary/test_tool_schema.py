"""A tool is advertised whole, or not at all."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain_core.tools import InjectedToolCallId, StructuredTool, tool
from pydantic import BaseModel, Field

from session_datasets.boundary.tool_schema import tool_to_schema


class Search(BaseModel):
    """Finds flights."""

    city: str = Field(description="Where to.")
    limit: int = 10


@tool
def find_flights(city: str, limit: int = 10) -> str:
    """Finds flights."""
    return f"{city} {limit}"


@tool
def with_injected(city: str, call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Finds flights."""
    return city + call_id


def plain_function(city: str, limit: int = 10) -> str:
    """Finds flights.

    Args:
        city: Where to.
        limit: How many.
    """
    return f"{city} {limit}"


@pytest.mark.parametrize("given", [find_flights, plain_function, Search], ids=["tool", "function", "model"])
def test_name_description_and_every_argument_are_told(given: Any) -> None:
    schema = tool_to_schema(given)
    function = schema["function"]
    assert schema["type"] == "function"
    assert function["name"] in {"find_flights", "plain_function", "Search"}
    assert function["description"] == "Finds flights."
    assert function["parameters"]["properties"]["city"]["type"] == "string"
    assert function["parameters"]["properties"]["limit"]["type"] == "integer"
    assert function["parameters"]["required"] == ["city"]


def test_an_argument_that_the_framework_fills_in_is_not_told() -> None:
    assert list(tool_to_schema(with_injected)["function"]["parameters"]["properties"]) == ["city"]


def test_a_tool_without_arguments_says_so() -> None:
    @tool
    def now() -> str:
        """Tells the time."""
        return "now"

    assert tool_to_schema(now)["function"]["parameters"] == {"type": "object", "properties": {}}


NAME_AND_DESCRIPTION = {"name": "find", "description": "Finds flights."}


@pytest.mark.parametrize(
    "given",
    [
        NAME_AND_DESCRIPTION,
        {"type": "function", "function": NAME_AND_DESCRIPTION},
        {"type": "function", "function": {**NAME_AND_DESCRIPTION, "parameters": {}}},
        {"type": "function", "function": {**NAME_AND_DESCRIPTION, "parameters": {"type": "string"}}},
    ],
    ids=["plain", "function", "empty", "no object"],
)
def test_a_name_and_a_description_are_no_schema(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'find' was not advertised: the schema of its arguments is missing"):
        tool_to_schema(given)


def test_a_tool_without_a_description_is_not_advertised() -> None:
    schema = {"name": "find", "parameters": {"type": "object", "properties": {}}}
    with pytest.raises(ValueError, match="'find' was not advertised: it has no description"):
        tool_to_schema({"type": "function", "function": schema})


def test_the_schema_is_a_copy() -> None:
    given = {
        "type": "function",
        "function": {**NAME_AND_DESCRIPTION, "parameters": {"type": "object", "properties": {}}},
    }
    tool_to_schema(given)["function"]["parameters"]["properties"]["new"] = {}
    assert given["function"]["parameters"] == {"type": "object", "properties": {}}  # type: ignore[index]


def test_a_structured_tool_keeps_the_descriptions_of_its_arguments() -> None:
    structured = StructuredTool.from_function(
        lambda city, limit: city, name="find", description="Finds.", args_schema=Search
    )
    assert tool_to_schema(structured)["function"]["parameters"]["properties"]["city"]["description"] == "Where to."
