"""The door of a function that follows the table's stream: changes in, and from which one on they are to come again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from aws_lambda_powertools import Logger, Metrics
from aws_lambda_powertools.metrics import MetricUnit

from session_datasets.domain import metrics
from session_datasets.domain.events import Change
from session_datasets.domain.names import METRICS_NAMESPACE, Verb
from session_datasets.runtime.tracing import traced
from session_datasets.storage.deadline import answering_within
from session_datasets.storage.record_changes import UnreadableChange, change_of

Event = dict[str, Any]


class StreamStopped(Exception):
    """Nothing of the batch could be done."""


class Following(Protocol):
    """What the operation works on, and the stack to count for."""

    @property
    def stack(self) -> str: ...

    @property
    def bus(self) -> Any: ...


class StreamDoor:
    """One verb's Lambda handler for records of a stream. ``wire`` builds what the operation works on."""

    def __init__(self, verb: Verb, *, operation: Callable[..., int], wire: Callable[[], Following]) -> None:
        self._operation = operation
        self._wire = wire
        self._logger = Logger(service=verb.value)
        self._metrics = Metrics(namespace=METRICS_NAMESPACE, service=verb.value)
        self._is_cold = True
        self._handle = traced(verb)(self._metrics.log_metrics(self._called))

    def __call__(self, event: Event, context: Any) -> dict[str, Any]:
        """The Lambda entry point; answers the record from which on they are to come again."""
        answered: dict[str, Any] = self._handle(event, context)
        return answered

    def _called(self, event: Event, context: Any) -> dict[str, Any]:
        if self._is_cold:
            self._is_cold = False
            self._count(metrics.COLD_STARTS)
        with answering_within(context.get_remaining_time_in_millis() / 1000):
            return self.serve(event, self._wire, request_id=context.aws_request_id)

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

    def _count(self, name: str, value: int = 1) -> None:
        self._metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def _keys(record: Event) -> Any:
    told = record.get("dynamodb")
    return told.get("Keys") if isinstance(told, dict) else None
