"""Node two: another process in another directory, which knows its token and one reference.

It leaves ``report.json`` in its working directory.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from infra.local.demo.meter import Meter, json_bytes
from infra.local.demo.opening import UnreadableError, count_rows
from infra.local.demo.telling import bar, console_for, done, heading, remark
from session_datasets import Workspace
from session_datasets.cli import show
from session_datasets.cli.text import plain, size
from session_datasets.client.errors import NotADatasetError
from session_datasets.client.surroundings import Surroundings
from session_datasets.domain.profile import Format
from session_datasets.wire.answers import ColumnPart, DescribeArtifactAnswer, StatisticsPart

REPORT = "report.json"
_ROWS_SHOWN = 4
_COLUMNS_CHARTED = 2


def main(reference: str) -> int:
    console = console_for(sys.stdout)
    surroundings = Surroundings.of(os.environ)
    meter = Meter(surroundings.transport())
    workspace = Workspace(surroundings.required_token(), meter)
    heading(console, "Node two", f"process {os.getpid()}, in {workspace.directory}, with a token and a reference")
    seen = _find(console, workspace)
    found = workspace.describe_artifact(reference)
    if found.profile is None:
        remark(console, f"Pages and charts are not available: {plain(found.note or 'the file has no rows')}")
        _show_refused_page(console, workspace, reference)
    else:
        _page(console, workspace, reference, found.profile.shape.rows)
        _chart(console, workspace, found)
    path = _load(console, workspace, found)
    report = {"path": str(path), "seen_bytes": seen, "tallies": meter.to_json()}
    Path(REPORT).write_text(json.dumps(report))
    return 0


def _find(console: Console, workspace: Workspace) -> int:
    """Lists what the conversation has; the bytes that an agent would have read of it."""
    page = workspace.list_page()
    done(console, f"listed {len(page.artifacts)} artifact(s) of the conversation")
    console.print(show.listing(page))
    return json_bytes(page.to_json())


def _page(console: Console, workspace: Workspace, reference: str, rows: int) -> None:
    """The first page, one anywhere, and the last."""
    last = max(0, rows - _ROWS_SHOWN)
    for label, offset in (("first", 0), ("random", random.randint(0, last)), ("last", last)):
        page = workspace.read_rows(reference, offset=offset, limit=_ROWS_SHOWN)
        read = f"{size(page.bytes_read)} read from S3 in {page.s3_requests} request(s)"
        done(console, f"{label} page, from row {offset:,}: {read}")
        console.print(show.page(page))


def _show_refused_page(console: Console, workspace: Workspace, reference: str) -> None:
    try:
        workspace.read_rows(reference)
    except NotADatasetError as error:
        remark(console, f"read_rows answers: {plain(error.title)}. {plain(error.advice)}")


def _chart(console: Console, workspace: Workspace, found: DescribeArtifactAnswer) -> None:
    names = plottable(found)
    if not names:
        remark(console, "No chart: no column holds numbers or moments that change.")
        return
    series = workspace.read_columns(found, names, max_points=1_000)
    done(console, f"charted {' and '.join(map(plain, names))} over {series.rows:,} rows")
    console.print(show.series(series))


def plottable(found: DescribeArtifactAnswer) -> list[str]:
    """The columns that move most about their mean; a moment, which has none, comes after the numbers."""
    if found.profile is None:
        return []
    known = zip(found.profile.columns, found.profile.statistics, strict=False)
    swings = [(_swing(column, statistics), column.name) for column, statistics in known]
    moving = sorted((swing, name) for swing, name in swings if swing is not None)
    return [name for _, name in moving[::-1][:_COLUMNS_CHARTED]]


def _swing(column: ColumnPart, statistics: StatisticsPart) -> float | None:
    if not column.type.startswith(("int", "uint", "double", "float", "decimal", "timestamp", "date")):
        return None
    if statistics.min is None or statistics.min == statistics.max:
        return None
    if not statistics.mean:
        return 0.0
    return abs((_number(statistics.max) - _number(statistics.min)) / statistics.mean)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _load(console: Console, workspace: Workspace, found: DescribeArtifactAnswer) -> Path:
    with bar(console, "Loading") as tell:
        path = workspace.load_artifact(found, progress=tell)
    done(console, f"loaded {size(found.size)} into {plain(str(path))}; its sha256 is the registered one")
    if found.profile is not None and isinstance(found.format, Format):
        _open(console, path, found.format, found.profile.shape.rows)
    return path


def _open(console: Console, path: Path, format_: Format, registered: int) -> None:
    """Lets another reader count the rows; a tick only when it finds as many as were registered."""
    try:
        opened = count_rows(path, format_)
    except UnreadableError as error:
        remark(console, f"Not compared with another reader: {plain(str(error))}")
        return
    if opened is None:
        return
    rows, who = opened
    if rows == registered:
        done(console, f"opened it with {who}: {rows:,} rows, as registered")
    else:
        remark(console, f"Another reader, {who}, counts {rows:,} rows; registered were {registered:,}.")
