"""A tool's answer to a LangGraph agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from session_datasets.client.errors import MissingExtraError

if TYPE_CHECKING:
    from langgraph.types import Command


def write_command(message: str, tool_call_id: str | None, files_update: dict[str, Any] | None) -> Command[Any]:
    """A Command that holds the tool's message and, where a backend gave one, the update of the state's ``files``.

    ``tool_call_id`` is the call that is answered. MissingExtraError without LangGraph.
    """
    try:
        from langchain_core.messages import ToolMessage
        from langgraph.types import Command
    except ImportError:
        raise MissingExtraError(
            "A command needs LangGraph, which is not installed; the file itself is saved.",
            "Run: pip install 'session-datasets[langgraph]', or answer with the message alone.",
        ) from None
    update: dict[str, Any] = {"messages": [ToolMessage(content=message, tool_call_id=tool_call_id)]}
    if files_update:
        update["files"] = files_update
    return Command(update=update)
