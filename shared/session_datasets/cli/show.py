"""Answers as tables for a person's eyes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from session_datasets.cli import chart
from session_datasets.cli.text import cell, count, plain, size
from session_datasets.domain.artifact import Missing, Status
from session_datasets.domain.profile import Order
from session_datasets.wire.answers import (
    ArtifactFields,
    ColumnPart,
    DescribeArtifactAnswer,
    ListArtifactsAnswer,
    ProfilePart,
    ProgressPart,
    ReadColumnsAnswer,
    ReadRowsAnswer,
    RegisterArtifactAnswer,
    SeriesColumnPart,
    StatisticsPart,
)
from session_datasets.wire.ending import RemovedPart

# Columns of a table that a terminal still shows readably.
_COLUMNS_SHOWN = 12
_CHART_BLOCKS = 60


def artifact(answer: ArtifactFields) -> RenderableType:
    """The facts, then the head of the rows."""
    facts = _facts(_artifact_facts(answer))
    return Group(facts, _preview(answer.profile)) if answer.profile else facts


def registered(answer: RegisterArtifactAnswer) -> RenderableType:
    """The artifact, and whether it is a new one."""
    if answer.created:
        return artifact(answer)
    return Group(Text("Known already: this is the artifact of the same registration before."), artifact(answer))


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
    table = _table("artifact", "name", "kind", "format", "rows", "columns", "size", "node", "created")
    # An id is copied from here, so the other columns give way to it.
    table.columns[0].min_width = max((len(each.artifact_id) for each in answer.artifacts), default=None)
    for each in answer.artifacts:
        created = each.created_at.isoformat(sep=" ", timespec="seconds")
        table.add_row(
            whole(each.artifact_id),
            cell(each.name),
            each.kind,
            each.format if each.status is Status.READY else each.status,
            *(Text(count(number), justify="right") for number in (each.rows, each.columns)),
            Text(size(each.size), justify="right"),
            cell(each.node),
            created,
        )
    return table if answer.artifacts else Text("Nothing is registered here yet.")


def page(answer: ReadRowsAnswer) -> RenderableType:
    numbers = range(answer.offset, answer.offset + answer.returned)
    return Group(_grid(answer.columns, answer.rows or [], numbers), Text(page_line(answer), style="dim"))


def series(answer: ReadColumnsAnswer) -> RenderableType:
    """The bounds of every column, then its course on a line of its own, over the axis if there is one."""
    table = _table("column", "type", "least", "greatest", "missing")
    courses: list[Text] = []
    for column in answer.columns:
        drawn = chart.is_drawn(column.type)
        ends = [cell(end) for end in chart.bounds(column)] if drawn else [Text("-", style="dim")] * 2
        table.add_row(cell(column.name), Text(plain(column.type)), *ends, count(column.missing))
        courses += [cell(column.name), _course(column) if drawn else _undrawn(column)]
    axis = [_axis(answer)] if answer.x else []
    return Group(table, *courses, *axis, Text(_series_line(answer), style="dim"))


def _axis(answer: ReadColumnsAnswer) -> Text:
    """The axis below the courses: its first and last value, which are its ends where it is sorted."""
    assert answer.x is not None
    ends = [end for column in (answer.x, *answer.columns) if (end := chart.ends_of_axis(column, answer.x.order))]
    if not ends:
        return Text.assemble("over ", cell(answer.x.name), style="dim")
    first, last = ends[0]
    order = "" if answer.x.order == Order.ASCENDING else f", {answer.x.order.value}"
    return Text.assemble("over ", cell(answer.x.name), ": ", cell(first), " to ", cell(last), order, style="dim")


def _series_line(answer: ReadColumnsAnswer) -> str:
    end = answer.offset + answer.rows
    told = f"Rows {answer.offset:,} to {end:,} of {answer.total:,}, {answer.method.value.replace('_', '/')}"
    if answer.bucket_rows > 1:
        return f"{told}, {answer.bucket_rows:,} rows a point."
    chosen = max((len(column.rows) for column in answer.columns if column.rows is not None), default=None)
    return f"{told}." if chosen is None else f"{told}, {chosen:,} rows chosen."


def _course(column: SeriesColumnPart) -> Text:
    line = chart.line(column, _CHART_BLOCKS)
    return Text(line, no_wrap=True) if line.strip() else Text("No value lies in this window.", style="dim")


def _undrawn(column: SeriesColumnPart) -> Text:
    """What is true of values that have no height: their number, the first and the last."""
    values = [value for value in column.values or [] if value is not None]
    told = f"Not numbers or moments, so nothing is drawn. {len(values):,} values"
    if not values:
        return Text(told + ".", style="dim")
    ends = (": the first is ", cell(values[0]), ", the last is ", cell(values[-1]), ".")
    return Text.assemble(told, *ends, style="dim")


def removed(counts: RemovedPart, ended: str) -> RenderableType:
    """What went of ``ended`` ("run r of owner"), by kind; kinds of which there was nothing are left out."""
    told = {
        "artifacts": count(counts.artifacts),
        "kept with their run": count(counts.artifacts_kept),
        "notes": count(counts.notes),
        "derived objects": count(counts.derived_objects),
        "file versions": count(counts.file_versions),
        "unfinished uploads": count(counts.uploads),
        "in all": size(counts.bytes),
    }
    if not any(counts.model_dump().values()):
        # The service ends what it never heard of as well, so that no session opens in it afterwards.
        why = f"nothing was ever stored in {plain(ended)}, or it ended before"
        return Text(f"Nothing was left to remove: {why}. Look at the spelling if you expected something.")
    return Group(Text("Removed:"), _facts({what: number for what, number in told.items() if number != "0"}))


def whole(text: str) -> Text:
    """``text`` on one line, however long."""
    return Text(plain(text), no_wrap=True, overflow="ignore")


_GONE = {
    Missing.FILE: "its file has been deleted: it neither loads nor reads",
    Missing.REPLACED: "the registered version of its file is gone, a later one is there: it neither loads nor reads",
    Missing.DERIVED: "what its rows are read from: it loads",
}


def _artifact_facts(answer: ArtifactFields) -> dict[str, str]:
    shape = answer.profile.shape if answer.profile else None
    told = f"{shape.rows:,} rows, {shape.columns:,} columns" if shape else "no rows to page"
    return {
        "artifact": answer.artifact_id,
        "name": answer.name,
        "kind": answer.kind,
        "format": answer.format,
        "shape": _in_the_making(answer.progress) if answer.progress and not answer.missing else told,
        "read as": _reading(answer.profile) if answer.profile else "",
        "note": answer.note or "",
        "missing": _GONE[answer.missing] if answer.missing else "",
        "failure": f"{answer.failure.code}. {answer.failure.advice}" if answer.failure else "",
    }


def _reading(profile: ProfilePart) -> str:
    """How the bytes became rows: ``delimiter ";", encoding "utf-8"``."""
    spelled = (f"{name.replace('_', ' ')} {cell(value)}" for name, value in profile.reading.items())
    return plain(", ".join(spelled))


def _in_the_making(progress: ProgressPart) -> str:
    rows = f", {progress.rows:,} rows so far" if progress.rows else ""
    return f"being profiled: {progress.stage.replace('_', ' ')}{rows}"


def _facts(facts: dict[str, str]) -> RenderableType:
    """One line each: ids and checksums are copied from here, so the terminal alone may break them."""
    told = {label: value for label, value in facts.items() if value}
    width = max(len(label) for label in told)
    return Group(*(_fact(label.ljust(width + 2), value) for label, value in told.items()))


def _fact(label: str, value: str) -> Text:
    return Text.assemble((label, "dim"), plain(value), no_wrap=True, overflow="ignore")


def _table(*headers: str, title: str | None = None) -> Table:
    """Values too long for their column go on in its next line, where rich would cut them."""
    table = Table(box=None, title=title, title_justify="left")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


# Columns of a table, and what they show of one column's statistics.
_Figures = tuple[tuple[str, Callable[[StatisticsPart], str | Text]], ...]
_VALUES: _Figures = (
    ("nulls", lambda known: _with_nans(known)),
    ("distinct", lambda known: ("~" if known.distinct_estimated else "") + count(known.distinct)),
    ("least", lambda known: "" if known.min is None else cell(known.min)),
    ("greatest", lambda known: "" if known.max is None else cell(known.max)),
    ("mean", lambda known: "" if known.mean is None else f"{known.mean:,.6g}"),
)
_CELLS: _Figures = (
    ("order", lambda known: known.order or ""),
    ("length", lambda known: _span(known.length_min, known.length_max)),
    ("bytes a row", lambda known: "" if known.bytes_per_row is None else f"{known.bytes_per_row:,.4g}"),
    ("typed by", lambda known: Text(plain(known.rule or ""))),
)


def _schema(profile: ProfilePart) -> RenderableType:
    """What the columns hold, then how their cells are; ``~`` marks an estimate."""
    types = [Text(plain(column.type)) for column in profile.columns]
    values = _known("Schema", profile, {"type": types}, _VALUES)
    cells = _known("Cells", profile, {}, _CELLS)
    if not profile.columns_omitted:
        return Group(values, cells)
    omitted = f"{profile.columns_omitted:,} more columns are left out for their size."
    return Group(values, cells, Text(omitted, style="dim"))


def _known(title: str, profile: ProfilePart, first: dict[str, list[Text]], figures: _Figures) -> RenderableType:
    """A table of one line a column, with the figures that at least one of them has."""
    told: dict[str, list[Any]] = {name: [show(known) for known in profile.statistics] for name, show in figures}
    shown: dict[str, list[Any]] = first | {name: cells for name, cells in told.items() if any(cells)}
    if not shown:
        return Text("")
    table = _table("column", *shown, title=title)
    for column, *cells in zip(profile.columns, *shown.values(), strict=True):
        table.add_row(cell(column.name), *cells)
    return table


def _with_nans(known: StatisticsPart) -> str:
    return count(known.nulls) + (f" + {known.nans:,} NaN" if known.nans else "")


def _span(low: int | None, high: int | None) -> str:
    return count(low) if low == high else f"{low:,} to {high:,}"


def _preview(profile: ProfilePart) -> RenderableType:
    return _grid(profile.columns, profile.preview.rows, range(len(profile.preview.rows)))


def _grid(columns: Sequence[ColumnPart], rows: Iterable[Sequence[Any]], numbers: Iterable[int]) -> RenderableType:
    table = _table()
    table.add_column("row", justify="right", style="dim", overflow="fold")
    for column in columns[:_COLUMNS_SHOWN]:
        table.add_column(cell(column.name), justify="right" if _is_number(column) else "left", overflow="fold")
    for number, row in zip(numbers, rows, strict=True):
        table.add_row(f"{number:,}", *(cell(value) for value in row[:_COLUMNS_SHOWN]))
    if len(columns) <= _COLUMNS_SHOWN:
        return table
    hidden = f"{len(columns) - _COLUMNS_SHOWN:,} more columns; choose with --column, or see all with --json."
    return Group(table, Text(hidden, style="dim"))


def _is_number(column: ColumnPart) -> bool:
    return column.type.startswith(("int", "uint", "double", "float", "halffloat", "decimal"))


def page_line(answer: ReadRowsAnswer) -> str:
    """How much of the dataset the page is, and where it goes on."""
    shown = f"{answer.returned:,} of {answer.total:,} rows"
    clipped = f", {len(answer.clipped):,} cells clipped" if answer.clipped else ""
    following = "" if answer.next_offset is None else f"; go on with --offset {answer.next_offset}"
    return f"{shown}{clipped}{following}."
