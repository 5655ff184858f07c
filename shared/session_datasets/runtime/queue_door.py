"""The door of a function that works off a queue: one message in, and whether it is done with.

What a message asks for is idempotent; so a failure of any kind leaves the message in the queue, which delivers it
again, and after the last try hands it to the queue of dead letters.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from session_datasets.domain import metrics
from session_datasets.domain.correlation import standing
from session_datasets.domain.limits import PROFILE_RETRY_SECONDS
from session_datasets.domain.names import Verb
from session_datasets.domain.scope import Scope
from session_datasets.operations.profile_artifact import Outcome
from session_datasets.runtime.event_door import Event, EventDoor
from session_datasets.runtime.wiring import Wired
from session_datasets.storage.deadline import clearing_up
from session_datasets.storage.faults import is_denied
from session_datasets.storage.narrowing import acting_for
from session_datasets.storage.profile_queue import correlation_of, task_of

# Seconds beyond the end of this run in which nobody else gets its message: when the run dies, the message comes again
# soon, and not after the queue's own time, which is for messages that wait in front of a busy function.
_HIDDEN_LONGER_SECONDS = 30


class QueueDoor(EventDoor):
    """One verb's Lambda handler for messages of SQS. ``wire`` builds what the operation works on."""

    def __init__(self, verb: Verb, *, operation: Callable[..., Outcome], wire: Callable[[], Wired]) -> None:
        super().__init__(verb)
        self._operation = operation
        self._wire = wire

    def _serve_call(self, event: Event, remaining_seconds: float, request_id: str) -> dict[str, Any]:
        return self.serve(event, self._wire, remaining_seconds, request_id=request_id)

    def serve(
        self, event: Event, wire: Callable[[], Wired], remaining_seconds: float, request_id: str = ""
    ) -> dict[str, Any]:
        """The whole exchange without Lambda around it."""
        failed = [
            {"itemIdentifier": record["messageId"]}
            for record in event["Records"]
            if not self._is_done(record, wire, remaining_seconds, request_id)
        ]
        return {"batchItemFailures": failed}

    def _is_done(self, record: Event, wire: Callable[[], Wired], remaining_seconds: float, request_id: str) -> bool:
        attempt = int(record["attributes"]["ApproximateReceiveCount"])
        self._logger.clear_state()
        self._logger.append_keys(request_id=request_id, message_id=record["messageId"], attempt=attempt)
        correlation_id = correlation_of(record)
        if correlation_id:
            self._logger.append_keys(correlation_id=correlation_id)
        began = time.perf_counter()
        outcome: Outcome | None = None
        wired = wire()
        try:
            self._metrics.set_default_dimensions(stack=wired.stack)
            self._hide(record, wired, int(remaining_seconds) + _HIDDEN_LONGER_SECONDS)
            task = task_of(record["body"])
            self._logger.append_keys(**asdict(task))
            with standing(correlation_id), acting_for(Scope(task.owner, task.session_id, None, None)):
                outcome = self._operation(wired.service, task=task, attempt=attempt)
            if outcome is Outcome.GIVEN_UP:
                # Straight to the dead letters.
                self._hide(record, wired, 0)
        except Exception as error:
            if is_denied(error):
                self._count(metrics.DENIED)
            self._logger.error("unforeseen failure", exc_info=error)
            self._hide(record, wired, PROFILE_RETRY_SECONDS)
        self._tell(outcome, began)
        return outcome not in (None, Outcome.GIVEN_UP)

    def _hide(self, record: Event, wired: Wired, seconds: int) -> None:
        """Lets the message come again after ``seconds``; in vain where it was deleted, or SQS is busy, and then it
        comes again when the queue says."""
        try:
            with clearing_up():
                wired.profile_queue.hide(record["receiptHandle"], seconds)
        except Exception as error:
            self._logger.warning("the message keeps its time", exc_info=error)

    def _tell(self, outcome: Outcome | None, began: float) -> None:
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        self._count(metrics.CALLS)
        if outcome is Outcome.FAILED:
            self._count(metrics.PROBLEMS)
        if outcome in (None, Outcome.GIVEN_UP):
            self._count(metrics.FAILURES)
        self._logger.info(outcome or "comes again", extra={"milliseconds": milliseconds})
