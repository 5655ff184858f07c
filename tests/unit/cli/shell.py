"""The command line as a shell of a test runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from session_datasets.cli.main import app
from session_datasets.domain.names import ENV_TOKEN
from tests.support.moto_cloud import MotoCloud


class Shell:
    """A shell whose environment points at the cloud of this process."""

    def __init__(self, cloud: MotoCloud) -> None:
        self.environment: dict[str, str] = {ENV_TOKEN: cloud.token(run_id="run")}

    def run(self, *arguments: str | Path) -> Result:
        # A width of its own: tables must not depend on who runs the tests.
        environment = {"COLUMNS": "200", "NO_COLOR": "1", **self.environment}
        return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)

    def on_a_terminal(self, *arguments: str | Path, columns: int) -> str:
        """What a terminal of that width is sent, without its colors."""
        arguments_ = [str(argument) for argument in arguments]
        environment = {"COLUMNS": str(columns), "TTY_COMPATIBLE": "1", **self.environment}
        result = CliRunner().invoke(app, arguments_, env=environment, color=True)
        return re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)

    def json(self, *arguments: str | Path) -> dict[str, Any]:
        result = self.run(*arguments, "--json")
        assert result.exit_code == 0, result.output
        answered: dict[str, Any] = json.loads(result.stdout)
        return answered
