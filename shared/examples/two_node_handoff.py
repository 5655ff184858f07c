"""One node registers a table, the next one gets only its reference.

Needs a stack that the environment points at: ``make up``, then ``source .local/env``.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

from session_datasets import Orchestrator

# The orchestrator opens a session for each node of the run; a node gets its token and nothing else.
orchestrator = Orchestrator.from_env()
first = orchestrator.open_session(owner="acme", run_id="run-1", node="measure").workspace()
second = orchestrator.open_session(owner="acme", run_id="run-1", node="report").workspace(mkdtemp())

# Node one writes a file and registers it. What it passes on is a few bytes, whatever the file's size.
source = Path(mkdtemp()) / "readings.csv"
source.write_text("sensor,celsius\n" + "".join(f"s{n % 7},{20 + n % 50 / 10}\n" for n in range(100_000)))
reference = first.register_artifact(source, name="readings").artifact_id

# Node two pages through it, plots a column of it, or opens the file as if it had written it.
page = second.read_rows(reference, offset=50_000, limit=3)
series = second.read_columns(reference, ["celsius"], max_points=100)
path = second.load_artifact(reference)

print(f"{page.total:,} rows by the reference {reference}; three of them: {page.rows}")
print(f"{len(series.columns[0].min or [])} points of {series.rows:,} rows; the file itself is at {path}")
