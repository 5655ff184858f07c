"""The second node: reads a page of the table, loads its file, answers what it found."""

from __future__ import annotations

import csv
import os
from tempfile import TemporaryDirectory
from typing import Any

from session_datasets.client.surroundings import Surroundings
from session_datasets.client.workspace import Workspace

transport = Surroundings.of(os.environ).transport()


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """``event``: the session's ``token``, and ``input`` with the reference under ``readings``."""
    reference = event["input"]["readings"]
    with TemporaryDirectory() as folder:
        workspace = Workspace(event["token"], transport, folder)
        page = workspace.read_rows(reference, offset=70_000, limit=1)
        with workspace.load_artifact(reference).open(newline="") as file:
            rows = list(csv.DictReader(file))
    warmest = max(rows, key=lambda row: float(row["celsius"]))
    return {"rows": len(rows), "row_70000": page.rows[0] if page.rows else None, "warmest": float(warmest["celsius"])}
