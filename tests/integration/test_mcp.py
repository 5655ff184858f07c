"""The command line's MCP server on deployed functions, started and asked as a host does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from session_datasets import Orchestrator
from session_datasets.client.transport import DeployedTransport
from tests.support.deployed_cloud import DeployedCloud

ROWS = 1_000
COMMAND = ["-c", "from session_datasets.cli.main import app; app()", "mcp"]
BEARER = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def environment(cloud: DeployedCloud) -> dict[str, str]:
    """What a host gives the server: its own surroundings, and the session."""
    orchestrator = Orchestrator(DeployedTransport(cloud.stack.name))
    session = orchestrator.open_session(owner="acme", run_id=f"run-{uuid4().hex}", node="agent")
    shared = str(Path(__file__).parents[2] / "shared")
    return {**os.environ, **session.environment(), "PYTHONPATH": shared}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "squares.csv").write_text("n,square\n" + "".join(f"{n},{n * n}\n" for n in range(ROWS)))
    return tmp_path


async def _hand_over(client: Client) -> list[str]:
    """Registers, finds, errs, corrects itself, reads and loads; what it was told of each."""
    told: list[Any] = [await client.call_tool("register_artifact", {"path": "squares.csv"})]
    artifact_id = told[0].structured_content["artifact_id"]
    for name, arguments in [
        ("list_artifacts", {}),
        ("read_rows", {"artifact_id": artifact_id, "columns": ["sqare"]}),
        ("read_rows", {"artifact_id": artifact_id, "columns": ["square"], "offset": ROWS - 1}),
        ("load_artifact", {"artifact_id": artifact_id, "to": "copy.csv"}),
    ]:
        told.append(await client.call_tool(name, arguments))
    assert [each.is_error for each in told] == [False, False, True, False, False]
    return [each.content[0].text for each in told]


def _asked(server: Any, talk: Callable[[Client], Awaitable[Any]], **more: Any) -> Any:
    async def connected() -> Any:
        async with Client(server, **more) as client:
            return await talk(client)

    return anyio.run(connected)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_host_hands_a_table_over_through_standard_streams(
    environment: dict[str, str], directory: Path, mode: str
) -> None:
    server = StdioServerParameters(command=sys.executable, args=COMMAND, env=environment, cwd=directory)
    told = _asked(server, _hand_over, mode=mode)
    assert "csv, 1,000 rows x 2 columns" in told[0]
    assert "squares.csv" in told[1]
    assert "square" in told[2].partition("Did you mean")[2]
    assert "[998001]" in told[3]
    assert (directory / "copy.csv").read_bytes() == (directory / "squares.csv").read_bytes()


def test_a_host_hands_a_table_over_through_streamable_http(environment: dict[str, str], directory: Path) -> None:
    command = [sys.executable, *COMMAND, "--http", "--port", "0"]
    server = subprocess.Popen(command, cwd=directory, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        found = re.fullmatch(r"Serving (http://127\.0\.0\.1:\d+/mcp)\n", server.stderr.readline())
        assert found
        assert "[998001]" in _asked(found[1], _hand_over)[3]
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate()


@pytest.mark.parametrize(
    ("arguments", "changed", "told"),
    [
        (["--http", "--host", "0.0.0.0"], {}, "no bearer token is set; nothing was started"),
        (
            ["--http", "--host", "0.0.0.0"],
            {"SESSION_DATASETS_MCP_TOKEN": BEARER},
            "no name is given that it is reached by",
        ),
        (["--http"], {"SESSION_DATASETS_MCP_TOKEN": "guess"}, "fewer than 22 characters"),
        ([], {"SESSION_DATASETS_TOKEN": ""}, "SESSION_DATASETS_TOKEN is not set"),
    ],
    ids=["open to all", "under any name", "a token that is guessed", "without a session"],
)
def test_a_server_that_should_not_be_is_refused_in_words(
    environment: dict[str, str], directory: Path, arguments: list[str], changed: dict[str, str], told: str
) -> None:
    command = [sys.executable, *COMMAND, *arguments]
    ran = subprocess.run(command, cwd=directory, env=environment | changed, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert told in " ".join(ran.stderr.split())
    assert ran.stdout == ""
