"""Arguments and options that several commands have, and how each is checked before anything is called."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from session_datasets.cli.text import plain
from session_datasets.client.references import reference_of
from session_datasets.domain.artifact import ARTIFACT_ID_PREFIX


def _remember_json(context: typer.Context, wanted: bool) -> bool:
    """Keeps the wish where a problem is told, for that happens outside of the command."""
    context.find_root().obj = wanted
    return wanted


def _checked_reference(value: str) -> str:
    try:
        artifact_id = str(reference_of(value)["artifact_id"])
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(plain(str(error))) from None
    if not artifact_id.startswith(ARTIFACT_ID_PREFIX):
        raise typer.BadParameter(
            f"'{plain(artifact_id)}' is no artifact id ({ARTIFACT_ID_PREFIX}...); `session-datasets list` shows them."
        )
    return value


def number(what: str, bounds: tuple[int, int, int]) -> Any:
    """An option that says its range and default. The service checks and defaults; it may be newer than this text."""
    least, greatest, default = bounds
    return typer.Option(help=f"{what} {least:,} to {greatest:,}; {default:,} when absent.")


AsJson = Annotated[bool, typer.Option("--json", callback=_remember_json, help="Print the service's answer as JSON.")]
Reference = Annotated[
    str, typer.Argument(callback=_checked_reference, help="An artifact id, or a reference as JSON.", show_default=False)
]
Columns = Annotated[list[str] | None, typer.Option("--column", "-c", help="A column to show; repeat for more.")]
