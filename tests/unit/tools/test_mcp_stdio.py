"""Standard output of the stdio server carries the protocol and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.tools.stand_in import ID

ROOT = Path(__file__).parents[3]
# A server whose tools print, log and warn while they run, as libraries do.
NOISY = f"""
import logging, os, sys, warnings
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
import anyio
from session_datasets.tools import Toolbox, build_mcp_server, serve_stdio
from tests.unit.tools import stand_in

def read(**_):
    print("noise")
    os.write(1, b"more noise\\n")
    logging.getLogger("noise").warning("noise")
    warnings.warn("noise")
    return stand_in.page(["a"], [["cell"]])

logging.basicConfig()
anyio.run(serve_stdio, build_mcp_server(Toolbox(stand_in.workspace(Path("."), read_rows=read))))
"""
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = {"name": "read_rows", "arguments": {"artifact_id": ID}}


@pytest.fixture(scope="module")
def answered() -> subprocess.CompletedProcess[str]:
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": CALL},
    ]
    server = subprocess.Popen(
        [sys.executable, "-c", NOISY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdin is not None
    assert server.stdout is not None
    lines = []
    for message in messages:
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        if "id" in message:
            # The client hangs up when it has its answer, not before.
            while True:
                lines.append(server.stdout.readline())
                if not lines[-1] or json.loads(lines[-1]).get("id") == message["id"]:
                    break
    rest, errors = server.communicate()
    return subprocess.CompletedProcess(server.args, server.returncode, "".join(lines) + rest, errors)


def test_every_line_of_standard_output_is_a_message(answered: subprocess.CompletedProcess[str]) -> None:
    messages = [json.loads(line) for line in answered.stdout.splitlines()]
    assert [message["id"] for message in messages] == [1, 2]
    assert '["cell"]' in messages[1]["result"]["content"][0]["text"]


def test_what_is_printed_meanwhile_goes_to_standard_error(answered: subprocess.CompletedProcess[str]) -> None:
    assert answered.stderr.count("noise") >= 3


def test_the_server_ends_when_its_client_hangs_up(answered: subprocess.CompletedProcess[str]) -> None:
    assert answered.returncode == 0
