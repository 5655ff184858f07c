"""What came out, as rows of text: once for the terminal, once for the paper."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from tests.bench.bench import Bench, Outcome
from tests.bench.measuring import Measured
from tests.bench.places import PAPER, RESULTS
from tests.bench.stand_in.pace import MB
from tests.bench.targets import Verdict, first_line

# Rows that the targets are stated for.
WHOLE_ROWS = 10_000_000
_HEADS = ("reader", "requests", "MB", "ms", "CPU ms", "peak MB", "x ms", "x MB")
_STYLES = {"met": "green", "missed": "yellow"}
_LIBRARIES = ("pyarrow", "polars", "duckdb", "pandas", "boto3", "numpy")
_BEGIN, _END = "<!-- make bench writes from here -->", "<!-- to here -->"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts; ``failures`` are told below it."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    below: Sequence[str] = ()


def grid_of(outcome: Outcome) -> Grid:
    pace = f" ({outcome.pace})" if outcome.pace else ""
    rows = [_row(each, outcome.ours) for each in outcome.measured]
    failures = [f"{each.label}: {first_line(each.failure)}" for each in outcome.measured if each.failure]
    return Grid(f"{outcome.title}{pace}", _HEADS, rows, [*([outcome.note] if outcome.note else []), *failures])


def _row(measured: Measured, ours: Measured) -> list[str]:
    if not measured.samples:
        return [measured.label, *["failed"] * (len(_HEADS) - 1)]
    return [
        measured.label,
        f"{measured.middle('requests'):g}",
        f"{measured.middle('bytes') / MB:,.3f}",
        f"{measured.middle('ms'):,.1f}",
        f"{measured.middle('cpu_ms'):,.1f}",
        f"{measured.peak_mb or 0:,.0f}",
        _ratio(measured, ours, "ms"),
        _ratio(measured, ours, "bytes"),
    ]


def _ratio(measured: Measured, ours: Measured, what: str) -> str:
    if measured is ours or not ours.samples or not ours.middle(what):
        return ""
    return f"{measured.middle(what) / ours.middle(what):,.1f}"


def grid_of_verdicts(verdicts: Sequence[Verdict], bench: Bench) -> Grid:
    words = {True: "met", False: "missed", None: "-"}
    lines = [[each.target.operation, each.target.wanted, each.found, words[each.met]] for each in verdicts]
    file = "another file of " if bench.own_file else ""
    same = bench.data.rows == WHOLE_ROWS and not file
    below = [] if same else [f"The targets are for {WHOLE_ROWS:,} seeded rows; this is {file}{bench.data.rows:,}."]
    return Grid("Targets", ("operation", "target", "measured", ""), lines, below)


def show(console: Console, grid: Grid) -> None:
    table = Table(title=grid.title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for place, head in enumerate(grid.heads):
        is_text = place == 0 or len(grid.heads) == 4
        table.add_column(head, justify="left" if is_text else "right", overflow="fold", no_wrap=not is_text)
    for row in grid.rows:
        table.add_row(*row, style=_STYLES.get(row[-1]))
    console.print(table)
    for line in grid.below:
        console.print(f"  {line}", highlight=False)
    console.print()


def surroundings(bench: Bench) -> dict[str, str]:
    """Where and on what the numbers came about."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "rows": f"{bench.data.rows:,}",
        "machine": f"{_processor()}, {os.cpu_count()} processors, {_memory()}",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "libraries": ", ".join(f"{name} {number}" for name in _LIBRARIES if (number := _version(name))),
    }


def write_results(bench: Bench, verdicts: Sequence[Verdict], told: Mapping[str, str]) -> None:
    """Everything, every round of it, as JSON."""
    document: dict[str, Any] = {
        "surroundings": dict(told),
        "cases": {name: _document(outcome) for name, outcome in bench.outcomes.items()},
        "targets": [
            {"operation": each.target.operation, "target": each.target.wanted, "measured": each.found, "met": each.met}
            for each in verdicts
        ],
    }
    RESULTS.write_text(json.dumps(document, indent=1, default=str))


def _document(outcome: Outcome) -> dict[str, Any]:
    return {
        "title": outcome.title,
        "pace": str(outcome.pace) if outcome.pace else None,
        "readers": [
            {
                "reader": each.label,
                "failure": each.failure,
                "peak_mb": each.peak_mb,
                "rounds": [asdict(sample) for sample in each.samples],
            }
            for each in outcome.measured
        ],
    }


def write_paper(grids: Sequence[Grid], told: Mapping[str, str], paper: Path = PAPER) -> None:
    """The generated part of docs/benchmarks.md; what people wrote around it stays."""
    text = paper.read_text()
    before, rest = text.split(_BEGIN)
    after = rest.split(_END)[1]
    lines = [f"{name}: {value}  " for name, value in told.items()]
    for grid in grids:
        lines += ["", f"### {grid.title}", "", *_markdown(grid)]
        lines += [line for below in grid.below for line in ("", below)]
    paper.write_text(f"{before}{_BEGIN}\n\n" + "\n".join(lines) + f"\n\n{_END}{after}")


def _markdown(grid: Grid) -> list[str]:
    rows = [grid.heads, ["---"] * len(grid.heads), *grid.rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    if sys.platform == "win32":
        return "memory unknown"
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB"
