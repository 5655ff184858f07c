"""``session-datasets load``: the file itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from session_datasets.cli import output, show
from session_datasets.cli.options import AsJson, Reference, either
from session_datasets.cli.text import plain
from session_datasets.client.workspace import Workspace
from session_datasets.domain.files import LoadTarget


def load(
    reference: Reference,
    to: Annotated[Path | None, typer.Option(metavar="PATH", help="Where to, inside the current directory.")] = None,
    overwrite: Annotated[bool, typer.Option(help="Replace a file of that name, instead of a numbered one.")] = False,
    into: Annotated[
        LoadTarget,
        typer.Option(
            metavar="PLACE", help=f"{either(LoadTarget)}: the current directory, or this session's own workspace."
        ),
    ] = (LoadTarget.WORKING_DIRECTORY),
    as_json: AsJson = False,
) -> None:
    """Fetch the file itself, checked byte for byte. Goes on where an interrupted load stopped. Prints its path."""
    workspace = Workspace.from_env()
    if into is LoadTarget.WORKSPACE:
        copy = workspace.load_artifact(reference, into="workspace")
        output.print_answer(copy, lambda answer: show.whole(str(answer.key)), as_json)
        return
    with output.transfer_bar("Loading", shown=not as_json) as bar:
        path = workspace.load_artifact(reference, to, overwrite=overwrite, progress=bar)
    if as_json:
        output.print_json({"path": str(path)})
    else:
        typer.echo(plain(str(path)))
