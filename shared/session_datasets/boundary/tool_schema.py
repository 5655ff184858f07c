"""A tool as a model is told of it: the whole OpenAI schema, arguments included."""

from __future__ import annotations

import copy
import json
from typing import Any

from session_datasets.client.errors import MissingExtraError

_ADVICE = (
    "Give the tool typed arguments (type hints, a Pydantic args_schema or a JSON schema under 'parameters'); a tool "
    'without arguments says {"type": "object", "properties": {}}.'
)


def tool_to_schema(tool: Any) -> dict[str, Any]:
    """``{"type": "function", "function": {"name", "description", "parameters"}}``, JSON and a copy of its own.

    ``tool`` is a LangChain tool, a function with type hints, a Pydantic class, or a schema in one of the usual forms.
    Arguments that the framework fills in are left out. ValueError when name, description or the arguments' schema is
    missing: a model that is told only what a tool is for invents what it takes.
    """
    try:
        from langchain_core.utils.function_calling import convert_to_openai_tool
    except ImportError:
        raise MissingExtraError(
            "Tool schemas need langchain-core, which is not installed.",
            "Run: pip install 'session-datasets[langchain]'",
        ) from None
    schema = copy.deepcopy(convert_to_openai_tool(tool))
    function = schema.get("function")
    if not isinstance(function, dict):
        raise ValueError(f"The tool was not advertised: it is none that takes arguments by a schema. {_ADVICE}")
    _check(function)
    # Whatever is no JSON would fail far from here, inside the call of a model.
    json.dumps(schema, allow_nan=False)
    return schema


def _check(function: dict[str, Any]) -> None:
    name = function.get("name")
    for part in ("name", "description"):
        if not str(function.get(part) or "").strip():
            raise ValueError(f"The tool {name!r} was not advertised: it has no {part}. Write one for the model.")
    parameters = function.setdefault("parameters", None)
    if not isinstance(parameters, dict) or parameters.get("type") != "object" or "properties" not in parameters:
        raise ValueError(f"The tool {name!r} was not advertised: the schema of its arguments is missing. {_ADVICE}")
