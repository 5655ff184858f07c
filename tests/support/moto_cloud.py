"""The whole service in this process: every handler's door, on S3 and DynamoDB as moto serves them over real HTTP.

A test asks for the fixture ``cloud`` (import it and ``moto_server`` in the folder's conftest.py); it gets a bucket
and a table of its own on a server that the whole run shares.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any
from unittest.mock import patch

import pytest
from moto.server import ThreadedMotoServer

from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.transport import InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain import names
from session_datasets.domain.keyring import Keyring, SigningKey
from session_datasets.domain.limits import PROFILE_TRIES_MAX, PROFILED_AT_ONCE_BYTES_MAX
from session_datasets.domain.names import Verb
from session_datasets.formats.tables import ArrowTables
from session_datasets.operations import register_artifact
from session_datasets.runtime.door import Door
from session_datasets.runtime.queue_door import QueueDoor
from session_datasets.runtime.settings import Settings
from session_datasets.runtime.wiring import Wired, wired
from session_datasets.storage.aws import dynamodb_client, s3_client, sqs_client
from tests.support.sessions import Answer

STACK = "session-datasets-test"
UNHURRIED_SECONDS = 600
KEYRING = Keyring(SigningKey("test", "0123456789abcdef0123456789abcdef"))


class MotoCloud:
    """One deployment on the moto server at ``endpoint``: its own bucket and table, its doors, its clients."""

    def __init__(
        self,
        endpoint: str,
        keyring: Keyring = KEYRING,
        *,
        profiled_at_once_bytes: int = PROFILED_AT_ONCE_BYTES_MAX,
    ) -> None:
        self.endpoint = endpoint
        self.bucket = f"workspaces-{uuid.uuid4().hex}"
        self.table = f"records-{uuid.uuid4().hex}"
        self.s3, self.dynamodb, self.sqs = _clients(endpoint)
        self._create_bucket()
        self._create_table()
        self.dead_letters = self._create_queue()
        self.queue = self._create_queue(dead_letters=self.dead_letters)
        self._settings = Settings(
            stack=STACK,
            signing_key_secret="",
            bucket=self.bucket,
            table=self.table,
            profile_queue=self.queue,
            profiled_at_once_bytes=profiled_at_once_bytes,
        )
        self._keyring = keyring
        self.restart()

    def restart(self) -> None:
        """A new process behind the doors: whatever the old one remembered is gone."""
        stores = (self.s3, self.dynamodb, self.sqs)
        self.wired: Wired = wired(self._settings, lambda: self._keyring, *stores, ArrowTables())

    def call(self, verb: str, body: Any) -> dict[str, Any]:
        """One exchange as the deployed function would have it; a refusal comes back under ``problem``."""
        return door(Verb(verb)).serve(body, lambda: self.wired)

    @contextmanager
    def failing_when_asked(self) -> Iterator[None]:
        """While it lasts, any request to S3 or DynamoDB fails the test."""

        def fail(**_: Any) -> None:
            pytest.fail("a store was asked")

        events = [client.meta.events for client in (self.s3, self.dynamodb)]
        for each in events:
            each.register_first("before-send.*.*", fail)
        try:
            yield
        finally:
            # The clients are those of all tests.
            for each in events:
                each.unregister("before-send.*.*", fail)

    @contextmanager
    def counted_requests(self) -> Iterator[Counter[str]]:
        """Counts what is sent to S3 and DynamoDB while it lasts, by operation: ``s3.GetObject``."""
        counts: Counter[str] = Counter()

        def count(event_name: str, **_: Any) -> None:
            counts[event_name.removeprefix("before-send.")] += 1

        events = [client.meta.events for client in (self.s3, self.dynamodb)]
        for each in events:
            each.register("before-send.*.*", count)
        # Ranges do not go through boto3.
        straight = self.wired.service.derived._gets._connections  # type: ignore[attr-defined]
        asked = straight.get

        def ranged(*arguments: Any) -> Any:
            counts["s3.GetObject"] += 1
            return asked(*arguments)

        try:
            with patch.object(straight, "get", ranged):
                yield counts
        finally:
            for each in events:
                each.unregister("before-send.*.*", count)

    def run_profiling(self) -> list[Answer]:
        """Delivers the messages that are visible, as Lambda would: one at a time, deleted unless they failed.

        Answers what the function answered to each.
        """
        answers = []
        while record := self.take_message():
            answers.append(self.deliver(record))
        return answers

    def take_message(self) -> dict[str, Any] | None:
        """The next visible message as the event of a function shows it; it is hidden for a while."""
        received = self.sqs.receive_message(
            QueueUrl=self.queue,
            MessageSystemAttributeNames=["ApproximateReceiveCount"],
            MessageAttributeNames=["All"],
        )
        for message in received.get("Messages", []):
            return {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": {
                    name: {"stringValue": each["StringValue"], "dataType": each["DataType"]}
                    for name, each in message.get("MessageAttributes", {}).items()
                },
                "eventSource": "aws:sqs",
            }
        return None

    def deliver(self, record: dict[str, Any]) -> Answer:
        answered = profiling_door().serve({"Records": [record]}, lambda: self.wired, remaining_seconds=900)
        if not answered["batchItemFailures"]:
            self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=record["receiptHandle"])
        return answered

    def waiting_messages(self, queue: str | None = None) -> int:
        """Messages of the queue (that of profiles when None), visible or not."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        counts = self.sqs.get_queue_attributes(QueueUrl=queue or self.queue, AttributeNames=names)["Attributes"]
        return sum(int(counts[name]) for name in names)

    def transport(self) -> InProcessTransport:
        return InProcessTransport(self.call)

    def orchestrator(self) -> Orchestrator:
        return Orchestrator(self.transport())

    def open(
        self,
        *,
        owner: str = "acme",
        conversation_id: str | None = None,
        run_id: str | None = None,
        node: str = "node",
        directory: Path | None = None,
        **more: Any,
    ) -> Workspace:
        """A new session's workspace; of the conversation ``chat`` when neither conversation nor run is named."""
        if conversation_id is None and run_id is None:
            conversation_id = "chat"
        session = self.orchestrator().open_session(
            owner=owner, conversation_id=conversation_id, run_id=run_id, node=node, **more
        )
        return session.workspace(directory)

    def token(self, **scope: Any) -> str:
        """The access token of a new session, for tests that speak the wire themselves."""
        return self.open(**scope).token

    def environment(self) -> Mapping[str, str]:
        """What points boto3 at this cloud."""
        return _environment(self.endpoint)

    def _create_bucket(self) -> None:
        self.s3.create_bucket(Bucket=self.bucket)
        self.s3.put_bucket_versioning(Bucket=self.bucket, VersioningConfiguration={"Status": "Enabled"})

    def _create_queue(self, dead_letters: str | None = None) -> str:
        attributes = {"VisibilityTimeout": "5400"}
        if dead_letters:
            names = ["QueueArn"]
            found = self.sqs.get_queue_attributes(QueueUrl=dead_letters, AttributeNames=names)["Attributes"]
            redrive = {"deadLetterTargetArn": found["QueueArn"], "maxReceiveCount": PROFILE_TRIES_MAX + 1}
            attributes["RedrivePolicy"] = json.dumps(redrive)
        created = self.sqs.create_queue(QueueName=f"profiles-{uuid.uuid4().hex}", Attributes=attributes)
        return str(created["QueueUrl"])

    def _create_table(self) -> None:
        indexes = {names.CONVERSATION_INDEX: names.CONVERSATION_KEY, names.RUN_INDEX: names.RUN_KEY}
        attributes = [names.PARTITION_KEY, names.SORT_KEY, *indexes.values()]
        projection = {"ProjectionType": "INCLUDE", "NonKeyAttributes": [names.SUMMARY_ATTRIBUTE]}
        self.dynamodb.create_table(
            TableName=self.table,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in attributes],
            KeySchema=_keys(names.PARTITION_KEY),
            GlobalSecondaryIndexes=[
                {"IndexName": index, "KeySchema": _keys(key), "Projection": projection}
                for index, key in indexes.items()
            ],
        )


def _environment(endpoint: str) -> Mapping[str, str]:
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@cache
def _clients(endpoint: str) -> tuple[Any, Any, Any]:
    """S3, DynamoDB and SQS; making a client costs more than most tests, so a server's tests share them."""
    with patch.dict(os.environ, _environment(endpoint)):
        return s3_client(), _in_turn(dynamodb_client()), sqs_client()


def _in_turn(dynamodb: Any) -> Any:
    """moto checks a condition and writes in two steps, DynamoDB does both in one: so calls take turns."""
    turn, call = RLock(), dynamodb._make_api_call

    def call_in_turn(operation: str, parameters: Any) -> Any:
        with turn:
            return call(operation, parameters)

    dynamodb._make_api_call = call_in_turn
    return dynamodb


def _keys(partition: str) -> list[dict[str, str]]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": names.SORT_KEY, "KeyType": "RANGE"},
    ]


def door(verb: Verb) -> Door[Any]:
    """The door that the verb's Lambda function has as its handler."""
    handler: Door[Any] = importlib.import_module(f"lambdas.{verb.value}.handler").handler
    return handler


def profiling_door() -> QueueDoor:
    """The door of profile_artifact."""
    handler: QueueDoor = importlib.import_module("lambdas.profile_artifact.handler").handler
    return handler


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    """The URL of a moto server on a free port of the loopback interface."""
    # One line a request says nothing that a failed assertion does not.
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    # Nothing goes to the queue because this machine is busy.
    with patch.object(register_artifact, "PROFILED_AT_ONCE_SECONDS_MAX", UNHURRIED_SECONDS):
        yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def cloud(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server)
