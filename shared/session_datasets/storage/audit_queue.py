"""The queue of audits, in SQS: what S3 says became of objects, and the pages of an audit of everything."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from session_datasets.domain.audit import Findings, ObjectNews, Phase, Sweep
from session_datasets.storage import keys

if TYPE_CHECKING:
    from botocore.client import BaseClient

_MESSAGE_VERSION = 1
_SWEEP = "sweep"
_WRITTEN = {"Object Created": True, "Object Deleted": False}


class UnknownAuditMessage(ValueError):
    """The text is no message of this queue."""


class SqsAuditQueue:
    """``operations.audit_records.AuditQueue`` on one queue."""

    def __init__(self, sqs: BaseClient, url: str) -> None:
        self._sqs = sqs
        self._url = url

    def send(self, sweep: Sweep) -> None:
        self._sqs.send_message(QueueUrl=self._url, MessageBody=body_of(sweep))

    def hide(self, receipt_handle: str, seconds: int) -> None:
        """Lets the message come again after ``seconds``."""
        self._sqs.change_message_visibility(QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=seconds)


def body_of(sweep: Sweep) -> str:
    return json.dumps({"v": _MESSAGE_VERSION, _SWEEP: asdict(sweep)})


def wanted(body: str, bucket: str) -> ObjectNews | Sweep:
    """What a message asks for: news are of ``bucket``. Raises UnknownAuditMessage for anything else."""
    try:
        told = json.loads(body)
        return _sweep(told) if _SWEEP in told else _news(told, bucket)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnknownAuditMessage(f"{type(error).__name__}: {error}") from error


def _sweep(told: dict[str, Any]) -> Sweep:
    if told["v"] != _MESSAGE_VERSION:
        raise UnknownAuditMessage("another version")
    fields = dict(told[_SWEEP])
    for name in ("of_owner", "found"):
        fields[name] = Findings(**fields.get(name, {}))
    return Sweep(**{**fields, "phase": Phase(fields.get("phase", Phase.RECORDS))})


def _news(told: dict[str, Any], bucket: str) -> ObjectNews:
    detail = told["detail"]
    if detail["bucket"]["name"] != bucket:
        raise UnknownAuditMessage("of another bucket")
    found = detail["object"]
    # Keys of ours have no character that is spelled otherwise in a URL but '/', so either spelling is read.
    place = keys.place_of(unquote(found["key"]))
    return ObjectNews(place, found.get("version-id"), _WRITTEN[told["detail-type"]])
