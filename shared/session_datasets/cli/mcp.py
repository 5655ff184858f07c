"""``session-datasets mcp``: this session's tools for an MCP host."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from session_datasets.client.workspace import Workspace
from session_datasets.tools.definitions import DEFINITIONS, chosen
from session_datasets.tools.mcp_http import DEFAULT_PORT, ENV_BEARER, Place, serve_http
from session_datasets.tools.mcp_server import build_mcp_server, serve_stdio
from session_datasets.tools.toolbox import Toolbox

_HOST = "127.0.0.1"


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of standard streams.")] = False,
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help=f"With --http: the address to listen on; {_HOST} when absent."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=0,
            max=65_535,
            help=f"With --http: {DEFAULT_PORT} when absent; 0 is one that is free.",
        ),
    ] = None,
    reached_as: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="With --http beyond this machine: NAME or NAME:*, as clients call it; repeat for more."
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            exists=True,
            file_okay=False,
            help="The working directory; the current one when absent.",
            show_default=False,
        ),
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option(metavar="TOOL", help=f"Offer only this one of {', '.join(DEFINITIONS)}; repeat for more."),
    ] = None,
    results: Annotated[
        Literal["text", "structured"], typer.Option(help="Where rows and listings go; the small answers are in both.")
    ] = "text",
) -> None:
    """Serve this session's tools to an MCP host, over standard input and output or over HTTP.

    The session is that of SESSION_DATASETS_TOKEN. Whoever reaches the server acts in it: over HTTP it listens on this
    machine alone, unless SESSION_DATASETS_MCP_TOKEN holds what clients must send as Authorization: Bearer.
    """
    if not http:
        _refuse_without_http({"--host": host, "--port": port, "--reached-as": reached_as})
    try:
        definitions = chosen(tool)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--tool") from None
    # Standard output belongs to the protocol.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    listened_on = _HOST if host is None else host, DEFAULT_PORT if port is None else port
    place = Place(*listened_on, os.environ.get(ENV_BEARER) or None, reached_as or ()) if http else None
    toolbox = Toolbox(Workspace.from_env(directory), [each.name for each in definitions])
    server = build_mcp_server(toolbox, results=results)
    if place:
        serve_http(server, place, listening=lambda url: typer.echo(f"Serving {url}", err=True))
        return
    import anyio

    anyio.run(serve_stdio, server)


def _refuse_without_http(given: Mapping[str, object]) -> None:
    """What would be ignored, and leave whoever gave it waiting for a server that is not there."""
    for option, value in given.items():
        if value is not None and value != []:
            raise typer.BadParameter("It takes --http, too; without that nothing listens.", param_hint=option)
