"""What the project relies on of streams, buses, notifications and dead letters, in both emulators."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from botocore.exceptions import ClientError

from infra.local.emulator import Emulator
from infra.local.redrive import move_back
from tests.local.test_queues_of_emulators import a_queue, zipped
from tests.support.cloud import EMULATORS
from tests.support.emulator_clients import Client, clients_of

Json = dict[str, Any]

# Tells every record of a stream by a queue; of items called "bad" it says that they failed.
HANDLER = """
import boto3, json, os

def handler(event, context):
    for record in event["Records"]:
        if record["dynamodb"]["Keys"]["id"]["S"] == "bad":
            return {"batchItemFailures": [{"itemIdentifier": record["dynamodb"]["SequenceNumber"]}]}
        boto3.client("sqs").send_message(QueueUrl=os.environ["TOLD"], MessageBody=json.dumps(record))
    return {"batchItemFailures": []}
"""
PATIENCE_SECONDS = 60.0
in_localstack = pytest.mark.parametrize("client", ["localstack"], indirect=True)


@pytest.fixture(scope="module", params=EMULATORS)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    emulator: Emulator
    with EMULATORS[request.param](tmp_path_factory.mktemp(request.param)) as emulator:
        yield clients_of(emulator)


def received(client: Client, url: str, count: int) -> list[Json]:
    """That many messages of the queue; fewer when no more come in time."""
    sqs, bodies, ends = client("sqs"), [], time.monotonic() + PATIENCE_SECONDS
    while len(bodies) < count and time.monotonic() < ends:
        for message in sqs.receive_message(QueueUrl=url, WaitTimeSeconds=1).get("Messages", []):
            bodies.append(json.loads(message["Body"]))
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    return bodies


def a_streamed_table(client: Client, name: str) -> str:
    """ARN of its stream."""
    made = client("dynamodb").create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    return str(made["TableDescription"]["LatestStreamArn"])


def a_listener(client: Client, name: str, stream: str, **mapping: Any) -> str:
    """URL of the queue that tells what a function reads of the stream."""
    told, _ = a_queue(client, f"{name}-told")
    functions = client("lambda")
    functions.create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=client("iam").create_role(RoleName=name, AssumeRolePolicyDocument="{}")["Role"]["Arn"],
        Handler="index.handler",
        Code={"ZipFile": zipped(HANDLER)},
        Timeout=30,
        Environment={"Variables": {"TOLD": told}},
    )
    functions.get_waiter("function_active_v2").wait(FunctionName=name)
    functions.create_event_source_mapping(
        FunctionName=name,
        EventSourceArn=stream,
        StartingPosition="TRIM_HORIZON",
        BatchSize=100,
        FunctionResponseTypes=["ReportBatchItemFailures"],
        **mapping,
    )
    return told


def put(client: Client, table: str, id_: str, value: str) -> None:
    client("dynamodb").put_item(TableName=table, Item={"id": {"S": id_}, "value": {"S": value}})


def test_a_function_sees_every_change_of_a_table_in_order_with_what_was_before(client: Client) -> None:
    told = a_listener(client, "watches", a_streamed_table(client, "watched"))
    put(client, "watched", "a", "first")
    with pytest.raises(ClientError):
        refused_transaction(client, "watched")
    key = {"id": {"S": "a"}}
    client("dynamodb").update_item(
        TableName="watched",
        Key=key,
        UpdateExpression="SET #value = :value",
        ExpressionAttributeNames={"#value": "value"},
        ExpressionAttributeValues={":value": {"S": "second"}},
    )
    client("dynamodb").delete_item(TableName="watched", Key=key)
    records = received(client, told, 3)
    records.sort(key=lambda record: int(record["dynamodb"]["SequenceNumber"]))
    assert [(record["eventName"], *images(record)) for record in records] == [
        ("INSERT", None, "first"),
        ("MODIFY", "first", "second"),
        ("REMOVE", "second", None),
    ]


def refused_transaction(client: Client, table: str) -> None:
    absent = {"ConditionExpression": "attribute_not_exists(#id)", "ExpressionAttributeNames": {"#id": "id"}}
    puts = [{"TableName": table, "Item": {"id": {"S": id_}}, **absent} for id_ in ("never", "a")]
    client("dynamodb").transact_write_items(TransactItems=[{"Put": each} for each in puts])


def images(record: Json) -> Iterator[str | None]:
    for image in ("OldImage", "NewImage"):
        yield (record["dynamodb"].get(image) or {}).get("value", {}).get("S")


@in_localstack
def test_what_fails_too_often_is_a_dead_letter_and_does_not_stop_the_stream(client: Client) -> None:
    dead, dead_arn = a_queue(client, "dead-of-stream")
    stream = a_streamed_table(client, "poisoned")
    to_dead = {"OnFailure": {"Destination": dead_arn}}
    told = a_listener(client, "stumbles", stream, MaximumRetryAttempts=1, DestinationConfig=to_dead)
    put(client, "poisoned", "bad", "x")
    (letter,) = received(client, dead, 1)
    assert letter["DDBStreamBatchInfo"]["streamArn"] == stream
    put(client, "poisoned", "good", "y")
    assert [list(images(record)) for record in received(client, told, 1)] == [[None, "y"]]


@pytest.fixture
def told_of_objects(client: Client) -> Callable[[], list[Json]]:
    """A bucket ``told`` whose events reach a queue through a rule."""
    queue, arn = a_queue(client, "objects")
    s3, events = client("s3"), client("events")
    s3.create_bucket(Bucket="told")
    s3.put_bucket_versioning(Bucket="told", VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_notification_configuration(Bucket="told", NotificationConfiguration={"EventBridgeConfiguration": {}})
    pattern = {
        "source": ["aws.s3"],
        "detail-type": ["Object Deleted", "Object Created"],
        "detail": {"bucket": {"name": ["told"]}, "object": {"key": [{"wildcard": "*/runs/*/datasets/*"}]}},
    }
    events.put_rule(Name="objects", EventPattern=json.dumps(pattern))
    events.put_targets(Rule="objects", Targets=[{"Id": "queue", "Arn": arn}])
    return lambda: received(client, queue, 3)


def test_what_becomes_of_objects_is_told_with_their_versions(
    client: Client, told_of_objects: Callable[[], list[Json]]
) -> None:
    s3, key = client("s3"), "acme/runs/r/s/datasets/a b.csv"
    s3.put_object(Bucket="told", Key="acme/runs/r/s/other/a", Body=b"1")
    version = s3.put_object(Bucket="told", Key=key, Body=b"1")["VersionId"]
    marker = s3.delete_object(Bucket="told", Key=key)["VersionId"]
    s3.delete_objects(Bucket="told", Delete={"Objects": [{"Key": key, "VersionId": version}]})
    told = [event["detail"] | {"type": event["detail-type"]} for event in told_of_objects()]
    # LocalStack spells them as a URL does, S3 as they are; a key of ours has no character that is spelled so.
    assert {unquote(each["object"]["key"]) for each in told} == {key}
    assert {(each["type"], each.get("deletion-type"), each["object"]["version-id"]) for each in told} == {
        ("Object Created", None, version),
        ("Object Deleted", "Delete Marker Created", marker),
        ("Object Deleted", "Permanently Deleted", version),
    }


def test_a_bus_hands_an_event_to_the_rules_that_match_it(client: Client) -> None:
    queue, arn = a_queue(client, "of-bus")
    events = client("events")
    events.create_event_bus(Name="own")
    events.put_rule(Name="ready", EventBusName="own", EventPattern=json.dumps({"detail-type": ["Ready"]}))
    events.put_targets(Rule="ready", EventBusName="own", Targets=[{"Id": "queue", "Arn": arn}])
    entries = [
        {"EventBusName": "own", "Source": "us", "DetailType": type_, "Detail": json.dumps({"id": type_})}
        for type_ in ("Other", "Ready")
    ]
    assert events.put_events(Entries=entries)["FailedEntryCount"] == 0
    (event,) = received(client, queue, 1)
    assert (event["source"], event["detail"]) == ("us", {"id": "Ready"})


@in_localstack
def test_dead_letters_are_moved_back_to_where_they_came_from(client: Client) -> None:
    dead, dead_arn = a_queue(client, "moved-dead")
    redrive = json.dumps({"deadLetterTargetArn": dead_arn, "maxReceiveCount": 1})
    queue, _ = a_queue(client, "moved", VisibilityTimeout="0", RedrivePolicy=redrive)
    sqs = client("sqs")
    sqs.send_message(QueueUrl=queue, MessageBody='"bad"')
    ends = time.monotonic() + PATIENCE_SECONDS
    while not waiting(client, dead) and time.monotonic() < ends:
        sqs.receive_message(QueueUrl=queue, VisibilityTimeout=0)
    assert move_back(sqs, dead, queue) == 1
    assert received(client, queue, 1) == ["bad"]
    assert move_back(sqs, dead, queue) == 0


def waiting(client: Client, url: str) -> int:
    name = "ApproximateNumberOfMessages"
    return int(client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])
