"""``session-datasets mcp``: this session's tools for an MCP host."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from session_datasets.client.workspace import Workspace
from session_datasets.tools.definitions import DEFINITIONS, chosen
from session_datasets.tools.mcp_http import DEFAULT_PORT, ENV_BEARER, Place, serve_http
from session_datasets.tools.mcp_server import build_mcp_server, serve_stdio
from session_datasets.tools.toolbox import Toolbox


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of standard streams.")] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="With --http: 0 is one that is free.")] = DEFAULT_PORT,
    reached_as: Annotated[
        list[str] | None,
        typer.Option(help="With --http beyond this machine: NAME or NAME:*, as clients call it; repeat for more."),
    ] = None,
    directory: Annotated[
        Path | None, typer.Option(help="The working directory; the current one when absent.", show_default=False)
    ] = None,
    tool: Annotated[
        list[str] | None, typer.Option(help=f"Offer only this one of {', '.join(DEFINITIONS)}; repeat for more.")
    ] = None,
    results: Annotated[
        Literal["text", "structured"], typer.Option(help="Where rows and listings go; the small answers are in both.")
    ] = "text",
) -> None:
    """Serve this session's tools to an MCP host, over standard input and output or over HTTP.

    The session is that of SESSION_DATASETS_TOKEN. Whoever reaches the server acts in it: over HTTP it listens on this
    machine alone, unless SESSION_DATASETS_MCP_TOKEN holds what clients must send as Authorization: Bearer.
    """
    try:
        definitions = chosen(tool)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--tool") from None
    # Standard output belongs to the protocol.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    place = Place(host, port, os.environ.get(ENV_BEARER) or None, reached_as or ()) if http else None
    toolbox = Toolbox(Workspace.from_env(directory), [each.name for each in definitions])
    server = build_mcp_server(toolbox, results=results)
    if place:
        serve_http(server, place, listening=lambda url: typer.echo(f"Serving {url}", err=True))
        return
    import anyio

    anyio.run(serve_stdio, server)
