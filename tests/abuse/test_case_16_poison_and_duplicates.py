"""A message of the queue comes twice, late, or holds what nothing can be made of.

The others succeed; a duplicate changes nothing; what fails comes again a few times and then lies with the dead letters,
on which there is an alarm. To send a dead letter once more is safe, whatever became of its artifact meanwhile.
"""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.artifact import ProfilingTask
from session_datasets.domain.limits import PROFILE_TRIES_MAX
from session_datasets.storage.profile_queue import body_of
from tests.integration.test_large_files import BODY as LARGE
from tests.integration.test_large_files import when_done
from tests.support.audited import Audited
from tests.support.contents import items
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud, profiling_door
from tests.support.sessions import Answer, Session, problem_code

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(300))
POISON = {
    "nothing": "",
    "no JSON": "{",
    "no object": "[]",
    "another message": '{"Records": [{"s3": {}}]}',
    "a later version": json.dumps({"v": 2, "owner": "acme", "session_id": "ses-1", "artifact_id": "art_1"}),
    "a path for an owner": json.dumps({"v": 1, "owner": "../x", "session_id": "s", "artifact_id": "a"}),
    "a key for a session": json.dumps({"v": 1, "owner": "acme", "session_id": "s#t", "artifact_id": "art_" + "0" * 26}),
    "a megabyte": "x" * 200_000,
}


@pytest.fixture
def queueing(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server, profiled_at_once_bytes=0)


@pytest.fixture
def node(queueing: MotoCloud) -> Session:
    return Session.open(queueing, run_id="run-1")


def taken(cloud: MotoCloud) -> dict[str, Any]:
    message = cloud.take_message()
    assert message is not None
    return message


def status(node: Session, reference: Answer) -> str:
    return str(node.call("describe_artifact", reference=reference)["status"])


def until_it_rests(cloud: MotoCloud) -> int:
    """Delivers what is visible, and what fails at once again, as if its time had passed. How often."""
    delivered = 0
    while message := cloud.take_message():
        delivered += 1
        if cloud.deliver(message)["batchItemFailures"]:
            cloud.sqs.change_message_visibility(
                QueueUrl=cloud.queue, ReceiptHandle=message["receiptHandle"], VisibilityTimeout=0
            )
        assert delivered < 50
    return delivered


@pytest.mark.parametrize("what", POISON)
def test_poison_in_one_batch_with_a_good_message_fails_alone(queueing: MotoCloud, node: Session, what: str) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    good = taken(queueing)
    bad = {**good, "messageId": "bad", "body": POISON[what]}
    event = {"Records": [bad, good, {**bad, "messageId": "bad too"}]}
    answered = profiling_door().serve(event, lambda: queueing.wired, remaining_seconds=900)
    assert [each["itemIdentifier"] for each in answered["batchItemFailures"]] == ["bad", "bad too"]
    assert status(node, reference) == "ready"


@pytest.mark.parametrize("what", [name for name in POISON if POISON[name]])
def test_poison_ends_with_the_dead_letters_after_a_few_tries(queueing: MotoCloud, node: Session, what: str) -> None:
    queueing.sqs.send_message(QueueUrl=queueing.queue, MessageBody=POISON[what])
    reference = node.register("a.csv", BODY)["reference"]
    assert until_it_rests(queueing) == PROFILE_TRIES_MAX + 1 + 1
    assert queueing.waiting_messages() == 0
    assert queueing.waiting_messages(queueing.dead_letters) == 1
    assert status(node, reference) == "ready"


def test_a_duplicate_changes_nothing(queueing: MotoCloud, node: Session) -> None:
    node.register("a.csv", BODY)
    message = taken(queueing)
    assert queueing.deliver(message) == {"batchItemFailures": []}
    before = items(queueing, "art_"), queueing.s3.list_object_versions(Bucket=queueing.bucket)["Versions"]
    for attempt in range(2, 4):
        again = {**message, "attributes": {"ApproximateReceiveCount": str(attempt)}}
        assert queueing.deliver(again) == {"batchItemFailures": []}
    assert (items(queueing, "art_"), queueing.s3.list_object_versions(Bucket=queueing.bucket)["Versions"]) == before


def test_a_message_of_an_artifact_that_is_not_there_is_done_with(queueing: MotoCloud, node: Session) -> None:
    task = ProfilingTask("acme", node.session_id, "art_01jg00000000000000000000zz")
    queueing.sqs.send_message(QueueUrl=queueing.queue, MessageBody=body_of(task))
    assert until_it_rests(queueing) == 1
    assert items(queueing, "art_") == []


def test_a_message_that_names_another_owner_finds_no_record_of_this_one(queueing: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    message = taken(queueing)
    forged = body_of(ProfilingTask("other", node.session_id, reference["artifact_id"]))
    assert queueing.deliver({**message, "body": forged}) == {"batchItemFailures": []}
    assert status(node, reference) == "profiling"


@pytest.fixture
def given_up(queueing: MotoCloud, node: Session) -> Answer:
    """The reference of an artifact whose profile failed for a reason of the service's own, too often."""
    reference: Answer = node.register("a.csv", BODY)["reference"]
    with patch("session_datasets.operations.profile_artifact.measured", side_effect=RuntimeError("ours")):
        assert until_it_rests(queueing) == PROFILE_TRIES_MAX + 1
    return reference


def test_what_the_service_can_not_profile_is_told_and_lies_with_the_dead_letters(
    queueing: MotoCloud, node: Session, given_up: Answer
) -> None:
    described = node.call("describe_artifact", reference=given_up)
    assert (described["status"], described["failure"]["code"]) == ("failed", "internal")
    assert "ours" not in json.dumps(described)
    assert queueing.waiting_messages(queueing.dead_letters) == 1
    assert problem_code(node.call("read_rows", reference=given_up)) == "not-a-dataset"


def redrive(cloud: MotoCloud) -> None:
    """As a person does in the console: the dead letters become messages again."""
    received = cloud.sqs.receive_message(QueueUrl=cloud.dead_letters, MaxNumberOfMessages=10)
    for message in received.get("Messages", []):
        cloud.sqs.send_message(QueueUrl=cloud.queue, MessageBody=message["Body"])
        cloud.sqs.delete_message(QueueUrl=cloud.dead_letters, ReceiptHandle=message["ReceiptHandle"])


def test_a_redrive_makes_the_profile_when_the_reason_is_gone(
    queueing: MotoCloud, node: Session, given_up: Answer
) -> None:
    redrive(queueing)
    assert until_it_rests(queueing) == 1
    assert status(node, given_up) == "ready"
    assert node.call("read_rows", reference=given_up, offset=299)["rows"] == [[299, "w299"]]


def test_a_redrive_while_the_reason_lasts_ends_where_it_began(
    queueing: MotoCloud, node: Session, given_up: Answer
) -> None:
    redrive(queueing)
    with patch("session_datasets.operations.profile_artifact.measured", side_effect=RuntimeError("ours")):
        assert until_it_rests(queueing) == PROFILE_TRIES_MAX + 1
    assert queueing.waiting_messages(queueing.dead_letters) == 1
    assert status(node, given_up) == "failed"


def test_a_redrive_after_somebody_registered_again_changes_nothing(
    queueing: MotoCloud, node: Session, given_up: Answer
) -> None:
    node.call("register_artifact", key=given_up["key"], name="a.csv")
    until_it_rests(queueing)
    before = items(queueing, "art_")
    redrive(queueing)
    assert until_it_rests(queueing) == 1
    assert items(queueing, "art_") == before
    assert status(node, given_up) == "ready"


# --- what S3 tells of its objects ---------------------------------------------------------------------------


def test_poison_among_the_news_of_s3_fails_alone_and_duplicates_change_nothing(cloud: MotoCloud) -> None:
    node, audited = Session.open(cloud, run_id="run-1"), Audited(cloud)
    reference = node.register("a.csv", BODY)["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    good = audited.news(reference["key"], reference["version_id"])
    assert audited.deliver(POISON["no JSON"], good, POISON["no object"], good, good) == ["0", "2"]
    before = items(cloud, "art_")
    assert status(node, reference) == "missing"
    assert audited.deliver(good, good) == []
    assert items(cloud, "art_") == before


def test_a_deployed_worker_goes_on_after_poison_and_duplicates(deployed: DeployedCloud, node_there: Session) -> None:
    sqs, queue = deployed.client("sqs"), deployed.stack.outputs["ProfileQueueUrl"]
    ready = node_there.register("small.csv", BODY)["reference"]
    described = node_there.call("describe_artifact", reference=ready)
    known = ProfilingTask("acme", node_there.session_id, ready["artifact_id"])
    for body in (POISON["no JSON"], body_of(known), POISON["another message"], body_of(known)):
        sqs.send_message(QueueUrl=queue, MessageBody=body)
    reference = node_there.register("large.csv", LARGE)["reference"]
    assert when_done(node_there, reference)["status"] == "ready"
    assert node_there.call("describe_artifact", reference=ready) == described
