"""What the project relies on of queues that feed functions, in both emulators."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.emulator import Emulator
from tests.support.cloud import EMULATORS
from tests.support.emulator_clients import Client, clients_of

# Fails what is told to fail, and has it come again at once; tells the attempts of everything by a queue of its own.
HANDLER = """
import boto3, os

def handler(event, context):
    sqs = boto3.client("sqs")
    (record,) = event["Records"]
    told = record["body"] + " " + record["attributes"]["ApproximateReceiveCount"]
    sqs.send_message(QueueUrl=os.environ["TOLD"], MessageBody=told)
    if record["body"] == "good":
        return {"batchItemFailures": []}
    sqs.change_message_visibility(
        QueueUrl=os.environ["QUEUE"], ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
    )
    return {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
"""
DELIVERIES = 3
PATIENCE_SECONDS = 60.0


@pytest.fixture(scope="module", params=EMULATORS)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    state: Path = tmp_path_factory.mktemp(request.param)
    emulator: Emulator
    with EMULATORS[request.param](state) as emulator:
        yield clients_of(emulator)


def a_queue(client: Client, name: str, **attributes: str) -> tuple[str, str]:
    """URL and ARN."""
    sqs = client("sqs")
    url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    return url, sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]


def taken(client: Client, url: str, count: int) -> list[str]:
    """That many messages of the queue, in any order; fewer when no more come in time."""
    sqs, bodies, ends = client("sqs"), [], time.monotonic() + PATIENCE_SECONDS
    while len(bodies) < count and time.monotonic() < ends:
        for message in sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages", []):
            bodies.append(message["Body"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return sorted(bodies)


def zipped(source: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("index.py", source)
    return content.getvalue()


def test_a_failed_message_comes_again_when_the_function_says_until_it_is_a_dead_letter(client: Client) -> None:
    told, _ = a_queue(client, "told")
    dead, dead_arn = a_queue(client, "dead")
    redrive = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": DELIVERIES})
    queue, queue_arn = a_queue(client, "work", VisibilityTimeout="600", RedrivePolicy=redrive)
    functions = client("lambda")
    functions.create_function(
        FunctionName="worker",
        Runtime="python3.13",
        Role=client("iam").create_role(RoleName="works", AssumeRolePolicyDocument="{}")["Role"]["Arn"],
        Handler="index.handler",
        Code={"ZipFile": zipped(HANDLER)},
        Timeout=30,
        Environment={"Variables": {"QUEUE": queue, "TOLD": told}},
    )
    functions.get_waiter("function_active_v2").wait(FunctionName="worker")
    functions.create_event_source_mapping(
        FunctionName="worker",
        EventSourceArn=queue_arn,
        BatchSize=1,
        FunctionResponseTypes=["ReportBatchItemFailures"],
    )
    for body in ("bad", "good"):
        client("sqs").send_message(QueueUrl=queue, MessageBody=body)
    assert taken(client, dead, 1) == ["bad"]
    assert taken(client, told, DELIVERIES + 1) == ["bad 1", "bad 2", "bad 3", "good 1"]
