"""The tools in the form that each provider's API takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from session_datasets.tools.definitions import ToolDefinition, chosen

# Keywords that constrained decoding does not take everywhere. Toolbox.call checks what they say all the same.
_NOT_DECODED = (
    "default",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "pattern",
)
# A bound that nobody reaches is not worth its tokens.
_ENDLESS = 10**9


def openai_tools(
    names: Iterable[str] | None = None,
    *,
    api: Literal["responses", "chat_completions"] = "responses",
    strict: bool = True,
) -> list[dict[str, Any]]:
    """For ``tools=`` of the Responses API, or of Chat Completions, which wraps each in ``function``.

    Strict: every member is required and may be null where it is optional, and nothing else is allowed.
    """
    tools = []
    for each in chosen(names):
        parameters = _all_required(each) if strict else each.schema()
        function = {"name": each.name, "description": each.description, "parameters": parameters, "strict": strict}
        tools.append(
            {"type": "function", **function} if api == "responses" else {"type": "function", "function": function}
        )
    return tools


def anthropic_tools(names: Iterable[str] | None = None, *, strict: bool = False) -> list[dict[str, Any]]:
    """For ``tools=`` of the Messages API. Not strict by default: the grammars of all tools of a request share one limit
    of size, and what a model gets wrong is told to it anyway."""
    return [
        {
            "name": each.name,
            "description": each.description,
            "input_schema": _decodable(each.schema()) if strict else each.schema(),
            **({"strict": True} if strict else {}),
        }
        for each in chosen(names)
    ]


def bedrock_tools(names: Iterable[str] | None = None, *, strict: bool = False) -> list[dict[str, Any]]:
    """For ``toolConfig={"tools": …}`` of the Converse API. Strict only for models that know it."""
    return [
        {
            "toolSpec": {
                "name": each.name,
                "description": each.description,
                "inputSchema": {"json": _decodable(each.schema()) if strict else each.schema()},
                **({"strict": True} if strict else {}),
            }
        }
        for each in chosen(names)
    ]


def _decodable(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the keywords of ``_NOT_DECODED``: ranges of numbers are told in the description instead."""
    properties = {name: _undecoded(member) for name, member in schema.get("properties", {}).items()}
    return {**schema, "properties": properties}


def _undecoded(member: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in member.items() if name not in _NOT_DECODED}
    if "minimum" in member or "maximum" in member:
        kept["description"] = f"{member.get('description', '')} {_range(member)}".strip()
    if "items" in member:
        kept["items"] = _undecoded(member["items"])
    return kept


def _range(member: dict[str, Any]) -> str:
    usual = f", usually {member['default']}" if "default" in member else ""
    if member.get("maximum", _ENDLESS) < _ENDLESS:
        return f"{member['minimum']} to {member['maximum']}{usual}."
    return f"At least {member['minimum']}{usual}."


def _all_required(tool: ToolDefinition) -> dict[str, Any]:
    schema = _decodable(tool.schema())
    required = schema.get("required", [])
    properties = {
        name: member if name in required else _nullable(member) for name, member in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}


def _nullable(member: dict[str, Any]) -> dict[str, Any]:
    """Null beside the type, and among the words where only certain ones are allowed."""
    words = {"enum": [*member["enum"], None]} if "enum" in member else {}
    return {**member, "type": [member["type"], "null"], **words}
