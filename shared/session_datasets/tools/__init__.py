"""The verbs as a model's tools: one definition, many frameworks.

>>> from session_datasets.tools import Toolbox, openai_tools
>>> toolbox = Toolbox(workspace)
>>> answer = toolbox.call("read_rows", {"artifact_id": "art_…", "limit": 5})
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from session_datasets.lazy import offered

if TYPE_CHECKING:
    from session_datasets.tools.answers import Budgets as Budgets
    from session_datasets.tools.answers import ToolAnswer as ToolAnswer
    from session_datasets.tools.answers import tokens_of as tokens_of
    from session_datasets.tools.deepagents import WorkspaceBackend as WorkspaceBackend
    from session_datasets.tools.definitions import DEFINITIONS as DEFINITIONS
    from session_datasets.tools.definitions import ToolDefinition as ToolDefinition
    from session_datasets.tools.langchain import langchain_tools as langchain_tools
    from session_datasets.tools.mcp_http import Place as Place
    from session_datasets.tools.mcp_http import http_app as http_app
    from session_datasets.tools.mcp_http import serve_http as serve_http
    from session_datasets.tools.mcp_server import build_mcp_server as build_mcp_server
    from session_datasets.tools.mcp_server import serve_stdio as serve_stdio
    from session_datasets.tools.prompting import instructions as instructions
    from session_datasets.tools.schemas import anthropic_tools as anthropic_tools
    from session_datasets.tools.schemas import bedrock_tools as bedrock_tools
    from session_datasets.tools.schemas import openai_tools as openai_tools
    from session_datasets.tools.toolbox import Toolbox as Toolbox
    from session_datasets.tools.toolbox import call as call
    from session_datasets.tools.turns import Turn as Turn
    from session_datasets.tools.turns import anthropic_turn as anthropic_turn
    from session_datasets.tools.turns import bedrock_turn as bedrock_turn
    from session_datasets.tools.turns import openai_turn as openai_turn

# Where each public name lives. Loaded when it is asked for, so that one framework's form needs no other framework.
_HOMES = {
    "Budgets": "answers",
    "DEFINITIONS": "definitions",
    "Place": "mcp_http",
    "ToolAnswer": "answers",
    "ToolDefinition": "definitions",
    "Toolbox": "toolbox",
    "Turn": "turns",
    "WorkspaceBackend": "deepagents",
    "anthropic_tools": "schemas",
    "anthropic_turn": "turns",
    "bedrock_tools": "schemas",
    "bedrock_turn": "turns",
    "call": "toolbox",
    "http_app": "mcp_http",
    "instructions": "prompting",
    "langchain_tools": "langchain",
    "build_mcp_server": "mcp_server",
    "openai_tools": "schemas",
    "openai_turn": "turns",
    "serve_http": "mcp_http",
    "serve_stdio": "mcp_server",
    "tokens_of": "answers",
}

__all__ = [
    "DEFINITIONS",
    "Budgets",
    "Place",
    "ToolAnswer",
    "ToolDefinition",
    "Toolbox",
    "Turn",
    "WorkspaceBackend",
    "anthropic_tools",
    "anthropic_turn",
    "bedrock_tools",
    "bedrock_turn",
    "build_mcp_server",
    "call",
    "http_app",
    "instructions",
    "langchain_tools",
    "openai_tools",
    "openai_turn",
    "serve_http",
    "serve_stdio",
    "tokens_of",
]

__getattr__, __dir__ = offered(__name__, _HOMES)
