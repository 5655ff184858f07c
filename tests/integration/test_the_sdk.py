"""The SDK against deployed functions, finding them by its environment as a node does."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pytest

from session_datasets.domain.limits import SINGLE_UPLOAD_BYTES_MAX
from tests.support.deployed_cloud import DeployedCloud


@pytest.fixture
def run_id() -> str:
    return f"run-{uuid4().hex}"


def test_a_file_of_several_parts_arrives_byte_for_byte(cloud: DeployedCloud, run_id: str, tmp_path: Path) -> None:
    """Sent in parts, registered, and loaded by another node; a compressed file, so that it travels as it is."""
    (tmp_path / "up").mkdir()
    (tmp_path / "down").mkdir()
    source = tmp_path / "up" / "noise.bin"
    source.write_bytes(random.Random(7).randbytes(2 * SINGLE_UPLOAD_BYTES_MAX + 12_345))
    progress: list[tuple[int, int]] = []
    upstream = cloud.open(tmp_path / "up", run_id=run_id, node="extract")
    registered = upstream.register_artifact(
        source, name="Noise", progress=lambda done, total: progress.append((done, total))
    )
    assert progress[-1] == (source.stat().st_size, source.stat().st_size)
    loaded = cloud.open(tmp_path / "down", run_id=run_id, node="report").load_artifact(registered.reference)
    assert loaded.parent == tmp_path / "down"
    assert hashlib.sha256(loaded.read_bytes()).digest() == hashlib.sha256(source.read_bytes()).digest()


def test_a_frame_comes_back_as_the_frame_it_was(cloud: DeployedCloud, run_id: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"n": range(1_000), "half": [n / 2 for n in range(1_000)], "word": [f"w{n}" for n in range(1_000)]}
    )
    upstream = cloud.open(tmp_path, run_id=run_id, node="extract")
    registered = upstream.register_artifact(frame, name="Frame")
    downstream = cloud.open(tmp_path, run_id=run_id, node="report")
    pd.testing.assert_frame_equal(downstream.to_pandas(registered.reference), frame, check_dtype=False)


def test_rows_are_iterated_over_all_pages(cloud: DeployedCloud, run_id: str, tmp_path: Path) -> None:
    table = pa.table({"n": range(2_500)})
    workspace = cloud.open(tmp_path, run_id=run_id)
    registered = workspace.register_artifact(table, name="Numbers")
    assert [row["n"] for row in workspace.iter_rows(registered.reference, batch=1_000)] == list(range(2_500))
