"""Large payloads between a workflow and its activities, on a real Temporal server and the whole service in process."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable
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
from session_datasets.client.errors import ConfigurationError, error_of
from session_datasets.client.workspace import Workspace
from session_datasets.domain.errors import Problem, ProblemCode
from session_datasets.wire.problem import ProblemModel
from tests.support.moto_cloud import MotoCloud
from tests.support.temporal_server import payloads_of
from tests.support.temporal_workflows import ACTIVITIES, CALLS, WORKFLOWS, Carrying, Echo, HandOver, Sending

ROWS = 60_000
SUM = ROWS * (ROWS - 1) // 2
# Above the threshold, and quickly made.
SOME_ROWS = 3_000
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
    _, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, SOME_ROWS)
    assert len({each["place"]["artifact"]["artifact_id"] for each in references_of(history)}) == 1
    assert len(list(workspace.list_artifacts())) == 1


def test_the_rows_of_a_payload_can_be_paged(temporal_server: str, workspace: Workspace) -> None:
    _, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, SOME_ROWS)
    page = workspace.read_rows(references_of(history)[0]["place"]["artifact"], offset=2_999, limit=1)
    assert page.rows == [[2_999, "row 2999", 374.875]]


def test_a_small_payload_crosses_as_ever(temporal_server: str, workspace: Workspace) -> None:
    total, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, 3)
    assert (total, references_of(history)) == (3, [])
    assert list(workspace.list_artifacts()) == []


def test_a_worker_whose_client_lacks_the_plugin_does_not_start(temporal_server: str, tmp_path: Path) -> None:
    async def start() -> None:
        client = await Client.connect(temporal_server)
        plugin = SessionDatasetsPlugin(FolderStore(tmp_path))
        with pytest.raises(ConfigurationError, match="its client was not") as refused:
            Worker(client, task_queue="queue", workflows=WORKFLOWS, plugins=[plugin])
        assert "Client.connect" in refused.value.advice

    asyncio.run(start())


def test_given_to_client_and_worker_it_works_once(temporal_server: str, tmp_path: Path) -> None:
    async def both() -> int:
        plugin = SessionDatasetsPlugin(FolderStore(tmp_path))
        client = await Client.connect(temporal_server, plugins=[plugin])
        queue = f"queue-{uuid.uuid4().hex}"
        with ThreadPoolExecutor(4) as threads:
            async with Worker(
                client,
                task_queue=queue,
                workflows=WORKFLOWS,
                activities=ACTIVITIES,
                activity_executor=threads,
                plugins=[plugin],
            ):
                total: int = await (await started(client, queue, HandOver.run, SOME_ROWS)).result()
                return total

    with pytest.warns(UserWarning, match="plugin"):
        assert asyncio.run(both()) == 4_498_500


def test_a_folder_serves_where_there_is_no_cloud(temporal_server: str, tmp_path: Path) -> None:
    total, history = run(temporal_server, SessionDatasetsPlugin(FolderStore(tmp_path)), HandOver.run, SOME_ROWS)
    assert total == 4_498_500
    assert len(references_of(history)) == 2
    assert len(list(tmp_path.iterdir())) == 1


def test_a_large_input_and_a_large_result_cross_a_failed_attempt(temporal_server: str, workspace: Workspace) -> None:
    CALLS.clear()
    text = "north " * 20_000
    result, history = run(temporal_server, SessionDatasetsPlugin(workspace), Echo.run, text)
    assert result == text
    assert CALLS["fails_once"] == 2
    # The workflow's input, the activity's, its result and the workflow's; the details of the failure are not events.
    assert {each["bytes"] for each in references_of(history)} == {len(text) + 2}
    assert max(each.ByteSize() for each in payloads_of(history)) < REFERENCE_BYTES_MAX


def test_a_cache_is_carried_by_reference_over_continue_as_new(temporal_server: str, workspace: Workspace) -> None:
    CALLS.clear()
    lengths, history = run(temporal_server, SessionDatasetsPlugin(workspace), Carrying.run, 2, None)
    assert lengths == [50_000, 50_000, 40_000]
    # Three runs asked each tool once.
    assert (CALLS["north"], CALLS["south"], CALLS["west"]) == (1, 1, 1)
    # The last run's history holds what it was handed, and no activity.
    [carried] = references_of(history)
    assert carried["bytes"] > 140_000
    assert not [event for event in history.events if event.HasField("activity_task_scheduled_event_attributes")]


@pytest.mark.parametrize(
    ("workflow", "arguments"),
    [(HandOver, [SOME_ROWS]), (Echo, ["west " * 20_000]), (Carrying, [1, None])],
    ids=["hand over", "retry", "continue as new"],
)
def test_a_history_replays(
    temporal_server: str, workspace: Workspace, cloud: MotoCloud, tmp_path: Path, workflow: Any, arguments: list[Any]
) -> None:
    _, history = run(temporal_server, SessionDatasetsPlugin(workspace), workflow.run, *arguments)
    before = [each.artifact_id for each in workspace.list_artifacts()]
    # Nothing but the history as it is exported.
    exported = WorkflowHistory.from_json("replayed", history.to_json())

    def replay(by: Workspace) -> None:
        replayer = Replayer(workflows=WORKFLOWS, plugins=[SessionDatasetsPlugin(by)])
        result = asyncio.run(replayer.replay_workflow(exported))
        assert result.replay_failure is None

    replay(workspace)
    assert [each.artifact_id for each in workspace.list_artifacts()] == before
    # Another worker of the run, in a session of its own.
    replay(cloud.open(run_id="run-1", directory=tmp_path / "other"))


def test_a_worker_of_another_session_of_the_run_takes_over(
    temporal_server: str, cloud: MotoCloud, tmp_path: Path
) -> None:
    sessions = iter(range(100))

    def workspace() -> Workspace:
        """A new session for every payload, as a worker that outlives its tokens would have it."""
        return cloud.open(run_id="run-1", node=f"worker-{next(sessions)}", directory=tmp_path)

    total, history = run(temporal_server, SessionDatasetsPlugin(workspace), HandOver.run, SOME_ROWS)
    assert total == 4_498_500
    assert len({each["place"]["artifact"]["session_id"] for each in references_of(history)}) == 2


class Losing(FolderStore):
    """A folder that loses a file, or has it changed, as soon as it was put for the ``at``-th time."""

    def __init__(self, directory: Path, lose: Callable[[Path], object], at: int) -> None:
        super().__init__(directory)
        self._directory = directory
        self._lose = lose
        self._puts_left = at

    def put(self, file: Path, *, name: str, sha256: str) -> Any:
        place = super().put(file, name=name, sha256=sha256)
        self._puts_left -= 1
        if not self._puts_left:
            self._lose(self._directory / str(place["key"]))
        return place


def overwrite(path: Path) -> None:
    path.write_bytes(b"x" * path.stat().st_size)


@pytest.mark.parametrize(
    ("lose", "kind"), [(Path.unlink, "PayloadGone"), (overwrite, "PayloadChanged")], ids=["gone", "changed"]
)
def test_a_result_that_is_lost_fails_the_workflow_for_good(
    temporal_server: str, tmp_path: Path, lose: Callable[[Path], object], kind: str
) -> None:
    plugin = SessionDatasetsPlugin(Losing(tmp_path, lose, at=1))
    with pytest.raises(WorkflowFailureError) as failed:
        run(temporal_server, plugin, HandOver.run, SOME_ROWS)
    cause = failed.value.cause
    assert isinstance(cause, ApplicationError)
    assert (cause.type, cause.non_retryable) == (kind, True)
    assert "was not fetched" in str(cause)


@pytest.mark.parametrize(
    ("lose", "kind"), [(Path.unlink, "PayloadGone"), (overwrite, "PayloadChanged")], ids=["gone", "changed"]
)
def test_arguments_that_are_lost_fail_their_activity_for_good(
    temporal_server: str, tmp_path: Path, lose: Callable[[Path], object], kind: str
) -> None:
    plugin = SessionDatasetsPlugin(Losing(tmp_path, lose, at=2))
    with pytest.raises(WorkflowFailureError) as failed:
        run(temporal_server, plugin, HandOver.run, SOME_ROWS)
    assert isinstance(failed.value.cause, ActivityError)
    wrapping = failed.value.cause.cause
    assert isinstance(wrapping, ApplicationError)
    assert wrapping.non_retryable
    assert isinstance(wrapping.cause, ApplicationError)
    assert wrapping.cause.type == kind


@pytest.mark.parametrize("how", ["activity", "child", "continue as new", "result"])
def test_a_workflow_that_sends_too_much_fails_for_good(temporal_server: str, tmp_path: Path, how: str) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), max_payload_bytes=100_000)
    with pytest.raises(WorkflowFailureError) as failed:
        run(temporal_server, plugin, Sending.run, how, 200_000)
    cause = failed.value.cause
    assert isinstance(cause, ApplicationError)
    assert (cause.type, cause.non_retryable) == ("PayloadTooLarge", True)
    assert "200,002 bytes" in str(cause)


def test_a_workflow_may_catch_that_it_sends_too_much(temporal_server: str, tmp_path: Path) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), max_payload_bytes=100_000)
    assert run(temporal_server, plugin, Sending.run, "caught", 200_000)[0] == "PayloadTooLarge"


def test_a_failure_with_too_much_to_say_fails_its_workflow_without_its_details(
    temporal_server: str, tmp_path: Path
) -> None:
    plugin = SessionDatasetsPlugin(FolderStore(tmp_path), max_payload_bytes=100_000)
    with pytest.raises(WorkflowFailureError) as failed:
        run(temporal_server, plugin, Sending.run, "failure", 200_000)
    assert "too much to say (Its details are missing: A payload of 200,002 bytes" in str(failed.value.cause)


class Refusing(FolderStore):
    """A folder that refuses to keep anything, as a run that has ended does, the first ``times``."""

    def __init__(self, directory: Path, times: int) -> None:
        super().__init__(directory)
        self._times_left = times

    def put(self, file: Path, *, name: str, sha256: str) -> Any:
        if self._times_left:
            self._times_left -= 1
            problem = Problem(ProblemCode.ENDED, "The run of this session has ended; nothing was written.", "")
            raise error_of(ProblemModel.of(problem, "request-1"))
        return super().put(file, name=name, sha256=sha256)


def test_what_is_not_kept_of_a_workflow_fails_its_task_which_is_tried_again(
    temporal_server: str, tmp_path: Path
) -> None:
    result, history = run(temporal_server, SessionDatasetsPlugin(Refusing(tmp_path, 1)), Sending.run, "result", 100_000)
    assert result == "x" * 100_000
    [failed] = [each for each in history.events if each.HasField("workflow_task_failed_event_attributes")]
    assert "The run of this session has ended" in failed.workflow_task_failed_event_attributes.failure.message
