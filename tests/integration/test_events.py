"""Deployed functions, rules and mappings: what happens is told on the bus, and a file that is deleted is missed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import jsonschema
import pytest

from infra.local.__main__ import main
from session_datasets.wire.schemas import documents
from tests.support.deployed_cloud import DeployedCloud
from tests.support.sessions import Answer, Session, problem_code

Json = dict[str, Any]
# First starts of two functions, on a machine that does other things as well.
PATIENCE_SECONDS = 240
BODY = b"number,word\n1,a\n2,b\n"


@pytest.fixture
def owner() -> str:
    return f"owner-{uuid4().hex}"


class Listener:
    """A queue that is the target of a rule on the stack's bus, as a consumer's would be."""

    def __init__(self, cloud: DeployedCloud, owner: str) -> None:
        self._sqs = cloud.client("sqs")
        self._queue = self._sqs.create_queue(QueueName=owner)["QueueUrl"]
        attributes = self._sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])["Attributes"]
        bus, events = cloud.stack.outputs["EventBusName"], cloud.client("events")
        pattern = {"source": ["session-datasets"], "detail": {"owner": [owner]}}
        events.put_rule(Name=owner, EventBusName=bus, EventPattern=json.dumps(pattern))
        events.put_targets(Rule=owner, EventBusName=bus, Targets=[{"Id": "q", "Arn": attributes["QueueArn"]}])
        self.heard: list[Json] = []

    def until(self, type_: str) -> Json:
        """The detail of the first event of this type; each is told with its type, and without those told twice."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while not (found := [each for each in self.heard if each["type"] == type_]):
            assert time.monotonic() < ends, self.heard
            for message in self._sqs.receive_message(QueueUrl=self._queue, WaitTimeSeconds=1).get("Messages", []):
                self._hear(json.loads(message["Body"]))
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
        return found[0]

    def _hear(self, event: Json) -> None:
        jsonschema.validate(event["detail"], documents()[f"{event['detail-type']}.event.schema.json"])
        if event["detail"]["id"] not in [each["id"] for each in self.heard]:
            self.heard.append({**event["detail"], "type": event["detail-type"]})


def until(what: Callable[[], Any]) -> Any:
    ends = time.monotonic() + PATIENCE_SECONDS
    while not (found := what()):
        assert time.monotonic() < ends
        time.sleep(0.5)
    return found


def status(node: Session, answer: Answer) -> str:
    return str(node.call("describe_artifact", reference=answer["reference"])["status"])


def test_the_life_of_an_artifact_is_told_to_the_loss_of_its_file_and_the_end_of_its_run(
    cloud: DeployedCloud, owner: str
) -> None:
    listener, node = Listener(cloud, owner), Session.open(cloud, owner=owner, run_id="run-1", node="extract")
    answer = node.register("a.csv", BODY, name="Numbers")
    ready = listener.until("ArtifactReady")
    assert (ready["artifact_id"], ready["name"]) == (answer["artifact_id"], "Numbers")
    assert (ready["run_id"], ready["shape"]) == ("run-1", {"rows": 2, "columns": 2})
    assert listener.until("ArtifactRegistered")["artifact_id"] == answer["artifact_id"]

    kept = node.register("b.csv", BODY)
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=kept["reference"]["key"])
    reference = answer["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    gone = listener.until("ArtifactMissing")
    assert (gone["artifact_id"], gone["missing"]) == (answer["artifact_id"], "file")
    # The delete marker above the other's version came first, and changed nothing.
    assert (status(node, answer), status(node, kept)) == ("missing", "ready")
    assert problem_code(node.call("load_artifact", reference=reference)) == "file-missing"

    cloud.call("end_run", {"owner": owner, "run_id": "run-1", "release_leases": True})
    assert listener.until("RunEnded")["run_id"] == "run-1"
    told = [each["artifact_id"] for each in listener.heard if each["type"] == "ArtifactMissing"]
    assert told == [answer["artifact_id"]]


def test_a_conversation_is_told_and_a_lost_derived_object_is_missed(cloud: DeployedCloud, owner: str) -> None:
    listener, chat = Listener(cloud, owner), Session.open(cloud, owner=owner, conversation_id="talk-1")
    answer = chat.register("a.csv", BODY)
    (rows,) = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=f"_derived/{owner}/")["Versions"][-1:]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=rows["Key"], VersionId=rows["VersionId"])
    gone = listener.until("ArtifactMissing")
    assert (gone["artifact_id"], gone["conversation_id"], gone["missing"]) == (
        answer["artifact_id"],
        "talk-1",
        "derived",
    )
    assert "download" in chat.call("load_artifact", reference=answer["reference"])
    cloud.call("end_conversation", {"owner": owner, "conversation_id": "talk-1", "release_leases": True})
    assert listener.until("ConversationEnded")["conversation_id"] == "talk-1"


def test_an_audit_of_everything_goes_from_page_to_page_and_reports(cloud: DeployedCloud, owner: str) -> None:
    node = Session.open(cloud, owner=owner, run_id="run-1")
    for number in range(3):
        node.register(f"{number}.csv", BODY)
    message = json.dumps({"v": 1, "sweep": {}})
    cloud.client("sqs").send_message(QueueUrl=cloud.stack.outputs["AuditQueueUrl"], MessageBody=message)
    report = until(lambda: cloud.s3.list_objects_v2(Bucket=cloud.bucket, Prefix=f"_audit/{owner}/").get("Contents"))
    told = json.loads(cloud.s3.get_object(Bucket=cloud.bucket, Key=report[0]["Key"])["Body"].read())
    # All of them were written a moment ago, and may be about to be registered.
    assert (told["owner"], told["unregistered"], told["files"]) == (owner, 0, 0)


def test_changes_of_a_dead_letter_are_told_again(
    cloud: DeployedCloud, owner: str, capsys: pytest.CaptureFixture[str]
) -> None:
    listener, node = Listener(cloud, owner), Session.open(cloud, owner=owner, run_id="run-1")
    answer = node.register("a.csv", BODY)
    listener.until("ArtifactReady")
    listener.heard.clear()
    dead, sqs = cloud.stack.outputs["EventDeadLettersUrl"], cloud.client("sqs")
    sqs.send_message(QueueUrl=dead, MessageBody=json.dumps({"DDBStreamBatchInfo": whole_stream(cloud)}))
    assert main(["redrive", "events", "--stack", cloud.stack.name]) == 0
    assert capsys.readouterr().out.startswith("1 dead letters told again; left: 0 ")
    assert listener.until("ArtifactReady")["artifact_id"] == answer["artifact_id"]
    name = "ApproximateNumberOfMessages"
    assert sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=[name])["Attributes"][name] == "0"


def whole_stream(cloud: DeployedCloud) -> Json:
    """As a letter names what its changes are."""
    streams, arn = cloud.client("dynamodbstreams"), cloud.stack.outputs["RecordsStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    where = {"StreamArn": arn, "ShardId": shard["ShardId"]}
    begins = streams.get_shard_iterator(**where, ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    numbers = [each["dynamodb"]["SequenceNumber"] for each in streams.get_records(ShardIterator=begins)["Records"]]
    return {
        "streamArn": arn,
        "shardId": shard["ShardId"],
        "startSequenceNumber": numbers[0],
        "endSequenceNumber": numbers[-1],
    }
