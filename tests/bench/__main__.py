"""``python -m tests.bench``: what ``make bench`` runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from tests.bench import making, report
from tests.bench.bench import OURS, Bench
from tests.bench.cases import CASES, ENGINE, chosen, register
from tests.bench.given import DataSet
from tests.bench.measuring import LOG, ReaderFailed
from tests.bench.places import FOLDER, PAPER, RESULTS, ROOT, STORE
from tests.bench.report import WHOLE_ROWS
from tests.bench.stand_in.running import StandIn
from tests.bench.targets import verdicts

_CASES_TOLD = "\n\n".join(f"{name}: {case.__doc__}" for name, case in CASES.items())
HELP = f"""Reads the same rows with this service and with other readers, side by side, from a stand-in for S3 that
counts requests and bytes and takes the time of a network; then says which targets are met.

Requests and bytes are exact. Milliseconds mean something as ratios within one run. Each reader works in a process of
its own and they take turns. Everything that is made lies below .local/bench (make bench-clean removes it).

The cases:

{_CASES_TOLD}

Examples: make bench ROWS=1000000 · make bench ONLY=page,chart · make bench FILE=mine.csv

Exit code 0 whether or not a target is met; 1 when something could not be measured.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)
console = Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 110)


@app.command(help=HELP)
def main(
    rows: Annotated[int, typer.Option(min=1_000, help="Rows of the seeded data set.")] = WHOLE_ROWS,
    file: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="A file of your own instead: CSV or Parquet.")
    ] = None,
    only: Annotated[str, typer.Option(help="Cases to run, with commas between; all when left out.")] = "",
    paper: Annotated[bool, typer.Option(help=f"Write {PAPER.relative_to(ROOT)} even if this is no whole run.")] = False,
) -> None:
    began = time.monotonic()
    names = [name.strip() for name in only.split(",") if name.strip()]
    try:
        cases = chosen(names)
    except KeyError as unknown:
        _stop(f"There is no case {unknown}; the cases are {', '.join(CASES)}.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    LOG.unlink(missing_ok=True)
    with _Telling() as telling, StandIn(STORE) as stand_in:
        files = making.Files(STORE, telling)
        bench = Bench(stand_in, files, _data(files, rows, file), own_file=file is not None, told=telling)
        try:
            if register not in cases:
                bench.data = bench.register(bench.data)
            for case in cases:
                _run(case, bench)
        except ReaderFailed as error:
            _stop(f"The file can not be registered: {error}")
    whole = not names and file is None and rows == WHOLE_ROWS
    failed = _conclude(bench, whole or paper)
    console.print(f"{time.monotonic() - began:,.0f} s. Every round is in {RESULTS.relative_to(ROOT)}.")
    raise typer.Exit(1 if failed else 0)


def _run(case: Callable[[Bench], None], bench: Bench) -> None:
    """Shows what the case added."""
    already = set(bench.outcomes)
    case(bench)
    for name, outcome in bench.outcomes.items():
        if name not in already:
            report.show(console, report.grid_of(outcome))


def _data(files: making.Files, rows: int, file: Path | None) -> DataSet:
    if file is not None:
        return files.given_file(file)
    try:
        files.require_disk(rows)
    except making.NotEnoughDisk as error:
        _stop(str(error))
    console.print(
        f"{rows:,} rows of twelve columns; up to {making.disk_needed(rows) / 1e9:.1f} GB below "
        f"{STORE.relative_to(ROOT)}, kept for the next run."
    )
    return files.rows_of(rows)


def _conclude(bench: Bench, to_paper: bool) -> bool:
    """Tells the targets and writes everything down; whether something could not be measured."""
    found, told = verdicts(bench.outcomes), report.surroundings(bench)
    grids = [report.grid_of_verdicts(found, bench)]
    report.show(console, grids[0])
    report.write_results(bench, found, told)
    if to_paper:
        report.write_paper([*grids, *map(report.grid_of, bench.outcomes.values())], told)
        console.print(f"{PAPER.relative_to(ROOT)} is written.")
    measured = [each for outcome in bench.outcomes.values() for each in outcome.measured]
    # What a peer can not make of somebody's own file is a result.
    return any(each.failure for each in measured if not bench.own_file or each.label in (OURS, ENGINE))


def _stop(why: str) -> None:
    console.print(why)
    raise typer.Exit(1)


class _Telling:
    """What goes on: how far, on a line of the terminal; only what it is, where there is none."""

    def __enter__(self) -> _Telling:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not sys.stdout.isatty())
        self._progress.start()
        self._task = self._progress.add_task("", total=1.0)
        self._what = ""
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, what: str, part: float) -> None:
        if what.partition(":")[0] != self._what:
            self._what = what.partition(":")[0]
            self._progress.reset(self._task)
            if self._progress.disable:
                console.print(f"{self._what} …", style="dim")
        self._progress.update(self._task, description=what, completed=part)


if __name__ == "__main__":
    app()
