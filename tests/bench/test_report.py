"""What the benchmark tells of its outcomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.bench.bench import OURS, Outcome
from tests.bench.measuring import Measured, Sample
from tests.bench.places import PAPER
from tests.bench.report import Grid, grid_of, write_paper
from tests.bench.stand_in.pace import NEAR


def measured(label: str, *ms: float, **more: Any) -> Measured:
    return Measured(label, [Sample(each, each / 2, 3, 2_000_000, {}) for each in ms], peak_mb=100.4, **more)


def outcome(*readers: Measured) -> Outcome:
    return Outcome("page", "A page", NEAR, readers)


def test_a_row_tells_medians_and_how_many_times_ours_they_are() -> None:
    grid = grid_of(outcome(measured(OURS, 10.0), measured("other", 400.0, 20.0, 30.0)))
    assert grid.rows[1] == ["other", "3", "2.000", "30.0", "15.0", "100", "3.0", "1.0"]


def test_a_title_tells_the_pace() -> None:
    assert grid_of(outcome(measured(OURS, 1.0))).title == "A page (20 ms per request, 90 MB/s per connection)"


def test_a_reader_that_failed_at_once_has_a_row_and_a_reason() -> None:
    grid = grid_of(outcome(measured(OURS, 1.0), Measured("other", failure="no such file\nand more")))
    assert (set(grid.rows[1][1:]), grid.below) == ({"failed"}, ["other: no such file"])


def test_the_paper_keeps_what_people_wrote_around_the_generated_part(tmp_path: Path) -> None:
    paper = tmp_path / "paper.md"
    paper.write_text(PAPER.read_text() + "\nThe end.\n")
    for name in ("first", "second"):
        write_paper([Grid("Targets", ("a", "b"), [(name, "x|y")])], {"rows": "7"}, paper)
    text = paper.read_text()
    assert text.startswith("# Benchmarks\n")
    assert text.endswith("\nThe end.\n")
    assert "| second | x\\|y |" in text
    assert "| first |" not in text
