"""A file goes in at one node and comes out at another, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.client.errors import NotFoundError
from tests.support.moto_cloud import MotoCloud


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.csv"
    path.write_text("n,name\n" + "".join(f"{n},row {n}\n" for n in range(250)))
    return path


def test_another_node_of_the_run_loads_the_same_bytes(cloud: MotoCloud, csv: Path, tmp_path: Path) -> None:
    reference = cloud.open(run_id="run", node="one").register_artifact(csv, name="numbers").artifact_id
    loaded = cloud.open(run_id="run", node="two", directory=tmp_path / "two").load_artifact(reference)
    assert loaded == tmp_path / "two" / "numbers.csv"
    assert loaded.read_bytes() == csv.read_bytes()


def test_another_owner_gets_not_found(cloud: MotoCloud, csv: Path) -> None:
    reference = cloud.open(owner="acme", run_id="run").register_artifact(csv, name="numbers")
    with pytest.raises(NotFoundError):
        cloud.open(owner="other", run_id="run").describe_artifact(reference)


def test_rows_come_page_after_page_in_order(cloud: MotoCloud, csv: Path) -> None:
    workspace = cloud.open()
    numbers = workspace.register_artifact(csv)
    assert [row["n"] for row in workspace.iter_rows(numbers, batch=100)] == list(range(250))
