"""A program of nodes, on whichever SDK is on the path: ``python node.py write|read|use FOLDER``, answers JSON.

It runs under the released SDK as well as under this one, and so it uses only what both have.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from session_datasets import Orchestrator, Workspace
from session_datasets.client.transport import DeployedTransport

SMALL_ROWS = 1_000
# Beyond what a call profiles on a laptop's stack, so it goes by the queue.
LARGE_ROWS = 40_000
WORDS = "word " * 200


def workspace(folder: Path, **scope: Any) -> Workspace:
    return Orchestrator.from_env().open_session(owner="acme", **scope).workspace(folder)


def table(rows: int, words: str) -> bytes:
    return b"number,words\n" + b"".join(f"{number},{words}{number}\n".encode() for number in range(rows))


def write(folder: Path) -> dict[str, Any]:
    """Two data sets, one of a conversation and one of a run; what is needed to find them again."""
    (folder / "small.csv").write_bytes(table(SMALL_ROWS, "w"))
    (folder / "large.csv").write_bytes(table(LARGE_ROWS, WORDS))
    talk = workspace(folder, conversation_id="talk-1")
    extract = workspace(folder, run_id="run-1", node="extract")
    return {
        "token": talk.token,
        "small": talk.register_artifact(folder / "small.csv", name="Small").reference.model_dump(),
        "large": extract.register_artifact(folder / "large.csv", name="Large").reference.model_dump(),
    }


def read(folder: Path) -> dict[str, Any]:
    """What sessions opened now find and read of what was written."""
    written = json.loads((folder / "written.json").read_text())
    talk = workspace(folder, conversation_id="talk-1")
    report = workspace(folder, run_id="run-1", node="report")
    return {
        "talk": [each.name for each in talk.list_artifacts()],
        "run": [each.name for each in report.list_artifacts()],
        "small": _read(talk, written["small"], SMALL_ROWS),
        "large": _read(report, written["large"], LARGE_ROWS),
        "by the token of then": [
            each.name for each in Workspace(written["token"], DeployedTransport(), folder).list_artifacts()
        ],
    }


def use(folder: Path) -> dict[str, Any]:
    """A hand-over from the first step to the last; of a run of its own."""
    run = f"run-of-{folder.name}"
    (folder / "fresh.csv").write_bytes(table(SMALL_ROWS, "w"))
    reference = workspace(folder, run_id=run, node="extract").register_artifact(folder / "fresh.csv").reference
    report = workspace(folder, run_id=run, node="report")
    return {"run": [each.name for each in report.list_artifacts()], "fresh": _read(report, reference, SMALL_ROWS)}


def _read(reader: Workspace, reference: Any, rows: int) -> dict[str, Any]:
    described = reader.describe_artifact(reference)
    shape = described.profile.shape if described.profile else None
    loaded = reader.load_artifact(reference)
    points = reader.read_columns(reference, ["number"], max_points=100).columns[0]
    return {
        "status": described.status,
        "shape": [shape.rows, shape.columns] if shape else None,
        "last": reader.read_rows(reference, offset=rows - 1, limit=5, columns=["number"]).rows,
        "greatest": points.max[-1] if points.max else None,
        "sha256": hashlib.sha256(Path(loaded).read_bytes()).hexdigest(),
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](Path(sys.argv[2])), default=str))
