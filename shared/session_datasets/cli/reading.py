"""``session-datasets rows`` and ``columns``: a page of rows, and the series of a chart."""

from __future__ import annotations

import base64
import sys
from typing import Annotated

import typer

from session_datasets.cli import output, show
from session_datasets.cli.options import AsJson, Columns, Reference, number
from session_datasets.client.workspace import Workspace
from session_datasets.domain import limits
from session_datasets.domain.page import PageFormat, Reduction

# Least, greatest, default.
_OFFSET = (0, limits.OFFSET_MAX, 0)
_PAGE_ROWS = (1, limits.PAGE_ROWS_MAX, limits.PAGE_ROWS_DEFAULT)
_PAGE_BYTES = (limits.PAGE_BYTES_MIN, limits.PAGE_BYTES_MAX, limits.PAGE_BYTES_DEFAULT)
_POINTS = (limits.SERIES_POINTS_MIN, limits.SERIES_POINTS_MAX, limits.SERIES_POINTS_DEFAULT)


def rows(
    reference: Reference,
    offset: Annotated[int | None, number("First row, counted from 0.", _OFFSET)] = None,
    limit: Annotated[
        int | None,
        number(f"At most this many rows; up to {limits.ARROW_PAGE_ROWS_MAX:,} of format arrow, else", _PAGE_ROWS),
    ] = None,
    column: Columns = None,
    max_bytes: Annotated[int | None, number("Bytes that the rows may take.", _PAGE_BYTES)] = None,
    format: Annotated[
        PageFormat, typer.Option(help="arrow writes the page as an Arrow IPC stream: redirect it to a file.")
    ] = PageFormat.JSON,
    as_json: AsJson = False,
) -> None:
    """Read one page of rows, and show it as a table or write it as an Arrow stream."""
    if format is PageFormat.ARROW and not as_json and _is_terminal():
        raise typer.BadParameter(
            "An Arrow stream is not for a terminal: redirect it to a file.", param_hint="--format arrow"
        )
    answer = Workspace.from_env().read_rows(
        reference, offset=offset, limit=limit, columns=column, max_bytes=max_bytes, format=format
    )
    if answer.arrow is not None and not as_json:
        typer.echo(base64.b64decode(answer.arrow), nl=False)
        typer.echo(show.page_line(answer), err=True)
        return
    output.print_answer(answer, show.page, as_json)


def columns(
    reference: Reference,
    names: Annotated[list[str], typer.Argument(metavar="COLUMN", help="The columns to plot.", show_default=False)],
    x: Annotated[
        str | None, typer.Option("--x", metavar="COLUMN", help="A column to plot over; the row number when absent.")
    ] = None,
    offset: Annotated[int | None, number("First row of the window.", _OFFSET)] = None,
    rows: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Rows of the window; to the end when absent.")
    ] = None,
    max_points: Annotated[int | None, number("Values drawn of each column.", _POINTS)] = None,
    method: Annotated[
        Reduction,
        typer.Option(
            help="For more rows than points: auto has least and greatest per bucket, lttb and m4 choose rows."
        ),
    ] = Reduction.AUTO,
    as_json: AsJson = False,
) -> None:
    """Read the series of a chart and draw their course."""
    answer = Workspace.from_env().read_columns(
        reference, names, x=x, offset=offset, rows=rows, max_points=max_points, method=method
    )
    output.print_answer(answer, show.series, as_json)


def _is_terminal() -> bool:
    return sys.stdout.isatty()
