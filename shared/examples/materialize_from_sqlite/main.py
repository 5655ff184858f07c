"""A cursor of 150,000 rows becomes a file under a budget of bytes, and the next node gets its reference."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from session_datasets import Orchestrator
from session_datasets.materialize import WorkspaceBackend, materialize_result

QUERY = "SELECT id, sensor, celsius, taken_at, note FROM readings ORDER BY id"
ROWS = 150_000


def database() -> sqlite3.Connection:
    """A table of readings, in memory; every seventh note is missing."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE readings (id INTEGER, sensor TEXT, celsius REAL, taken_at TEXT, note TEXT)")
    rows = (
        (n, f"s{n % 7}", 20 + n % 50 / 10, f"2026-03-{1 + n % 28:02}", None if n % 7 == 0 else "fine, as usual")
        for n in range(ROWS)
    )
    connection.executemany("INSERT INTO readings VALUES (?, ?, ?, ?, ?)", rows)
    return connection


orchestrator = Orchestrator.from_env()
query = orchestrator.open_session(owner="acme", run_id="run-1", node="query").workspace()
report = orchestrator.open_session(owner="acme", run_id="run-1", node="report").workspace()

with closing(database()) as connection:
    # The cursor is pulled row by row; neither this process nor the agent ever holds the result.
    cursor = connection.execute(QUERY)
    columns = [description[0] for description in cursor.description]
    backend = WorkspaceBackend(query, description="Readings of all sensors.")
    whole = materialize_result(columns, cursor, backend, filename="readings.csv")
    print("--- what the agent is told ---")
    print(whole.to_summary())

    # The same within a megabyte: whole rows only, and the artifact says that some are missing.
    cursor = connection.execute(QUERY)
    part = materialize_result(columns, cursor, backend, filename="readings-1mb.csv", max_bytes=1_000_000)
    print("--- within a budget of 1,000,000 bytes ---")
    print(part.to_summary())
    print(f"the cursor's next row: {next(cursor)[0]}; the file ends with row {part.row_count - 1}")

assert whole.reference is not None
assert part.reference is not None
print("--- the next node, by reference ---")
print(report.read_rows(whole.reference, offset=140_000, limit=2).rows)
print(report.describe_artifact(part.reference).description)
