"""One node registers a table, the next one gets only its reference."""

from __future__ import annotations

from pathlib import Path

from session_datasets import Orchestrator

# The orchestrator opens a session for each node of the run; a node gets its token and nothing else.
orchestrator = Orchestrator.from_env()
first = orchestrator.open_session(owner="acme", run_id="run-1", node="measure").workspace("first")
second = orchestrator.open_session(owner="acme", run_id="run-1", node="report").workspace("second")
for node in (first, second):
    node.directory.mkdir()

# Node one writes a file and registers it. What it passes on is a few bytes, whatever the file's size.
source = first.directory / "readings.csv"
source.write_text("sensor,celsius\n" + "".join(f"s{n % 7},{20 + n % 50 / 10}\n" for n in range(100_000)))
reference = first.register_artifact(source, name="readings").reference.model_dump_json(exclude_none=True)

# Node two pages through it, plots a column of it, or opens the file as if it had written it.
page = second.read_rows(reference, offset=50_000, limit=3)
series = second.read_columns(reference, ["celsius"], max_points=100)
path = second.load_artifact(reference)

print(f"{source.stat().st_size:,} bytes of file, handed over by {len(reference)} characters: {reference}")
print(f"{page.total:,} rows; three of them: {page.rows}")
print(f"{len(series.columns[0].min or [])} points draw {series.rows:,} rows")
print(f"{path.relative_to(Path.cwd())} is the same file: {path.read_bytes() == source.read_bytes()}")
