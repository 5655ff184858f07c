"""The command line's MCP server over standard streams, asked as a host asks it for its model."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import TextContent

from session_datasets import Orchestrator

ROWS = 10_000


async def ask(client: Client) -> None:
    print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
    registered = await client.call_tool("register_artifact", {"path": "readings.csv", "description": "All sensors."})
    artifact_id = registered.structured_content["artifact_id"]
    for name, arguments in [
        ("list_artifacts", {}),
        ("describe_artifact", {"artifact_id": artifact_id}),
        # A mistake: the server says what to do instead, and the protocol that it is one.
        ("read_rows", {"artifact_id": artifact_id, "columns": ["celcius"]}),
        ("read_rows", {"artifact_id": artifact_id, "columns": ["celsius"], "offset": 9_998}),
        ("read_columns", {"artifact_id": artifact_id, "columns": ["celsius"], "max_points": 8}),
    ]:
        result = await client.call_tool(name, arguments)
        print(f"--- {name}{' refuses' if result.is_error else ''} ---")
        print("\n".join(block.text for block in result.content if isinstance(block, TextContent)))


async def main() -> None:
    session = Orchestrator.from_env().open_session(owner="acme", conversation_id="chat-1", node="agent")
    # What a host's configuration says: a command, and the session in its environment.
    server = StdioServerParameters(
        command=str(Path(sys.executable).with_name("session-datasets")),
        args=["mcp"],
        env={**os.environ, **session.environment()},
    )
    async with Client(server) as client:
        await ask(client)


Path("readings.csv").write_text("n,celsius\n" + "".join(f"{n},{20 + n % 50 / 10}\n" for n in range(ROWS)))
asyncio.run(main())
