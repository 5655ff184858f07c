"""Messages that come repeatedly, late, out of order, or from nobody."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest

from tests.contract.profiling import BODY, DONE, described
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session


def test_a_message_delivered_twice_changes_nothing_the_second_time(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    cloud.deliver(record)
    first = described(node, answer)
    with patch.object(cloud.wired.service.files, "chunks", side_effect=AssertionError("the file was read")):
        assert cloud.deliver(record) == DONE
    assert described(node, answer) == first


def test_two_deliveries_at_a_time_leave_the_result_of_the_first_to_end(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    lay_out = cloud.wired.service.tables.lay_out
    nested = iter([True])

    def meanwhile(*arguments: Any) -> Any:
        if next(nested, False):
            cloud.deliver(record)
        return lay_out(*arguments)

    with patch.object(cloud.wired.service.tables, "lay_out", meanwhile):
        assert cloud.deliver(record) == DONE
    assert described(node, answer)["status"] == "ready"
    assert node.call("read_rows", reference=answer["reference"], limit=1)["rows"] == [[0, "w0"]]


def test_late_progress_does_not_undo_a_result(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    before = cloud.wired.service.records.of_task(_task(record))
    assert before is not None
    cloud.deliver(record)
    assert cloud.wired.service.records.advance(before, since=before.status) is False
    assert described(node, answer)["status"] == "ready"


def _task(record: dict[str, Any]) -> Any:
    from session_datasets.storage.profile_queue import task_of

    return task_of(record["body"])


def test_messages_out_of_order_reach_their_own_artifacts(cloud: MotoCloud, node: Session) -> None:
    answers = [node.register(f"{number}.csv", BODY + b"%d,x\n" % number) for number in range(2)]
    records = [cloud.take_message(), cloud.take_message()]
    for record in reversed(records):
        assert record is not None
        cloud.deliver(record)
    assert [described(node, answer)["profile"]["shape"]["rows"] for answer in answers] == [501, 501]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        "[]",
        '{"v": 2}',
        '{"v": 1, "owner": "acme"}',
        '{"v": 1, "owner": 1, "session_id": 2, "artifact_id": 3}',
    ],
)
def test_what_is_no_message_of_ours_ends_with_the_dead_letters(cloud: MotoCloud, body: str) -> None:
    sent = {"messageId": "m-1", "receiptHandle": "r-1", "body": body, "attributes": {"ApproximateReceiveCount": "1"}}
    assert cloud.deliver(sent) == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}


def test_a_message_of_an_unknown_record_is_dropped(cloud: MotoCloud, node: Session) -> None:
    gone = {"v": 1, "owner": "acme", "session_id": "ses-1", "artifact_id": "art_01jg00000000000000000000zz"}
    cloud.sqs.send_message(QueueUrl=cloud.queue, MessageBody=json.dumps(gone))
    assert cloud.run_profiling() == [DONE]
    assert cloud.waiting_messages() == 0
