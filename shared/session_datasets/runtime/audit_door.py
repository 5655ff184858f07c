"""The door of audit_records: messages of its queue in, and which of them are to come again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from session_datasets.domain import metrics
from session_datasets.domain.audit import Findings, ObjectNews, Phase, Sweep
from session_datasets.domain.limits import AUDIT_RETRY_SECONDS
from session_datasets.domain.names import Verb
from session_datasets.operations.audit_records import Audit, audit_object, audit_page
from session_datasets.runtime.audit_wiring import Auditing
from session_datasets.runtime.event_door import Event, EventDoor
from session_datasets.storage.audit_queue import wanted
from session_datasets.storage.faults import is_denied

# What is found, and the metric that counts it.
_COUNTED = {
    "records": metrics.AUDITED_RECORDS,
    "missing": metrics.MISSING_FILES,
    "restored": metrics.RESTORED_FILES,
    "files": metrics.AUDITED_FILES,
    "unregistered": metrics.UNREGISTERED_FILES,
}


class AuditDoor(EventDoor):
    """The Lambda handler. Every message is idempotent: whatever fails leaves its own message in the queue, and no
    other; after the last try it is a dead letter."""

    def __init__(self, verb: Verb, *, wire: Callable[[], Auditing]) -> None:
        super().__init__(verb)
        self._wire = wire

    def _serve_call(self, event: Event, remaining_seconds: float, request_id: str) -> dict[str, Any]:
        return self.serve(event, self._wire, request_id=request_id)

    def serve(self, event: Event, wire: Callable[[], Auditing], request_id: str = "") -> dict[str, Any]:
        """The whole exchange without Lambda around it."""
        auditing = wire()
        self._metrics.set_default_dimensions(stack=auditing.stack)
        failed = [
            {"itemIdentifier": record["messageId"]}
            for record in event["Records"]
            if not self._is_done(record, auditing, request_id)
        ]
        return {"batchItemFailures": failed}

    def _is_done(self, record: Event, auditing: Auditing, request_id: str) -> bool:
        self._logger.clear_state()
        self._logger.append_keys(request_id=request_id, message_id=record["messageId"])
        self._count(metrics.CALLS)
        began = time.perf_counter()
        try:
            found = self._found(auditing.audit, wanted(record["body"], auditing.bucket))
        except Exception as error:
            if is_denied(error):
                self._count(metrics.DENIED)
            self._count(metrics.FAILURES)
            self._logger.error("comes again", exc_info=error)
            self._hide(record, auditing)
            return False
        for name, metric in _COUNTED.items():
            if count := getattr(found, name):
                self._count(metric, count)
        milliseconds = round((time.perf_counter() - began) * 1000, 1)
        self._logger.info("audited", extra={"milliseconds": milliseconds, **_told(found)})
        return True

    def _hide(self, record: Event, auditing: Auditing) -> None:
        """In vain where SQS is busy: the message then comes again when the queue says, which is much later."""
        try:
            auditing.queue.hide(record["receiptHandle"], AUDIT_RETRY_SECONDS)
        except Exception as error:
            self._logger.warning("the message keeps its time", exc_info=error)

    def _found(self, audit: Audit, message: ObjectNews | Sweep) -> Findings:
        if isinstance(message, ObjectNews):
            if message.place is not None:
                self._logger.append_keys(owner=message.place.workspace.owner)
            return audit_object(audit, message)
        self._logger.append_keys(phase=message.phase.value, owner=message.owner)
        found, left = audit_page(audit, message)
        if message.phase is Phase.FILES and (left is None or left.owner != message.owner):
            self._logger.info("files of an owner", extra={"sweep": message.name, **_told(message.of_owner + found)})
        if left is None:
            self._logger.info("audit ended", extra={"sweep": message.name, **_told(message.found + found)})
        return found


def _told(found: Findings) -> dict[str, int]:
    return {name: count for name, count in asdict(found).items() if count}
