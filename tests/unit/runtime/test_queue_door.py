"""The door to a queue: which messages come again, what is logged and counted."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.domain.names import Verb
from session_datasets.operations.profile_artifact import Outcome
from session_datasets.runtime.queue_door import QueueDoor
from session_datasets.storage.profile_queue import body_of

TASK = ProfilingTask("acme", "ses-1", "art_1")
Operation = Callable[..., Outcome]


class Queue:
    def __init__(self, fails: bool = False) -> None:
        self.hidden: list[tuple[str, int]] = []
        self._fails = fails

    def hide(self, receipt_handle: str, seconds: int) -> None:
        if self._fails:
            raise ConnectionError("SQS is away")
        self.hidden.append((receipt_handle, seconds))


def message(name: str, attempt: int = 1) -> dict[str, Any]:
    return {
        "messageId": name,
        "receiptHandle": f"receipt of {name}",
        "body": body_of(TASK),
        "attributes": {"ApproximateReceiveCount": str(attempt)},
    }


def delivered(operation: Operation, *messages: dict[str, Any], queue: Queue | None = None) -> list[str]:
    """The messages that are to come again."""
    wired = SimpleNamespace(stack="stack", service=None, profile_queue=queue or Queue())
    door = QueueDoor(Verb.PROFILE_ARTIFACT, operation=operation, wire=lambda: wired)
    answered = door.serve({"Records": list(messages)}, lambda: wired, remaining_seconds=899.9)
    return [each["itemIdentifier"] for each in answered["batchItemFailures"]]


@pytest.mark.parametrize(
    ("outcome", "again"),
    [
        (Outcome.READY, []),
        (Outcome.FAILED, []),
        (Outcome.DONE_BEFORE, []),
        (Outcome.UNKNOWN, []),
        (Outcome.GIVEN_UP, ["m"]),
    ],
)
def test_a_message_comes_again_only_when_the_service_gave_up(outcome: Outcome, again: list[str]) -> None:
    assert delivered(lambda _service, task, attempt: outcome, message("m")) == again


def test_one_message_that_fails_does_not_bring_the_others_back() -> None:
    outcomes = iter([Outcome.READY, None, Outcome.READY])

    def operation(_service: object, task: ProfilingTask, attempt: int) -> Outcome:
        if outcome := next(outcomes):
            return outcome
        raise ValueError("unforeseen")

    assert delivered(operation, message("a"), message("b"), message("c")) == ["b"]


def test_the_operation_is_told_the_task_and_which_attempt_it_is() -> None:
    told = []

    def operation(_service: object, task: ProfilingTask, attempt: int) -> Outcome:
        told.append((task, attempt))
        return Outcome.READY

    delivered(operation, message("m", attempt=3))
    assert told == [(TASK, 3)]


def test_a_message_in_work_is_hidden_until_after_the_end_of_the_run() -> None:
    queue = Queue()
    delivered(lambda _service, task, attempt: Outcome.READY, message("m"), queue=queue)
    assert queue.hidden == [("receipt of m", 929)]


def test_a_message_that_was_given_up_is_a_dead_letter_at_once() -> None:
    queue = Queue()
    delivered(lambda _service, task, attempt: Outcome.GIVEN_UP, message("m"), queue=queue)
    assert [seconds for _, seconds in queue.hidden] == [929, 0]


def test_a_queue_that_does_not_answer_stops_no_work() -> None:
    assert delivered(lambda _service, task, attempt: Outcome.READY, message("m"), queue=Queue(fails=True)) == []


def test_one_line_is_logged_for_each_message_with_its_task_and_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    wired = SimpleNamespace(stack="stack", service=None, profile_queue=Queue())
    door = QueueDoor(Verb.PROFILE_ARTIFACT, operation=lambda _service, task, attempt: Outcome.READY, wire=lambda: wired)
    monkeypatch.setattr(door._logger.registered_handler, "stream", stream)
    door.serve({"Records": [message("m")]}, lambda: wired, 900, request_id="r")
    (line,) = (json.loads(text) for text in stream.getvalue().splitlines())
    wanted = {"message": "ready", "owner": "acme", "artifact_id": "art_1", "attempt": 1, "request_id": "r"}
    assert {name: line[name] for name in wanted} == wanted
