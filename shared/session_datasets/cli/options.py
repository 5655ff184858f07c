"""Arguments and options that several commands have, and how each is checked before anything is called."""

from __future__ import annotations

import shlex
from enum import StrEnum
from typing import Annotated, Any

import typer

from session_datasets.cli.text import plain
from session_datasets.client.references import reference_of
from session_datasets.domain.artifact_ids import is_artifact_id, name_meant, no_artifact_id


def _remember_json(context: typer.Context, wanted: bool) -> bool:
    """Keeps the wish where a problem is told, for that happens outside of the command."""
    context.find_root().obj = wanted
    return wanted


def _checked_reference(value: str) -> str:
    try:
        artifact_id = str(reference_of(value)["artifact_id"])
    except (TypeError, ValueError) as error:
        raise typer.BadParameter(plain(str(error))) from None
    checked_id(artifact_id)
    return value


def checked_id(artifact_id: str) -> str:
    """The id itself; typer.BadParameter for what can be none, with how the right one is found."""
    if is_artifact_id(artifact_id):
        return artifact_id
    listing = ["session-datasets", "list"]
    if name := name_meant(artifact_id):
        listing += ["--name-contains", name]
    raise typer.BadParameter(plain(f"{no_artifact_id(artifact_id)}. Find it with: {shlex.join(listing)}"))


def _checked_ids(values: list[str] | None) -> list[str] | None:
    return [checked_id(value) for value in values] if values else values


def number(what: str, bounds: tuple[int, int, int]) -> Any:
    """An option that says its range and default. The service checks and defaults; it may be newer than this text."""
    least, greatest, default = bounds
    return typer.Option(metavar="NUMBER", help=f"{what} {least:,} to {greatest:,}; {default:,} when absent.")


def either(choices: type[StrEnum]) -> str:
    """All values of an option that takes one of them, for its help: in a narrow terminal a long type is cut."""
    *first, last = (each.value for each in choices)
    return f"{', '.join(first)} or {last}"


AsJson = Annotated[bool, typer.Option("--json", callback=_remember_json, help="Print the service's answer as JSON.")]
Reference = Annotated[
    str,
    typer.Argument(
        metavar="REFERENCE",
        callback=_checked_reference,
        help="An artifact id, or a reference as JSON.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None, typer.Option("--column", "-c", metavar="COLUMN", help="A column to show; repeat for more.")
]
MadeFrom = Annotated[
    list[str] | None,
    typer.Option(
        callback=_checked_ids, metavar="ID", help="Id of an artifact this one was made from; repeat for more."
    ),
]
