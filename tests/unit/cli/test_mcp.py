"""What the command for MCP hosts refuses before anything is served."""

from __future__ import annotations

import errno
import os
import socket

import pytest
from typer.testing import CliRunner

from session_datasets.cli.main import app
from session_datasets.domain.names import ENV_TOKEN
from session_datasets.tools.mcp_http import ENV_BEARER

_NO_BEARER = {ENV_BEARER: ""}
TOKEN = {ENV_TOKEN: "token", "COLUMNS": "200"}


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        (["--tool", "read_row"], TOKEN, "did you mean 'read_rows'?"),
        (["--http", "--host", "0.0.0.0"], TOKEN, "no bearer token is set; nothing was started"),
        (["--http", "--host", "0.0.0.0"], TOKEN | {ENV_BEARER: "b" * 32}, "no name is given that it is reached by"),
        (["--http"], TOKEN | {ENV_BEARER: "guess"}, "fewer than 22 characters"),
        ([], {ENV_TOKEN: ""}, f"{ENV_TOKEN} is not set"),
        (["--directory", "/nowhere"], TOKEN, "'/nowhere' does not exist"),
        (["--directory", __file__], TOKEN | {"COLUMNS": "500"}, "is a file"),
        (["--port", "9999"], TOKEN, "Invalid value for --port: It takes --http, too; without that nothing listens."),
        (["--port", "0"], TOKEN, "Invalid value for --port: It takes --http, too"),
        (["--host", "127.0.0.1"], TOKEN, "Invalid value for --host: It takes --http, too"),
        (["--reached-as", "tools.example.org"], TOKEN, "Invalid value for --reached-as: It takes --http, too"),
    ],
    ids=[
        "no such tool",
        "open to all",
        "under any name",
        "a token that is guessed",
        "without a session",
        "in a folder that is not there",
        "in a file",
        "at a port without http",
        "at any port without http",
        "at an address without http",
        "under a name without http",
    ],
)
def test_a_server_that_should_not_be_is_refused_in_words(
    arguments: list[str], environment: dict[str, str], told: str
) -> None:
    result = CliRunner().invoke(app, ["mcp", *arguments], env=environment)
    assert result.exit_code in (1, 2)
    assert told in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_a_port_that_is_taken_is_told_as_one_and_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        result = CliRunner().invoke(app, ["mcp", "--http", "--port", port], env=TOKEN | _NO_BEARER)
    told = " ".join(result.stderr.split())
    assert result.exit_code == 1
    assert f"127.0.0.1:{port} can not be listened on: another program listens there; nothing was started." in told
    assert "choose another --port" in told
    assert "file" not in told


def test_an_address_of_another_machine_is_told_as_one() -> None:
    arguments = ["mcp", "--http", "--host", "192.0.2.1", "--port", "0", "--reached-as", "tools.example.org"]
    result = CliRunner().invoke(app, arguments, env=TOKEN | {ENV_BEARER: "b" * 32})
    told = " ".join(result.stderr.split())
    assert result.exit_code == 1
    assert "192.0.2.1:0 can not be listened on: this machine has no such address; nothing was started." in told


@pytest.mark.parametrize("code", [errno.EACCES, errno.EADDRINUSE, errno.EIO], ids=errno.errorcode.get)
def test_whatever_keeps_it_from_listening_is_told_with_the_place(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refuse(*_: object, **__: object) -> socket.socket:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(socket, "create_server", refuse)
    result = CliRunner().invoke(app, ["mcp", "--http"], env=TOKEN | _NO_BEARER)
    told = " ".join(result.stderr.split())
    assert result.exit_code == 1
    assert "127.0.0.1:8765 can not be listened on: " in told
    assert "nothing was started" in told
