"""The door of a function that follows the table's stream: changes in, and from which one on they are to come again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from session_datasets.domain import metrics
from session_datasets.domain.events import Change
from session_datasets.domain.names import Verb
from session_datasets.runtime.event_door import Event, EventDoor
from session_datasets.storage.record_changes import UnreadableChange, change_of


class StreamStopped(Exception):
    """Nothing of the batch could be done."""


class Following(Protocol):
    """What the operation works on, and the stack to count for."""

    @property
    def stack(self) -> str: ...

    @property
    def bus(self) -> Any: ...


class StreamDoor(EventDoor):
    """One verb's Lambda handler for records of a stream. ``wire`` builds what the operation works on."""

    def __init__(self, verb: Verb, *, operation: Callable[..., int], wire: Callable[[], Following]) -> None:
        super().__init__(verb)
        self._operation = operation
        self._wire = wire

    def _serve_call(self, event: Event, remaining_seconds: float, request_id: str) -> dict[str, Any]:
        return self.serve(event, self._wire, request_id=request_id)

    def serve(self, event: Event, wire: Callable[[], Following], request_id: str = "") -> dict[str, Any]:
        """The whole exchange without Lambda around it.

        Raises StreamStopped when already the first of several records fails: Lambda then halves the batch, until what
        fails stands alone and can become a dead letter without the others.
        """
        self._logger.clear_state()
        self._logger.append_keys(request_id=request_id)
        began = time.perf_counter()
        following = wire()
        self._metrics.set_default_dimensions(stack=following.stack)
        records = event["Records"]
        changes = self._readable(records)
        done = self._done(following, changes)
        self._tell(len(records), done, began)
        if done == len(records):
            return {"batchItemFailures": []}
        if done == 0 and len(records) > 1:
            raise StreamStopped("The first record of the batch failed; the log says why.")
        return {"batchItemFailures": [{"itemIdentifier": records[done]["dynamodb"]["SequenceNumber"]}]}

    def _readable(self, records: list[Event]) -> list[Change]:
        """Those before the first that can not be read."""
        changes: list[Change] = []
        for record in records:
            try:
                changes.append(change_of(record))
            except UnreadableChange as error:
                self._logger.error("unreadable change", extra={"keys": _keys(record)}, exc_info=error)
                break
        return changes

    def _done(self, following: Following, changes: list[Change]) -> int:
        try:
            return self._operation(following.bus, changes=changes)
        except Exception as error:
            self._logger.error("unforeseen failure", exc_info=error)
            return 0

    def _tell(self, records: int, done: int, began: float) -> None:
        self._count(metrics.CALLS)
        self._count(metrics.CHANGES_TOLD, done)
        if done < records:
            self._count(metrics.FAILURES)
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        self._logger.info("told", extra={"milliseconds": milliseconds, "changes": records, "done": done})


def _keys(record: Event) -> Any:
    told = record.get("dynamodb")
    return told.get("Keys") if isinstance(told, dict) else None
