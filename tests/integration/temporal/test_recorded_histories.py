"""Histories that earlier versions wrote replay: the workflows, the references and the payloads as they were then."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.temporal import SessionDatasetsPlugin
from tests.support.temporal_workflows import WORKFLOWS

RECORDED = Path(__file__).parent / "recorded"


@pytest.mark.parametrize("name", ["hand_over_1"])
def test_a_recorded_history_replays_and_stores_nothing_new(name: str, tmp_path: Path) -> None:
    files = shutil.copytree(RECORDED / "files", tmp_path / "files")
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    history = WorkflowHistory.from_json(name, (RECORDED / f"{name}.json").read_text())
    # The threshold of the worker that wrote it.
    plugin = SessionDatasetsPlugin(FolderStore(files), threshold_bytes=1024)

    result = asyncio.run(Replayer(workflows=WORKFLOWS, plugins=[plugin]).replay_workflow(history))

    assert result.replay_failure is None
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_a_recorded_history_whose_payload_is_gone_does_not_replay(tmp_path: Path) -> None:
    history = WorkflowHistory.from_json("gone", (RECORDED / "hand_over_1.json").read_text())
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), threshold_bytes=1024)
    replaying = Replayer(workflows=WORKFLOWS, plugins=[plugin]).replay_workflow(history, raise_on_replay_failure=False)
    assert asyncio.run(replaying).replay_failure is not None
