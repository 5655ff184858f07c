"""The forms of the providers, and what each promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import jsonschema
import pytest
from botocore.stub import Stubber

from session_datasets.tools import DEFINITIONS, anthropic_tools, bedrock_tools, openai_tools, tokens_of
from session_datasets.tools.answers import json_text

NAMES = ["register_artifact", "list_artifacts", "describe_artifact", "load_artifact", "read_rows", "read_columns"]
# What constrained decoding does not take everywhere.
_BOUNDS = {"default", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern"}


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for name, value in schema.items():
            # Names of arguments are no keywords.
            yield from _parts(list(value.values()) if name == "properties" else value)
    elif isinstance(schema, list):
        for each in schema:
            yield from _parts(each)


def test_there_are_six_tools_and_every_form_has_them_in_one_order() -> None:
    assert list(DEFINITIONS) == NAMES
    assert [each["name"] for each in openai_tools()] == NAMES
    assert [each["function"]["name"] for each in openai_tools(api="chat_completions")] == NAMES
    assert [each["name"] for each in anthropic_tools()] == NAMES
    assert [each["toolSpec"]["name"] for each in bedrock_tools()] == NAMES


def test_only_the_chosen_tools_are_told() -> None:
    assert [each["name"] for each in openai_tools(["read_rows", "list_artifacts"])] == ["list_artifacts", "read_rows"]


def test_a_name_that_is_no_tool_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="there is no tool 'read_row'; did you mean 'read_rows'"):
        openai_tools(["read_row"])


def test_the_forms_of_openai_are_those_of_its_two_apis() -> None:
    flat, wrapped = openai_tools(["load_artifact"]), openai_tools(["load_artifact"], api="chat_completions")
    assert set(flat[0]) == {"type", "name", "description", "parameters", "strict"}
    assert set(wrapped[0]) == {"type", "function"}
    assert {"type": "function", **wrapped[0]["function"]} == flat[0]


def test_a_strict_schema_of_openai_requires_every_member_and_allows_no_other() -> None:
    for tool in openai_tools():
        assert tool["strict"] is True
        for part in _parts(tool["parameters"]):
            assert not _BOUNDS & part.keys()
            assert not {"anyOf", "$ref", "title"} & part.keys()
            if part.get("type") == "object":
                assert part["required"] == list(part["properties"])
                assert part["additionalProperties"] is False


def test_an_optional_member_of_a_strict_schema_may_be_null_and_a_required_one_may_not() -> None:
    [tool] = openai_tools(["list_artifacts"])
    assert tool["parameters"]["properties"]["kind"]["type"] == ["string", "null"]
    assert None in tool["parameters"]["properties"]["kind"]["enum"]
    [tool] = openai_tools(["load_artifact"])
    assert tool["parameters"]["properties"]["artifact_id"]["type"] == "string"


def test_the_forms_of_anthropic_are_strict_only_when_asked() -> None:
    assert all(set(each) == {"name", "description", "input_schema"} for each in anthropic_tools())
    strict = anthropic_tools(strict=True)
    assert all(each["strict"] is True for each in strict)
    assert not any(_BOUNDS & part.keys() for each in strict for part in _parts(each["input_schema"]))


def test_strict_tools_of_anthropic_have_no_more_optional_members_than_a_request_may() -> None:
    schemas = [each["input_schema"] for each in anthropic_tools(strict=True)]
    assert sum(len(schema["properties"].keys() - set(schema.get("required", []))) for schema in schemas) <= 24


@pytest.mark.parametrize("strict", [False, True])
def test_bedrocks_own_model_of_converse_takes_the_tools(strict: bool) -> None:
    client = boto3.client(
        "bedrock-runtime", region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
    )
    answer = {
        "output": {"message": {"role": "assistant", "content": [{"text": "hi"}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }
    with Stubber(client) as stubbed:
        stubbed.add_response("converse", answer)
        # Checked by botocore against the service's model before anything is sent.
        client.converse(
            modelId="any",
            messages=[{"role": "user", "content": [{"text": "hi"}]}],
            toolConfig={"tools": bedrock_tools(strict=strict)},
        )


@pytest.mark.parametrize("name", NAMES)
def test_every_schema_is_json_schema_with_every_argument_described(name: str) -> None:
    schema = DEFINITIONS[name].schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert schema["properties"].keys() == DEFINITIONS[name].arguments.model_fields.keys()
    assert all(member["description"] for member in schema["properties"].values())


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_says_what_the_arguments_take(name: str) -> None:
    """A minimal call that the schema allows is one that the model of the arguments allows."""
    definition = DEFINITIONS[name]
    required = definition.schema().get("required", [])
    given: dict[str, Any] = {member: ["a"] if member == "columns" else "a" for member in required}
    jsonschema.validate(given, definition.schema())
    definition.arguments.model_validate(given)


@pytest.mark.parametrize("name", NAMES)
def test_a_description_says_when_to_use_the_tool_and_what_comes_back(name: str) -> None:
    description = DEFINITIONS[name].description
    assert "Use it" in description
    assert "Returns" in description
    assert len(description) <= 420


def test_all_definitions_together_cost_at_most_1500_tokens() -> None:
    for form in (openai_tools(), anthropic_tools(), bedrock_tools()):
        assert tokens_of(json_text(form)) <= 1_500
