"""The group of all commands: what goes wrong in any of them is told in one place."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from session_datasets.cli import output
from session_datasets.client.errors import SessionDatasetsError


class TellsProblems(TyperGroup):
    """A problem is an answer: it is printed, and the exit status is 1. A wrong command line exits with 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (SessionDatasetsError, OSError) as error:
            output.print_problem(error, as_json=bool(ctx.obj))
            raise typer.Exit(1) from None
