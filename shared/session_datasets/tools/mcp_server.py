"""The tools as a server of the Model Context Protocol. Needs mcp, which is imported when a server is made.

An answer is complete in every member of a result that it appears in, for a host shows its model one of them. What is
small (a registration, a load, a refusal) is told as text and as structuredContent. What is large (a listing, rows)
is told once: as text, or as structuredContent with a line of text above it, by ``results``.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Literal

from session_datasets.client.errors import MissingExtraError
from session_datasets.domain.artifact import ARTIFACT_ID_PATTERN
from session_datasets.tools.answers import ToolAnswer
from session_datasets.tools.arguments import LISTING_ARTIFACTS_MAX
from session_datasets.tools.definitions import ToolDefinition
from session_datasets.tools.fitting import NOTE_BYTES, one_line
from session_datasets.tools.toolbox import Toolbox

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.lowlevel import Server

Results = Literal["text", "structured"]

SERVER_NAME = "session-datasets"
_URI_PREFIX = "session-datasets://artifacts/"
_IN_STRUCTURED = "The data is in structuredContent."


def build_mcp_server(toolbox: Toolbox, *, results: Results = "text") -> Server[Any]:
    """A server of the toolbox's tools; artifacts are its resources, read as their descriptions where both tools that
    this takes are among them. MissingExtraError without mcp."""
    mcp_types = _required()
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        listed: types.ListToolsResult = mcp_types.ListToolsResult(tools=[_tool(each) for each in toolbox.definitions])
        return listed

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in toolbox.names:
            raise MCPError(mcp_types.INVALID_PARAMS, toolbox.call(params.name, {}).text)
        return _result(await _in_a_thread(toolbox, params.name, params.arguments or {}), results)

    return Server(
        SERVER_NAME,
        version=_version(),
        title="Session Datasets",
        instructions=toolbox.instructions() or None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **(_resources(toolbox) if {"list_artifacts", "describe_artifact"} <= toolbox.names else {}),
    )


async def serve_stdio(server: Server[Any]) -> None:
    """Serves one client on this process's standard streams until it closes its end. While it lasts, whatever else is
    printed goes to standard error."""
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


def _tool(definition: ToolDefinition) -> types.Tool:
    import mcp_types

    return mcp_types.Tool(
        name=definition.name,
        title=definition.title,
        description=definition.description,
        input_schema=definition.schema(),
        annotations=mcp_types.ToolAnnotations(
            title=definition.title,
            read_only_hint=definition.reads_only,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _result(answer: ToolAnswer, results: Results) -> types.CallToolResult:
    import mcp_types

    text: str = answer.text
    structured: dict[str, Any] | None = answer.structured
    if answer.bulky and results == "text":
        structured = None
    elif answer.bulky:
        text = f"{answer.summary}\n{_IN_STRUCTURED}"
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(text=text)], structured_content=structured, is_error=answer.is_error
    )


def _resources(toolbox: Toolbox) -> dict[str, Any]:
    import mcp_types
    from mcp.shared.exceptions import MCPError

    async def told(name: str, arguments: dict[str, Any]) -> ToolAnswer:
        answer = await _in_a_thread(toolbox, name, arguments)
        if answer.is_error:
            raise MCPError(mcp_types.INVALID_PARAMS, answer.text)
        return answer

    async def list_resources(_: Any, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        cursor = params.cursor if params else None
        answer = await told("list_artifacts", {"limit": LISTING_ARTIFACTS_MAX, "cursor": cursor})
        resources = [
            mcp_types.Resource(
                uri=_URI_PREFIX + artifact_id,
                name=name,
                description=one_line(" - ".join(filter(None, (data, description))), NOTE_BYTES),
                mime_type="text/plain",
            )
            for artifact_id, name, data, description in answer.structured["artifacts"]
        ]
        return mcp_types.ListResourcesResult(resources=resources, next_cursor=answer.structured.get("next_cursor"))

    async def list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
        template = mcp_types.ResourceTemplate(
            uri_template=_URI_PREFIX + "{artifact_id}",
            name="artifact",
            description="Columns, statistics and origin of an artifact; no rows.",
            mime_type="text/plain",
        )
        return mcp_types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if not _is_artifact(uri):
            raise MCPError(mcp_types.INVALID_PARAMS, f"Resources are {_URI_PREFIX}art_...; call resources/list.")
        answer = await told("describe_artifact", {"artifact_id": uri.removeprefix(_URI_PREFIX)})
        contents = mcp_types.TextResourceContents(uri=uri, mime_type="text/plain", text=answer.text)
        return mcp_types.ReadResourceResult(contents=[contents])

    return {
        "on_list_resources": list_resources,
        "on_list_resource_templates": list_templates,
        "on_read_resource": read_resource,
    }


def _is_artifact(uri: str) -> bool:
    return uri.startswith(_URI_PREFIX) and re.fullmatch(ARTIFACT_ID_PATTERN, uri.removeprefix(_URI_PREFIX)) is not None


async def _in_a_thread(toolbox: Toolbox, name: str, arguments: dict[str, Any]) -> ToolAnswer:
    """Calls block on the network; the loop serves others meanwhile."""
    from anyio import to_thread

    return await to_thread.run_sync(toolbox.call, name, arguments)


def _required() -> Any:
    try:
        import mcp.server.lowlevel  # noqa: F401
        import mcp_types
    except ImportError:
        raise MissingExtraError(
            "The MCP server needs the mcp library.", "Run: pip install 'session-datasets[mcp]'"
        ) from None
    return mcp_types


def _version() -> str:
    try:
        return version("session-datasets")
    except PackageNotFoundError:
        return ""
