"""The first node: writes a table far larger than a state may be, registers it, answers its reference."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from session_datasets.client.surroundings import Surroundings
from session_datasets.client.workspace import Workspace

transport = Surroundings.of(os.environ).transport()
ROWS = 100_000


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """``event``: the session's ``token`` and ``input``. Answers ``{"reference": {…}}``."""
    with TemporaryDirectory() as folder:
        workspace = Workspace(event["token"], transport, folder)
        table = Path(folder) / "readings.csv"
        with table.open("w") as file:
            file.write("reading,sensor,celsius\n")
            file.writelines(f"{n},s{n % 7},{20 + n % 50 / 10}\n" for n in range(ROWS))
        registered = workspace.register_artifact(table, name="readings", description="By the state machine's Measure.")
    return {"reference": registered.reference.model_dump(exclude_none=True)}
