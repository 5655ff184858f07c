"""The tools: one definition each, from which every framework's form is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from session_datasets.client.workspace import Workspace
from session_datasets.domain.near_names import near_names
from session_datasets.tools import arguments as takes
from session_datasets.tools import charting, paging, telling
from session_datasets.tools.answers import Budgets, ToolAnswer


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """``act`` raises whatever goes wrong; ``Toolbox.call`` makes an answer of it.

    ``hint`` is the tool's part of the paragraph in a system prompt. ``reads_only``: nothing is changed, neither in the
    service nor in the working directory; what is not reads_only adds and never removes.
    """

    name: str
    title: str
    description: str
    hint: str
    arguments: type[takes.Arguments]
    act: Callable[[Workspace, Any, Budgets], ToolAnswer]
    reads_only: bool

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, with bounds and defaults."""
        return self.arguments.tool_schema()


_ALL = (
    ToolDefinition(
        "register_artifact",
        "Register a file",
        "Keep a file of the working directory and make it known under an artifact_id. Use it for every result that is "
        "larger than a few lines or that a later step needs, instead of printing its content. Returns the artifact_id, "
        "rows and columns as measured; the same file again is the same artifact.",
        "Write large results to a file and register_artifact it; pass on the artifact_id, never the rows.",
        takes.RegisterArguments,
        telling.register_artifact,
        False,
    ),
    ToolDefinition(
        "list_artifacts",
        "List artifacts",
        "Find what this conversation or run has registered, newest first, also in earlier sessions. Use it before you "
        "compute or ask for data anew. Returns artifact_id, name, format with rows x columns, description.",
        "Look with list_artifacts for what is there before you make it again.",
        takes.ListArguments,
        telling.list_artifacts,
        True,
    ),
    ToolDefinition(
        "describe_artifact",
        "Describe an artifact",
        "Learn what is in an artifact without reading its rows. Use it before you read or load. Returns columns with "
        "type, nulls, least and greatest value, distinct values; description and origin.",
        "Call describe_artifact to learn columns and statistics; most questions need no rows.",
        takes.DescribeArguments,
        telling.describe_artifact,
        True,
    ),
    ToolDefinition(
        "load_artifact",
        "Load an artifact",
        "Fetch the whole file of an artifact into the working directory, checked byte for byte. Use it to compute with "
        "code over all rows. Returns the path to open; nothing of the content.",
        "To compute over all rows, load_artifact and work on the file with code.",
        takes.LoadArguments,
        telling.load_artifact,
        False,
    ),
    ToolDefinition(
        "read_rows",
        "Read rows",
        "Look at some rows of a table. Use it for samples and for single records, with the columns that you need; for "
        "all rows use load_artifact. Returns the columns, rows as JSON arrays, the total and next_offset.",
        "Look at few rows and few columns with read_rows; it says at which offset to go on.",
        takes.ReadRowsArguments,
        paging.read_rows,
        True,
    ),
    ToolDefinition(
        "read_columns",
        "Read columns",
        "See the course of numeric or time columns over all rows or a window of them. Use it for trends and outliers. "
        "Returns every value of a short window, else the least and greatest value of each stretch of rows.",
        "For trends over many rows use read_columns, not pages of rows.",
        takes.ReadColumnsArguments,
        charting.read_columns,
        True,
    ),
)

DEFINITIONS: Mapping[str, ToolDefinition] = {each.name: each for each in _ALL}


def chosen(names: Iterable[str] | None = None) -> tuple[ToolDefinition, ...]:
    """The definitions of these names in the order of ``DEFINITIONS``, all when None. ValueError for no tool's."""
    if names is None:
        return _ALL
    wanted = set(names)
    for name in sorted(wanted - DEFINITIONS.keys()):
        near = near_names(name, DEFINITIONS)
        raise ValueError(f"there is no tool {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return tuple(each for each in _ALL if each.name in wanted)
