"""Two nodes of a run and two sessions of a conversation, on a stack that CDK deployed."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from session_datasets import errors
from session_datasets.domain.limits import CLOCK_LEEWAY_SECONDS, SESSION_SECONDS_MIN
from tests.support.deployed_cloud import DeployedCloud

# What a downstream node runs in a sandbox of its own: nothing but a token in its environment and a reference.
NODE = """
import json, sys
from session_datasets import Workspace

workspace = Workspace.from_env()
reference = json.loads(sys.argv[1])
page = workspace.read_rows(reference, offset=70_000, limit=1)
chart = workspace.read_columns(reference, columns=["value"], max_points=100)
path = workspace.load_artifact(reference)
print(json.dumps({
    "listed": [item.artifact_id for item in workspace.list_artifacts()],
    "row": page.rows[0],
    "chart": [chart.method, len(chart.columns[0].max)],
    "path": str(path),
}))
"""


def a_hundred_thousand_rows() -> bytes:
    lines = ["row,value,label", *(f"{n},{n / 4},label {n % 97}" for n in range(100_000))]
    return "\n".join(lines).encode()


def test_a_node_in_another_process_gets_a_reference_and_works_with_the_data(
    cloud: DeployedCloud, tmp_path: Path
) -> None:
    run_id = f"run-{uuid4().hex}"
    (tmp_path / "up").mkdir()
    (tmp_path / "down").mkdir()
    source = tmp_path / "up" / "measures.csv"
    source.write_bytes(a_hundred_thousand_rows())
    registered = cloud.open(tmp_path / "up", run_id=run_id, node="extract").register_artifact(source, name="Measures")
    downstream = cloud.open(tmp_path / "down", run_id=run_id, node="report")
    reference = registered.reference.model_dump_json()
    ran = subprocess.run(
        [sys.executable, "-c", NODE, reference],
        cwd=tmp_path / "down",
        env={**os.environ, **cloud.stack.client_environment(), "SESSION_DATASETS_TOKEN": downstream.token},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    did = json.loads(ran.stdout)
    assert did["listed"] == [registered.artifact_id]
    assert did["row"] == [70_000, 17_500.0, "label 63"]
    assert did["chart"] == ["min_max", 49]  # of 2,048 rows each: at most two of the 100 points a bucket
    assert Path(did["path"]).parent == tmp_path / "down"
    assert Path(did["path"]).read_bytes() == source.read_bytes()


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_what_the_agent_sees_of_a_hundred_thousand_rows_is_small(
    cloud: DeployedCloud, tmp_path: Path, packed: bool
) -> None:
    body = a_hundred_thousand_rows()
    source = tmp_path / ("m.csv.gz" if packed else "m.csv")
    source.write_bytes(gzip.compress(body) if packed else body)
    registered = cloud.open(tmp_path, run_id=f"run-{uuid4().hex}").register_artifact(source, name="Measures")
    assert registered.profile is not None
    assert registered.profile.shape.rows == 100_000
    assert len(registered.model_dump_json(exclude_none=True).encode()) < 2_000


def test_a_session_opened_after_the_first_ones_token_expired_lists_and_loads_what_it_registered(
    cloud: DeployedCloud, tmp_path: Path
) -> None:
    conversation = f"talk-{uuid4().hex}"
    first = cloud.open(tmp_path, conversation_id=conversation, ttl_seconds=SESSION_SECONDS_MIN)
    opened_at = datetime.now(UTC)
    source = tmp_path / "sales.csv"
    source.write_bytes(b"day,amount\n2026-01-01,10\n")
    registered = first.register_artifact(source, name="Sales", description="Sales by day")
    age = (datetime.now(UTC) - opened_at).total_seconds()
    time.sleep(max(0.0, SESSION_SECONDS_MIN + CLOCK_LEEWAY_SECONDS + 2 - age))
    with pytest.raises(errors.AuthenticationError) as refused:
        first.list_page()
    assert refused.value.problem.code == "token-expired"
    later = cloud.open(tmp_path / "later", conversation_id=conversation)
    (found,) = later.list_artifacts(name_contains="sales")
    assert found.artifact_id == registered.artifact_id
    (tmp_path / "later").mkdir()
    assert later.load_artifact(found.reference).read_bytes() == source.read_bytes()


def test_another_owner_and_a_random_id_are_told_the_same(cloud: DeployedCloud, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes(b"a\n1\n")
    registered = cloud.open(tmp_path, conversation_id="talk-1").register_artifact(source)
    stranger = cloud.open(tmp_path, owner="other", conversation_id="talk-1")
    told = []
    for artifact_id in (registered.artifact_id, "art_01jg00000000000000000000zz"):
        with pytest.raises(errors.NotFoundError) as refused:
            stranger.describe_artifact(artifact_id)
        told.append(refused.value.problem.model_dump(exclude={"request_id", "correlation_id"}))
    assert told[0] == told[1]
