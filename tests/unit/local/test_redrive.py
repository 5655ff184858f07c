"""What becomes of a dead letter of events: told and deleted, or left where it is."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.redrive import RedriveRefused, Told, move_back, tell_again

Json = dict[str, Any]
PLACE = {"streamArn": "stream", "shardId": "shard", "startSequenceNumber": "100", "endSequenceNumber": "106"}


class Queue:
    """A client of SQS on one queue of letters."""

    def __init__(self, letters: int, moving: bool = False) -> None:
        self.letters = [
            {"Body": json.dumps({"DDBStreamBatchInfo": PLACE}), "ReceiptHandle": str(n)} for n in range(letters)
        ]
        self._hidden = False
        self._moving = moving
        self.deleted: list[str] = []
        self.moved: list[Json] = []

    def receive_message(self, **_: Any) -> Json:
        letters, self._hidden = ([] if self._hidden else self.letters), True
        return {"Messages": letters} if letters else {}

    def delete_message(self, QueueUrl: str, ReceiptHandle: str) -> None:
        self.deleted.append(ReceiptHandle)

    def get_queue_attributes(self, QueueUrl: str, AttributeNames: list[str]) -> Json:
        told = {"QueueArn": f"arn of {QueueUrl}", "ApproximateNumberOfMessages": str(len(self.letters))}
        return {"Attributes": told}

    def list_message_move_tasks(self, SourceArn: str) -> Json:
        return {"Results": [{"Status": "RUNNING" if self._moving else "COMPLETED"}]}

    def start_message_move_task(self, **task: Any) -> None:
        self.moved.append(task)


class Stream:
    """A client of the table's stream, whose changes have the numbers 98, 100, 102 and so on, up to ``last``; three to
    a page, and ``empty`` pages before each of them."""

    def __init__(self, forgotten: bool = False, empty: int = 0, last: int = 1_000) -> None:
        self._forgotten = forgotten
        self._empty = empty
        self._last = last
        self._asked = 0

    def get_shard_iterator(self, SequenceNumber: str, **_: Any) -> Json:
        if self._forgotten:
            raise ClientError({"Error": {"Code": "TrimmedDataAccessException"}}, "GetShardIterator")
        return {"ShardIterator": SequenceNumber}

    def get_records(self, ShardIterator: str) -> Json:
        first = int(ShardIterator)
        self._asked += 1
        if self._asked % (self._empty + 1):
            return {"Records": [], "NextShardIterator": ShardIterator}
        at = datetime(2026, 11, 30, tzinfo=UTC)
        told = [{"SequenceNumber": str(first + 2 * n), "ApproximateCreationDateTime": at} for n in range(3)]
        told = [each for each in told if int(str(each["SequenceNumber"])) <= self._last]
        return {"Records": [{"dynamodb": each} for each in told], "NextShardIterator": str(first + 6)}


class Functions:
    """A client of Lambda, whose function fails at changes from the number ``fails_at`` on."""

    def __init__(self, fails_at: int = 1_000) -> None:
        self._fails_at = fails_at
        self.told: list[int] = []

    def invoke(self, Payload: bytes, **_: Any) -> Json:
        numbers = [int(each["dynamodb"]["SequenceNumber"]) for each in json.loads(Payload)["Records"]]
        failed = [{"itemIdentifier": str(each)} for each in numbers if each >= self._fails_at][:1]
        self.told += [each for each in numbers if each < self._fails_at]
        return {"Payload": io.BytesIO(json.dumps({"batchItemFailures": failed}).encode())}


def told_again(queue: Queue, stream: Stream, functions: Functions) -> Told:
    return tell_again(queue, stream, functions, "dead", "stack")


def test_exactly_the_changes_of_a_letter_are_told_and_then_it_goes() -> None:
    queue, functions = Queue(1), Functions()
    assert told_again(queue, Stream(), functions) == Told(told=1, too_old=0, failed=0)
    assert functions.told == [100, 102, 104, 106]
    assert queue.deleted == ["0"]


def test_an_empty_page_of_the_stream_is_not_the_end_of_it() -> None:
    queue, functions = Queue(1), Functions()
    assert told_again(queue, Stream(empty=3), functions) == Told(told=1, too_old=0, failed=0)
    assert functions.told == [100, 102, 104, 106]


def test_a_letter_whose_last_change_the_stream_does_not_show_stays() -> None:
    queue, functions = Queue(1), Functions()
    assert told_again(queue, Stream(last=104), functions) == Told(told=0, too_old=0, failed=1)
    assert (functions.told, queue.deleted) == ([], [])


def test_a_letter_whose_changes_fail_again_stays() -> None:
    queue = Queue(2)
    assert told_again(queue, Stream(), Functions(fails_at=104)) == Told(told=0, too_old=0, failed=2)
    assert queue.deleted == []


def test_a_letter_that_the_stream_has_forgotten_stays_and_is_counted() -> None:
    queue = Queue(1)
    assert told_again(queue, Stream(forgotten=True), Functions()) == Told(told=0, too_old=1, failed=0)
    assert queue.deleted == []


def test_letters_are_moved_slowly_to_the_queue_they_came_from() -> None:
    queue = Queue(3)
    assert move_back(queue, "dead", "queue") == 3
    assert queue.moved == [
        {"SourceArn": "arn of dead", "DestinationArn": "arn of queue", "MaxNumberOfMessagesPerSecond": 10}
    ]


def test_nothing_is_begun_where_there_are_none() -> None:
    queue = Queue(0)
    assert move_back(queue, "dead", "queue") == 0
    assert queue.moved == []


def test_letters_that_are_being_moved_are_not_moved_twice() -> None:
    queue = Queue(1, moving=True)
    with pytest.raises(RedriveRefused):
        move_back(queue, "dead", "queue")
    assert queue.moved == []
