"""The tools for LangChain and LangGraph. Needs langchain-core, which is imported when a tool is made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from session_datasets.client.errors import MissingExtraError
from session_datasets.client.workspace import Workspace
from session_datasets.tools.answers import Budgets
from session_datasets.tools.definitions import ToolDefinition
from session_datasets.tools.toolbox import Toolbox

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


def langchain_tools(
    workspace: Workspace | Toolbox, names: Iterable[str] | None = None, *, budgets: Budgets | None = None
) -> list[BaseTool]:
    """StructuredTools of these names, all when None. The messages' content is what the model reads, their artifact the
    structured answer. A failure is content too, of a message whose status is error; no call raises.

    MissingExtraError without langchain-core; ValueError for a name that is no tool's.
    """
    toolbox = workspace if isinstance(workspace, Toolbox) else Toolbox(workspace, names, budgets=budgets)
    return [_tool(toolbox, each) for each in toolbox.definitions]


def _tool(toolbox: Toolbox, definition: ToolDefinition) -> BaseTool:
    try:
        from langchain_core.tools import StructuredTool, ToolException
    except ImportError:
        raise MissingExtraError(
            "The tools for LangChain need langchain-core.", "Run: pip install 'session-datasets[langchain]'"
        ) from None

    def run(**arguments: Any) -> tuple[str, dict[str, Any]]:
        answer = toolbox.call(definition.name, arguments)
        if answer.is_error:
            # LangChain's own way to a message of status error.
            raise ToolException(answer.text)
        return answer.text, answer.structured

    return StructuredTool.from_function(
        run,
        name=definition.name,
        description=definition.description,
        args_schema=definition.arguments,
        response_format="content_and_artifact",
        handle_tool_error=True,
        # LangChain checks the arguments before it calls: what it finds is told in the same words.
        handle_validation_error=lambda error: toolbox.failed(definition.name, error).text,
        metadata={"session_datasets_reads_only": definition.reads_only},
    )
