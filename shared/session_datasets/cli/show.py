"""Answers as tables for a person's eyes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from session_datasets.cli import chart
from session_datasets.cli.text import cell, count, plain, size
from session_datasets.wire.answers import (
    ArtifactFields,
    ColumnPart,
    DescribeArtifactAnswer,
    ListArtifactsAnswer,
    ProfilePart,
    ReadColumnsAnswer,
    ReadRowsAnswer,
)

# Columns of a table that a terminal still shows readably.
_COLUMNS_SHOWN = 12
_CHART_BLOCKS = 60


def artifact(answer: ArtifactFields) -> RenderableType:
    """What was registered: the facts, then the head of the rows."""
    facts = _facts(_artifact_facts(answer))
    return Group(facts, _preview(answer.profile)) if answer.profile else facts


def description(answer: DescribeArtifactAnswer) -> RenderableType:
    """The whole record."""
    more = {
        "description": answer.description,
        "size": size(answer.size),
        "sha256": answer.sha256,
        "node": answer.node,
        "session": answer.session_id,
        "created": answer.created_at.isoformat(timespec="seconds"),
        "made from": ", ".join(answer.lineage),
    }
    facts = _facts(_artifact_facts(answer) | more)
    return Group(facts, _schema(answer.profile), _preview(answer.profile)) if answer.profile else facts


def listing(answer: ListArtifactsAnswer) -> RenderableType:
    table = Table("artifact", "name", "kind", "format", "rows", "columns", "size", "node", "created", box=None)
    for each in answer.artifacts:
        created = each.created_at.isoformat(sep=" ", timespec="seconds")
        table.add_row(
            Text(each.artifact_id, no_wrap=True),
            cell(each.name),
            each.kind,
            each.format,
            *(Text(count(number), justify="right") for number in (each.rows, each.columns)),
            Text(size(each.size), justify="right"),
            cell(each.node),
            created,
        )
    return table if answer.artifacts else Text("Nothing is registered here yet.")


def page(answer: ReadRowsAnswer) -> RenderableType:
    numbers = range(answer.offset, answer.offset + answer.returned)
    return Group(_grid(answer.columns, answer.rows, numbers), Text(_page_line(answer), style="dim"))


def series(answer: ReadColumnsAnswer) -> RenderableType:
    """The bounds of every column, then its course on a line of its own."""
    table = Table("column", "type", "least", "greatest", "nulls", box=None)
    courses: list[Text] = []
    for column in answer.columns:
        least, greatest = chart.bounds(column)
        table.add_row(cell(column.name), column.type, cell(least), cell(greatest), count(column.nulls))
        courses += [cell(column.name), Text(chart.line(column, _CHART_BLOCKS), no_wrap=True)]
    end = answer.offset + answer.rows
    told = f"Rows {answer.offset:,} to {end:,} of {answer.total:,}, {answer.method.value.replace('_', '/')}"
    each = f", {answer.bucket_rows:,} rows a point" if answer.bucket_rows > 1 else ""
    return Group(table, *courses, Text(told + each + ".", style="dim"))


def _artifact_facts(answer: ArtifactFields) -> dict[str, str]:
    shape = answer.profile.shape if answer.profile else None
    return {
        "artifact": answer.artifact_id,
        "name": answer.name,
        "kind": answer.kind,
        "format": answer.format,
        "shape": f"{shape.rows:,} rows, {shape.columns:,} columns" if shape else "no rows to page",
        "note": answer.note or "",
    }


def _facts(facts: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    for label, value in facts.items():
        if value:
            table.add_row(Text(label, style="dim"), Text(plain(value)))
    return table


def _schema(profile: ProfilePart) -> RenderableType:
    table = Table(
        "column", "type", "nulls", "least", "greatest", "mean", box=None, title="Schema", title_justify="left"
    )
    for column, known in zip(profile.columns, profile.statistics, strict=False):
        mean = "" if known.mean is None else f"{known.mean:,.6g}"
        low, high = ("" if value is None else value for value in (known.min, known.max))
        table.add_row(cell(column.name), plain(column.type), count(known.nulls), cell(low, 24), cell(high, 24), mean)
    return table


def _preview(profile: ProfilePart) -> RenderableType:
    return _grid(profile.columns, profile.preview.rows, range(len(profile.preview.rows)))


def _grid(columns: Sequence[ColumnPart], rows: Iterable[Sequence[Any]], numbers: Iterable[int]) -> RenderableType:
    table = Table(box=None)
    table.add_column("row", justify="right", style="dim")
    for column in columns[:_COLUMNS_SHOWN]:
        table.add_column(cell(column.name), justify="right" if _is_number(column) else "left")
    for number, row in zip(numbers, rows, strict=True):
        table.add_row(f"{number:,}", *(cell(value) for value in row[:_COLUMNS_SHOWN]))
    if len(columns) <= _COLUMNS_SHOWN:
        return table
    hidden = f"{len(columns) - _COLUMNS_SHOWN:,} more columns; choose with --column, or see all with --json."
    return Group(table, Text(hidden, style="dim"))


def _is_number(column: ColumnPart) -> bool:
    return column.type.startswith(("int", "uint", "double", "float", "halffloat", "decimal"))


def _page_line(answer: ReadRowsAnswer) -> str:
    shown = f"{answer.returned:,} of {answer.total:,} rows"
    clipped = f", {len(answer.clipped):,} cells clipped" if answer.clipped else ""
    following = "" if answer.next_offset is None else f"; go on with --offset {answer.next_offset}"
    return f"{shown}{clipped}{following}."
