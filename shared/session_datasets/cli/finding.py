"""``session-datasets list`` and ``describe``: what there is, and what is known of it."""

from __future__ import annotations

from typing import Annotated

import typer

from session_datasets.cli import output, show
from session_datasets.cli.options import AsJson, Reference, either, number
from session_datasets.client.workspace import Workspace
from session_datasets.domain import limits
from session_datasets.domain.profile import Kind
from session_datasets.domain.scope import ListScope

# Least, greatest, default.
_LIST_LIMIT = (1, limits.LIST_LIMIT_MAX, limits.LIST_LIMIT_DEFAULT)


def list_(
    scope: Annotated[
        ListScope | None,
        typer.Option(metavar="SCOPE", help=f"{either(ListScope)}; the conversation's, else the run's, when absent."),
    ] = None,
    name_contains: Annotated[str | None, typer.Option(metavar="TEXT", help="In the name or description.")] = None,
    kind: Annotated[Kind | None, typer.Option(metavar="KIND", help=f"Only of this kind: {either(Kind)}.")] = None,
    limit: Annotated[int | None, number("At most this many.", _LIST_LIMIT)] = None,
    cursor: Annotated[str | None, typer.Option(metavar="TEXT", help="Where the listing before this one ended.")] = None,
    as_json: AsJson = False,
) -> None:
    """List what this session can reach, newest first."""
    answer = Workspace.from_env().list_page(
        scope=scope, name_contains=name_contains, kind=kind, limit=limit, cursor=cursor
    )
    output.print_answer(answer, show.listing, as_json)
    if answer.next_cursor and not as_json:
        typer.echo(f"Older ones follow with --cursor {answer.next_cursor}", err=True)


def describe(reference: Reference, as_json: AsJson = False) -> None:
    """Show the whole record: schema, statistics, preview, origin."""
    output.print_answer(Workspace.from_env().describe_artifact(reference), show.description, as_json)
