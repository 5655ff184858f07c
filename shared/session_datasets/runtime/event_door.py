"""What the doors of functions that nobody calls have in common: Lambda's entry, the log, the metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

from session_datasets.domain import metrics
from session_datasets.domain.names import METRICS_NAMESPACE, Verb
from session_datasets.runtime.log import log_of
from session_datasets.runtime.tracing import traced
from session_datasets.storage.deadline import answering_within

Event = dict[str, Any]


class EventDoor(ABC):
    """One verb's Lambda handler for a batch of events; answers which of them are to come again."""

    def __init__(self, verb: Verb) -> None:
        self._logger = log_of(verb)
        self._metrics = Metrics(namespace=METRICS_NAMESPACE, service=verb.value)
        self._is_cold = True
        self._handle = traced(verb)(self._metrics.log_metrics(self._called))

    def __call__(self, event: Event, context: Any) -> dict[str, Any]:
        """The Lambda entry point."""
        answered: dict[str, Any] = self._handle(event, context)
        return answered

    def _called(self, event: Event, context: Any) -> dict[str, Any]:
        if self._is_cold:
            self._is_cold = False
            self._count(metrics.COLD_STARTS)
        remaining_seconds = context.get_remaining_time_in_millis() / 1000
        with answering_within(remaining_seconds):
            return self._serve_call(event, remaining_seconds, context.aws_request_id)

    @abstractmethod
    def _serve_call(self, event: Event, remaining_seconds: float, request_id: str) -> dict[str, Any]:
        """The exchange itself."""

    def _count(self, name: str, value: int = 1) -> None:
        self._metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)
