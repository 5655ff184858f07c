"""Large payloads between a workflow and its activities, on a real Temporal server and the whole service in process."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle, WorkflowHistory
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.worker import Replayer, Worker

from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.temporal import SessionDatasetsPlugin
from session_datasets.client.workspace import Workspace
from tests.support.moto_cloud import MotoCloud
from tests.support.temporal_server import payloads_of
from tests.support.temporal_workflows import ACTIVITIES, CALLS, WORKFLOWS, Carrying, Echo, HandOver

ROWS = 40_000
SUM = ROWS * (ROWS - 1) // 2
# A reference with the address of its artifact.
REFERENCE_BYTES_MAX = 2 * 1024


@asynccontextmanager
async def working(server: str, plugin: SessionDatasetsPlugin | None) -> AsyncIterator[tuple[Client, str]]:
    """A client, and the queue of a worker that takes the plugin from it; the worker ends with the block."""
    client = await Client.connect(server, plugins=[plugin] if plugin else [])
    queue = f"queue-{uuid.uuid4().hex}"
    with ThreadPoolExecutor(4) as threads:
        async with Worker(
            client, task_queue=queue, workflows=WORKFLOWS, activities=ACTIVITIES, activity_executor=threads
        ):
            yield client, queue


async def started(client: Client, queue: str, workflow: Any, *args: Any) -> WorkflowHandle[Any, Any]:
    return await client.start_workflow(workflow, args=list(args), id=f"wf-{uuid.uuid4().hex}", task_queue=queue)


def run(server: str, plugin: SessionDatasetsPlugin | None, workflow: Any, *args: Any) -> tuple[Any, WorkflowHistory]:
    """The workflow's result and its last run's history."""

    async def both() -> tuple[Any, WorkflowHistory]:
        async with working(server, plugin) as (client, queue):
            handle = await started(client, queue, workflow, *args)
            result = await handle.result()
            return result, await client.get_workflow_handle(handle.id).fetch_history()

    return asyncio.run(both())


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    return cloud.open(run_id="run-1", directory=tmp_path)


def references_of(history: WorkflowHistory) -> list[dict[str, Any]]:
    """The artifacts that the history refers to."""
    claims = [json.loads(each.data) for each in payloads_of(history) if each.external_payloads]
    return [json.loads(claim["claimData"]["reference"])["$dataset"] for claim in claims]


def test_a_history_holds_references_instead_of_rows(temporal_server: str, workspace: Workspace) -> None:
    total, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, ROWS)
    assert total == SUM
    # The rows left one activity and entered another.
    assert [each["bytes"] > 2 * 1024 * 1024 for each in references_of(history)] == [True, True]
    assert max(each.ByteSize() for each in payloads_of(history)) < REFERENCE_BYTES_MAX


def test_what_crosses_twice_is_one_artifact(temporal_server: str, workspace: Workspace) -> None:
    _, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, ROWS)
    assert len({each["place"]["artifact"]["artifact_id"] for each in references_of(history)}) == 1
    assert len(list(workspace.list_artifacts())) == 1


def test_the_rows_of_a_payload_can_be_paged(temporal_server: str, workspace: Workspace) -> None:
    _, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, ROWS)
    page = workspace.read_rows(references_of(history)[0]["place"]["artifact"], offset=ROWS - 1, limit=1)
    assert page.rows == [[ROWS - 1, f"row {ROWS - 1}", (ROWS - 1) / 8]]
