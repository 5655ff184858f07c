"""The queue of profiles to be made, in SQS: what its messages say, and when one comes again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.domain.correlation import current, is_correlation_id
from session_datasets.domain.errors import Refusal
from session_datasets.domain.scope import checked_id

if TYPE_CHECKING:
    from botocore.client import BaseClient

_MESSAGE_VERSION = 1
_CORRELATION = "correlation_id"


class UnknownMessage(ValueError):
    """The text is no message of this queue."""


class SqsProfileQueue:
    """``operations.ports.ProfileQueue`` on one queue."""

    def __init__(self, sqs: BaseClient, url: str) -> None:
        self._sqs = sqs
        self._url = url

    def send(self, task: ProfilingTask) -> None:
        self._sqs.send_message(QueueUrl=self._url, MessageBody=body_of(task), **_attributes())

    def hide(self, receipt_handle: str, seconds: int) -> None:
        """Lets the message come again after ``seconds``, unless it is deleted before."""
        self._sqs.change_message_visibility(QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds)


def _attributes() -> dict[str, Any]:
    """Beside the body, whose fields a function of another version would not take."""
    correlation_id = current()
    if not correlation_id:
        return {}
    return {"MessageAttributes": {_CORRELATION: {"DataType": "String", "StringValue": correlation_id}}}


def correlation_of(record: Mapping[str, Any]) -> str:
    """That of the call which sent the message, as Lambda hands it over; empty when it carries none."""
    carried = record.get("messageAttributes", {}).get(_CORRELATION, {}).get("stringValue")
    return str(carried) if is_correlation_id(carried) else ""


def body_of(task: ProfilingTask) -> str:
    return json.dumps({"v": _MESSAGE_VERSION, **asdict(task)})


def task_of(body: str) -> ProfilingTask:
    """Raises UnknownMessage for anything that ``body_of`` did not make."""
    try:
        fields = json.loads(body)
        if fields.pop("v") != _MESSAGE_VERSION or not all(isinstance(each, str) for each in fields.values()):
            raise UnknownMessage("another version, or a field that is no text")
        # Keys and tags are made of them, as of those of a token.
        return ProfilingTask(**{name: checked_id(name, value) for name, value in fields.items()})
    except (AttributeError, KeyError, TypeError, ValueError, Refusal) as error:
        raise UnknownMessage(str(error)) from error
