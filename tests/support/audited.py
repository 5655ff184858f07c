"""The two functions that nobody calls, on an in-process cloud: what S3 and the table tell reaches their doors."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import boto3

from session_datasets.domain.events import Event
from session_datasets.domain.names import EVENT_SOURCE
from session_datasets.runtime.audit_door import AuditDoor
from session_datasets.runtime.audit_wiring import Auditing, audited
from session_datasets.runtime.events_wiring import Publishing
from session_datasets.runtime.settings import Settings
from session_datasets.runtime.stream_door import StreamDoor
from session_datasets.storage.event_bus import EventBridgeBus
from session_datasets.wire.events import detail_of
from tests.support.moto_cloud import STACK, MotoCloud

Json = dict[str, Any]
Clock = Callable[[], datetime]
DONE: Json = {"batchItemFailures": []}


@dataclass
class HeldBus:
    """A client of EventBridge that holds what it is given. ``refusing`` says of an entry that it fails."""

    entries: list[Json] = field(default_factory=list)
    refusing: Callable[[Json], bool] = lambda _: False

    def put_events(self, Entries: Sequence[Json]) -> Json:
        results = []
        for entry in Entries:
            if self.refusing(entry):
                results.append({"ErrorCode": "ThrottlingException", "ErrorMessage": "slower"})
            else:
                self.entries.append(entry)
                results.append({"EventId": "of-eventbridge"})
        return {"FailedEntryCount": sum("ErrorCode" in each for each in results), "Entries": results}

    @property
    def told(self) -> list[tuple[str, Json]]:
        """Type and detail of each, as a consumer gets them."""
        assert {(each["EventBusName"], each["Source"]) for each in self.entries} <= {("bus", EVENT_SOURCE)}
        return [(each["DetailType"], json.loads(each["Detail"])) for each in self.entries]


class Followed:
    """The stream of a cloud's table from now on, and the function that follows it."""

    def __init__(self, cloud: MotoCloud, detail: Callable[[Event], Json] = detail_of) -> None:
        self.bus = HeldBus()
        self._publishing = Publishing(STACK, EventBridgeBus(self.bus, "bus", detail))
        specification = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        made = cloud.dynamodb.update_table(TableName=cloud.table, StreamSpecification=specification)
        with patch.dict(os.environ, cloud.environment()):
            self._streams = boto3.client("dynamodbstreams")
        stream = made["TableDescription"]["LatestStreamArn"]
        (shard,) = self._streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
        self._where = {"StreamArn": stream, "ShardId": shard["ShardId"]}
        self._seen = 0

    def records(self) -> list[Json]:
        """What was written since the last look, as Lambda hands it over."""
        begins = self._streams.get_shard_iterator(**self._where, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
        records = self._streams.get_records(ShardIterator=begins)["Records"]
        new, self._seen = records[self._seen :], len(records)
        return [_as_lambda_does(each) for each in new]

    def publish(self, records: Sequence[Json] | None = None) -> Json:
        """One batch at the door: everything new, when nothing is given."""
        batch = self.records() if records is None else list(records)
        return publishing_door().serve({"Records": batch}, lambda: self._publishing)


def _as_lambda_does(record: Json) -> Json:
    told = dict(record["dynamodb"])
    told["ApproximateCreationDateTime"] = told["ApproximateCreationDateTime"].timestamp()
    return {**record, "dynamodb": told}


class Audited:
    """The audit of a cloud; what it sends to its own queue is delivered with ``run``."""

    def __init__(self, cloud: MotoCloud, now: Clock = lambda: datetime.now(UTC)) -> None:
        self.cloud = cloud
        self.queue = cloud.sqs.create_queue(QueueName=f"audits-{uuid4().hex}")["QueueUrl"]
        settings = Settings(
            stack=STACK, signing_key_secret="", bucket=cloud.bucket, table=cloud.table, audit_queue=self.queue
        )
        wired = audited(settings, (cloud.s3, cloud.dynamodb), cloud.s3, cloud.dynamodb, cloud.sqs)
        self.auditing: Auditing = replace(wired, audit=replace(wired.audit, clock=now))

    def deliver(self, *bodies: Any) -> list[str]:
        """One batch at the door, message by message named ``0``, ``1``, …; those that come again."""
        records = [message(str(number), body) for number, body in enumerate(bodies)]
        answered = audit_door().serve({"Records": records}, lambda: self.auditing)
        return [each["itemIdentifier"] for each in answered["batchItemFailures"]]

    def news(self, key: str, version_id: str | None = None, detail_type: str = "Object Deleted") -> Json:
        """As EventBridge delivers it."""
        object_ = {"key": key, "sequencer": "0062E99A88DC407460"}
        if version_id is not None:
            object_["version-id"] = version_id
        return {
            "version": "0",
            "source": "aws.s3",
            "detail-type": detail_type,
            "detail": {"version": "0", "bucket": {"name": self.cloud.bucket}, "object": object_},
        }

    def sweep(self, pages_max: int = 1_000) -> int:
        """An audit of everything, page by page; how many messages it took."""
        self.cloud.sqs.send_message(QueueUrl=self.queue, MessageBody=json.dumps({"v": 1, "sweep": {}}))
        pages = 0
        while received := self.cloud.sqs.receive_message(QueueUrl=self.queue).get("Messages"):
            (each,) = received
            assert self.deliver(each["Body"]) == []
            self.cloud.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=each["ReceiptHandle"])
            pages += 1
            assert pages <= pages_max
        return pages

    def reports(self) -> dict[str, Json]:
        """By owner, the newest of each."""
        s3, bucket = self.cloud.s3, self.cloud.bucket
        listed = s3.list_objects_v2(Bucket=bucket, Prefix="_audit/").get("Contents", [])
        bodies = [json.loads(s3.get_object(Bucket=bucket, Key=each["Key"])["Body"].read()) for each in listed]
        return {each["owner"]: each for each in bodies}


def message(name: str, body: Any) -> Json:
    return {
        "messageId": name,
        "receiptHandle": f"receipt of {name}",
        "body": body if isinstance(body, str) else json.dumps(body),
        "attributes": {"ApproximateReceiveCount": "1"},
        "eventSource": "aws:sqs",
    }


def publishing_door() -> StreamDoor:
    handler: StreamDoor = importlib.import_module("lambdas.publish_events.handler").handler
    return handler


def audit_door() -> AuditDoor:
    handler: AuditDoor = importlib.import_module("lambdas.audit_records.handler").handler
    return handler
