"""What a system prompt says about the tools that an agent has."""

from __future__ import annotations

from collections.abc import Iterable

from session_datasets.tools.definitions import ToolDefinition, chosen

_FIRST = (
    "Datasets of this work are kept outside of this conversation as artifacts, each known by an artifact_id (art_...)."
)
_LAST = "When a tool answers that something was not done, it says what to do next: do that instead of calling again."


def instructions(tools: Iterable[ToolDefinition | str] | None = None) -> str:
    """A paragraph for a system prompt that speaks of these tools and of no other; of all when None.

    Takes definitions or names; ValueError for a name that is no tool's. Empty for no tools.
    """
    names = None if tools is None else [each if isinstance(each, str) else each.name for each in tools]
    hints = [each.hint for each in chosen(names)]
    return " ".join([_FIRST, *hints, _LAST]) if hints else ""
