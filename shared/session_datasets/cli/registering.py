"""``session-datasets register``: a file on this machine becomes an artifact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from session_datasets.cli import output, show
from session_datasets.cli.options import AsJson, MadeFrom, either
from session_datasets.cli.text import plain
from session_datasets.client.workspace import Workspace
from session_datasets.domain.profile import Kind, ReadingHints


def register(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to upload and make known.", show_default=False)
    ],
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Label of the artifact; the file's name when absent.")
    ] = None,
    description: Annotated[
        str, typer.Option(metavar="TEXT", help="What is in it, for whoever looks for it later.")
    ] = "",
    kind: Annotated[Kind | None, typer.Option(metavar="KIND", help=f"What the rows mean: {either(Kind)}.")] = None,
    made_from: MadeFrom = None,
    type_: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="COLUMN=TYPE",
            help="Type of a column: string, bool, int64, double, decimal(p,s), date or timestamp; repeat for more.",
        ),
    ] = None,
    null: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="A text that means no value, such as NA; repeat.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHARACTER", help="Of a text file; detected when absent.")
    ] = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Of a text file; detected when absent.")] = None,
    sheet: Annotated[str | None, typer.Option(metavar="NAME", help="Of a workbook; the first when absent.")] = None,
    request_token: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Makes a repeat of this command recognisable.")
    ] = None,
    wait: Annotated[bool, typer.Option(help="Wait until a large file has been profiled.")] = True,
    as_json: AsJson = False,
) -> None:
    """Upload a file and make it known. Prints its id, what the service measured, and a preview."""
    hints = ReadingHints(_types(type_ or []), tuple(null or ()), delimiter, encoding, sheet)
    with output.register_bars(file.name, shown=not as_json) as (bar, profiling):
        answer = Workspace.from_env().register_artifact(
            file,
            name=name,
            description=description,
            kind=kind,
            lineage=made_from or (),
            hints=hints,
            request_token=request_token,
            progress=bar,
            wait=wait,
            profiling=profiling,
        )
    output.print_answer(answer, show.registered, as_json)


def _types(values: list[str]) -> dict[str, str]:
    """``column=type`` each; a column's name may hold the sign itself."""
    types: dict[str, str] = {}
    for value in values:
        column, sign, type_ = value.rpartition("=")
        if not sign or column in types:
            wrong = "No COLUMN=TYPE" if not sign else "A second type for a column"
            raise typer.BadParameter(f"{wrong}: {plain(value)}", param_hint="--type")
        types[column] = type_
    return types
