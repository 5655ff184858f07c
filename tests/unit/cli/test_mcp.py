"""What the command for MCP hosts refuses before anything is served."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from session_datasets.cli.main import app
from session_datasets.domain.names import ENV_TOKEN
from session_datasets.tools.mcp_http import ENV_BEARER

TOKEN = {ENV_TOKEN: "token", "COLUMNS": "200"}


@pytest.mark.parametrize(
    ("arguments", "environment", "told"),
    [
        (["--tool", "read_row"], TOKEN, "did you mean 'read_rows'?"),
        (["--http", "--host", "0.0.0.0"], TOKEN, "no bearer token is set; nothing was started"),
        (["--http", "--host", "0.0.0.0"], TOKEN | {ENV_BEARER: "b" * 32}, "no name is given that it is reached by"),
        (["--http"], TOKEN | {ENV_BEARER: "guess"}, "fewer than 22 characters"),
        ([], {ENV_TOKEN: ""}, f"{ENV_TOKEN} is not set"),
    ],
    ids=["no such tool", "open to all", "under any name", "a token that is guessed", "without a session"],
)
def test_a_server_that_should_not_be_is_refused_in_words(
    arguments: list[str], environment: dict[str, str], told: str
) -> None:
    result = CliRunner().invoke(app, ["mcp", *arguments], env=environment)
    assert result.exit_code in (1, 2)
    assert told in " ".join(result.stderr.split())
    assert result.stdout == ""
