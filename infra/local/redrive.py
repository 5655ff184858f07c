"""Dead letters, once more: what could not be done then may be done now. Nothing is lost when it fails again.

Messages are all idempotent, so one that is delivered twice does no harm; one that fails again is a dead letter again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from session_datasets.domain.names import LIVE_ALIAS, Verb, function_name

# A letter is one message; a batch of them that fails again crowds nobody out.
_MESSAGES_A_SECOND = 10
# Changes of one invocation, of up to 400 KB with what was before them: Lambda takes 6 MB.
_CHANGES_AT_ONCE = 5
# Longer than telling the changes of one letter takes: nobody else works on it meanwhile.
_LETTER_SECONDS = 600
# A page of a stream may be empty although there is more behind it.
_EMPTY_PAGES_MAX = 100
_TOO_OLD = ("TrimmedDataAccessException", "ResourceNotFoundException")

Json = dict[str, Any]


class RedriveRefused(Exception):
    """Nothing was moved; the text says why."""


class _NotAllRead(Exception):
    """The stream did not come to the last change that a letter names."""


@dataclass(frozen=True)
class Told:
    """Of dead letters of events: how many were told now, and how many stay, for the stream has forgotten the changes,
    did not show them all, or the function failed once more."""

    told: int
    too_old: int
    failed: int


def move_back(sqs: Any, dead_letters: str, queue: str) -> int:
    """Has SQS move all dead letters (a queue's URL) back to ``queue``, slowly; about how many there are."""
    source, target = (_attribute(sqs, url, "QueueArn") for url in (dead_letters, queue))
    waiting = int(_attribute(sqs, dead_letters, "ApproximateNumberOfMessages"))
    if not waiting:
        return 0
    tasks = sqs.list_message_move_tasks(SourceArn=source).get("Results", [])
    if any(each["Status"] == "RUNNING" for each in tasks):
        raise RedriveRefused("These dead letters are being moved already; nothing was begun.")
    sqs.start_message_move_task(
        SourceArn=source, DestinationArn=target, MaxNumberOfMessagesPerSecond=_MESSAGES_A_SECOND
    )
    return waiting


def tell_again(sqs: Any, streams: Any, functions: Any, dead_letters: str, stack: str) -> Told:
    """Reads from the table's stream what each letter names, and has publish_events tell it; then deletes the letter.

    SQS itself moves no letters that Lambda wrote, and they hold no changes: they name a place in the stream, which
    keeps it for a day.
    """
    told = too_old = failed = 0
    for message in _letters(sqs, dead_letters):
        try:
            changes = list(_changes(streams, json.loads(message["Body"])["DDBStreamBatchInfo"]))
        except _NotAllRead:
            failed += 1
            continue
        except ClientError as error:
            if error.response["Error"]["Code"] not in _TOO_OLD:
                raise
            too_old += 1
            continue
        if not _are_told(functions, stack, changes):
            failed += 1
            continue
        sqs.delete_message(QueueUrl=dead_letters, ReceiptHandle=message["ReceiptHandle"])
        told += 1
    return Told(told, too_old, failed)


def _letters(sqs: Any, url: str) -> Iterator[Json]:
    """Each once: one that is left is hidden until long after."""
    while messages := sqs.receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=_LETTER_SECONDS, WaitTimeSeconds=1
    ).get("Messages"):
        yield from messages


def _changes(streams: Any, place: Mapping[str, Any]) -> Iterator[Json]:
    """What the stream holds between the two numbers of the letter, as Lambda hands it over. Raises _NotAllRead when it
    does not come to the last of them: a letter of which a part was told must not go."""
    last = int(place["endSequenceNumber"])
    iterator = streams.get_shard_iterator(
        StreamArn=place["streamArn"],
        ShardId=place["shardId"],
        ShardIteratorType="AT_SEQUENCE_NUMBER",
        SequenceNumber=place["startSequenceNumber"],
    )["ShardIterator"]
    empty = 0
    while iterator and empty < _EMPTY_PAGES_MAX:
        page = streams.get_records(ShardIterator=iterator)
        for record in page["Records"]:
            number = int(record["dynamodb"]["SequenceNumber"])
            if number <= last:
                yield _as_lambda_does(record)
            if number >= last:
                return
        # At the end of a shard that is open they are empty for ever.
        empty = 0 if page["Records"] else empty + 1
        iterator = page.get("NextShardIterator")
    raise _NotAllRead


def _as_lambda_does(record: Mapping[str, Any]) -> Json:
    told = dict(record["dynamodb"])
    told["ApproximateCreationDateTime"] = told["ApproximateCreationDateTime"].timestamp()
    return {**record, "eventSource": "aws:dynamodb", "dynamodb": told}


def _are_told(functions: Any, stack: str, changes: list[Json]) -> bool:
    for first in range(0, len(changes), _CHANGES_AT_ONCE):
        answer = functions.invoke(
            FunctionName=function_name(stack, Verb.PUBLISH_EVENTS),
            Qualifier=LIVE_ALIAS,
            Payload=json.dumps({"Records": changes[first : first + _CHANGES_AT_ONCE]}).encode(),
        )
        body = json.loads(answer["Payload"].read())
        if "FunctionError" in answer or body["batchItemFailures"]:
            return False
    return True


def _attribute(sqs: Any, url: str, name: str) -> str:
    return str(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])
