"""A model's turn, and what its calls of tools come to: messages to go on with, in each provider's own form.

Responses are looked at by the names that the provider's client and its wire share, so no client is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from session_datasets.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Turn:
    """``messages`` belong behind those that were sent; ``is_last`` when the model called no tool."""

    messages: list[Any]
    is_last: bool


def openai_turn(toolbox: Toolbox, response: Any) -> Turn:
    """Of a response of the Responses API, or a completion of Chat Completions.

    All that the model put out goes back with the results, its reasoning as well: a model that reasons refuses calls
    without it.
    """
    if hasattr(response, "choices"):
        return _of_a_completion(toolbox, response.choices[0].message)
    results = [
        {
            "type": "function_call_output",
            "call_id": each.call_id,
            "output": toolbox.call(each.name, each.arguments).text,
        }
        for each in response.output
        if each.type == "function_call"
    ]
    return Turn([*response.output, *results], not results)


def _of_a_completion(toolbox: Toolbox, message: Any) -> Turn:
    results = [
        {
            "role": "tool",
            "tool_call_id": each.id,
            "content": toolbox.call(each.function.name, each.function.arguments).text,
        }
        for each in message.tool_calls or ()
    ]
    return Turn([message, *results], not results)


def anthropic_turn(toolbox: Toolbox, response: Any) -> Turn:
    """Of a message of the Messages API."""
    results = []
    for use in response.content:
        if use.type == "tool_use":
            told = toolbox.call(use.name, use.input)
            results.append(
                {"type": "tool_result", "tool_use_id": use.id, "content": told.text, "is_error": told.is_error}
            )
    return _with_results({"role": "assistant", "content": response.content}, results)


def bedrock_turn(toolbox: Toolbox, response: Mapping[str, Any]) -> Turn:
    """Of an answer of Converse."""
    message = response["output"]["message"]
    results = []
    for use in (each["toolUse"] for each in message["content"] if "toolUse" in each):
        told = toolbox.call(use["name"], use["input"])
        result = {"toolUseId": use["toolUseId"], "content": [{"text": told.text}]}
        results.append({"toolResult": {**result, "status": "error" if told.is_error else "success"}})
    return _with_results(message, results)


def _with_results(message: Mapping[str, Any], results: list[Any]) -> Turn:
    """Both providers take all results of a turn in one message of the user."""
    return Turn([message, *([{"role": "user", "content": results}] if results else [])], not results)
