"""The MCP server, asked by the protocol's own client: in process, and over streamable HTTP on a real socket."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from session_datasets import Workspace
from session_datasets.tools import DEFINITIONS, Place, Toolbox, build_mcp_server, http_app, instructions, tokens_of
from session_datasets.tools.answers import json_text
from tests.support.moto_cloud import MotoCloud

BEARER = "0123456789abcdef0123456789abcdef"
Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    (tmp_path / "squares.csv").write_text("n,square\n" + "".join(f"{n},{n * n}\n" for n in range(500)))
    return cloud.open(directory=tmp_path)


@pytest.fixture
def squares(workspace: Workspace) -> str:
    return workspace.register_artifact(workspace.directory / "squares.csv").artifact_id


def _talk(server: Any, talk: Talk, **more: Any) -> Any:
    async def connected() -> Any:
        async with Client(server, **more) as client:
            return await talk(client)

    return anyio.run(connected)


def _called(workspace: Workspace, name: str, arguments: dict[str, Any], **more: Any) -> Any:
    server = build_mcp_server(Toolbox(workspace), **more)
    return _talk(server, lambda client: client.call_tool(name, arguments))


def _refused(workspace: Workspace, talk: Talk) -> MCPError:
    """The error of the protocol that the request is answered with."""

    async def failing(client: Client) -> MCPError:
        with pytest.raises(MCPError) as raised:
            await talk(client)
        return raised.value

    refused: MCPError = _talk(build_mcp_server(Toolbox(workspace)), failing)
    return refused


# --- what a host learns of the server ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", "legacy"], ids=["by the newest protocol", "after a handshake"])
def test_a_host_learns_the_tools_their_schemas_and_the_instructions(workspace: Workspace, mode: str) -> None:
    async def learnt(client: Client) -> Any:
        return await client.list_tools(), client.instructions

    listed, told = _talk(build_mcp_server(Toolbox(workspace)), learnt, mode=mode)
    assert [tool.name for tool in listed.tools] == list(DEFINITIONS)
    assert all(tool.input_schema == DEFINITIONS[tool.name].schema() for tool in listed.tools)
    assert all(tool.description == DEFINITIONS[tool.name].description for tool in listed.tools)
    assert told == instructions()


def test_annotations_say_which_tools_only_read_and_that_none_destroys(workspace: Workspace) -> None:
    listed = _talk(build_mcp_server(Toolbox(workspace)), lambda client: client.list_tools())
    hints = {tool.name: tool.annotations for tool in listed.tools}
    assert {name for name, hint in hints.items() if not hint.read_only_hint} == {"register_artifact", "load_artifact"}
    assert not any(hint.destructive_hint or hint.open_world_hint for hint in hints.values())
    assert all(hint.idempotent_hint for hint in hints.values())


def test_a_server_of_some_tools_speaks_of_no_other(workspace: Workspace) -> None:
    async def learnt(client: Client) -> Any:
        return [tool.name for tool in (await client.list_tools()).tools], client.instructions

    names, told = _talk(build_mcp_server(Toolbox(workspace, ["read_rows"])), learnt)
    assert names == ["read_rows"]
    assert "register_artifact" not in told


# --- answers ---------------------------------------------------------------------------------------------------


def test_a_small_answer_is_told_as_text_and_as_structure(workspace: Workspace) -> None:
    result = _called(workspace, "register_artifact", {"path": "squares.csv"})
    assert not result.is_error
    assert result.structured_content["artifact_id"] in result.content[0].text
    assert result.structured_content["rows"] == 500


def test_rows_are_told_once_as_text(workspace: Workspace, squares: str) -> None:
    result = _called(workspace, "read_rows", {"artifact_id": squares, "offset": 100, "limit": 3})
    assert result.structured_content is None
    assert result.model_dump_json(by_alias=True).count("10201") == 1
    assert "[101,10201]" in result.content[0].text


def test_rows_are_told_once_as_structure_when_asked_for(workspace: Workspace, squares: str) -> None:
    arguments = {"artifact_id": squares, "offset": 100, "limit": 3}
    result = _called(workspace, "read_rows", arguments, results="structured")
    assert result.structured_content["rows"] == [[100, 10000], [101, 10201], [102, 10404]]
    assert result.model_dump_json(by_alias=True).count("10201") == 1
    assert "structuredContent" in result.content[0].text


def test_a_refusal_is_an_error_of_the_tool_with_the_same_content_twice(workspace: Workspace, squares: str) -> None:
    result = _called(workspace, "read_rows", {"artifact_id": squares, "columns": ["sqare"]})
    assert result.is_error
    assert result.structured_content["code"] == "unknown-column"
    assert result.structured_content["did_you_mean"] == ["square"]
    assert result.structured_content["detail"] in result.content[0].text
    assert tokens_of(result.content[0].text) <= 200
    assert tokens_of(json_text(result.structured_content)) <= 200


def test_wrong_arguments_are_an_error_of_the_tool_that_a_model_sees(workspace: Workspace) -> None:
    result = _called(workspace, "read_rows", {"artifact": "x"})
    assert result.is_error
    assert "Did you mean 'artifact_id'?" in result.content[0].text


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol_with_the_near_name(workspace: Workspace) -> None:
    refused = _refused(workspace, lambda client: client.call_tool("read_row", {}))
    assert "Did you mean 'read_rows'" in refused.message
    assert refused.code == -32602


# --- resources -------------------------------------------------------------------------------------------------


def test_artifacts_are_resources_that_read_as_their_descriptions(workspace: Workspace, squares: str) -> None:
    async def read(client: Client) -> Any:
        [resource] = (await client.list_resources()).resources
        [template] = (await client.list_resource_templates()).resource_templates
        return resource, template, (await client.read_resource(resource.uri)).contents

    resource, template, [content] = _talk(build_mcp_server(Toolbox(workspace)), read)
    assert resource.uri == f"session-datasets://artifacts/{squares}"
    assert template.uri_template == "session-datasets://artifacts/{artifact_id}"
    assert '["square","int64"' in content.text
    assert "249001" in content.text


@pytest.mark.parametrize("uri", ["session-datasets://artifacts/art_nothing", "file:///etc/passwd"])
def test_a_resource_that_is_no_artifact_is_refused(workspace: Workspace, uri: str) -> None:
    refused = _refused(workspace, lambda client: client.read_resource(uri))
    assert "Resources are session-datasets://artifacts/" in refused.message
    assert refused.code == -32602


# --- streamable HTTP -------------------------------------------------------------------------------------------


@contextmanager
def _serving(workspace: Workspace, place: Place) -> Iterator[str]:
    """The URL of a server on a free port of the loopback interface, while it lasts."""
    app = http_app(build_mcp_server(Toolbox(workspace)), place)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.should_exit = True
        thread.join()


def test_the_tools_work_over_streamable_http(workspace: Workspace, squares: str) -> None:
    async def page(client: Client) -> Any:
        return await client.call_tool("read_rows", {"artifact_id": squares, "columns": ["square"], "offset": 499})

    with _serving(workspace, Place(port=0)) as url:
        for mode in ("auto", "legacy"):
            assert "[249001]" in _talk(url, page, mode=mode).content[0].text


_PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 200),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Host": "localhost"}, 200),
        ({"Host": "127.0.0.1", "Origin": "http://127.0.0.1"}, 200),
    ],
    ids=[
        *("a name that was bound to this machine", "a page of the web", "a sandboxed page", "a program"),
        *("a local page", "a name without a port", "a page without a port"),
    ],
)
def test_only_requests_that_name_this_machine_are_answered(
    workspace: Workspace, headers: dict[str, str], status: int
) -> None:
    with _serving(workspace, Place(port=0)) as url:
        assert httpx2.post(url, json=_PING, headers=_HEADERS | headers).status_code == status


@pytest.mark.parametrize("host", ["127.0.0.2", "::1", "[::1]", "localhost"])
def test_the_address_that_it_listens_on_is_answered_with_and_without_a_port(workspace: Workspace, host: str) -> None:
    place = Place(host, port=0)
    with _serving(workspace, place) as url:
        for name in (place.host_in_urls, f"{place.host_in_urls}:8765"):
            assert httpx2.post(url, json=_PING, headers=_HEADERS | {"Host": name}).status_code == 200


@pytest.mark.parametrize("name", ["Tools.Example.org", "tools.example.org", "TOOLS.EXAMPLE.ORG"])
@pytest.mark.parametrize("sent", ["tools.example.org", "Tools.example.ORG", "tools.example.org:443"])
def test_the_name_that_it_is_reached_by_is_known_in_any_case(workspace: Workspace, name: str, sent: str) -> None:
    place = Place(port=0, bearer=BEARER, reached_as=[name, f"{name}:*"])
    headers = _HEADERS | {"Authorization": f"Bearer {BEARER}", "Host": sent, "Origin": f"https://{sent}"}
    with _serving(workspace, place) as url:
        assert httpx2.post(url, json=_PING, headers=headers).status_code == 200
        assert httpx2.post(url, json=_PING, headers=headers | {"Host": f"x{sent}"}).status_code == 421


@pytest.mark.parametrize("sent", [f"{scheme} {BEARER}" for scheme in ("Bearer", "bearer", "BEARER", "Bearer ")])
def test_the_bearer_token_is_known_in_any_spelling_of_its_scheme(workspace: Workspace, sent: str) -> None:
    with _serving(workspace, Place(port=0, bearer=BEARER)) as url:
        assert httpx2.post(url, json=_PING, headers=_HEADERS | {"Authorization": sent}).status_code == 200


@pytest.mark.parametrize(
    "sent", [None, "Bearer wrong", "Bearer", BEARER, f"Basic {BEARER}", f"Bearer {BEARER.upper()}"]
)
def test_without_the_bearer_token_nothing_is_answered(workspace: Workspace, sent: str | None) -> None:
    headers = _HEADERS | ({"Authorization": sent} if sent else {})
    with _serving(workspace, Place(port=0, bearer=BEARER)) as url:
        answer = httpx2.post(url, json=_PING, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.content == b""


def test_a_client_with_the_bearer_token_gets_through(workspace: Workspace) -> None:
    async def listed() -> Any:
        http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {BEARER}"})
        async with http, Client(streamable_http_client(url, http_client=http)) as client:
            return await client.list_tools()

    with _serving(workspace, Place(port=0, bearer=BEARER)) as url:
        assert len(anyio.run(listed).tools) == len(DEFINITIONS)
