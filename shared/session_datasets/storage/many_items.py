"""Writing several items of the table: in one transaction, or in batches whose parts may fail."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import ClientError

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.storage.faults import error_code

if TYPE_CHECKING:
    from botocore.client import BaseClient

# DynamoDB's own limit on one BatchWriteItem.
ITEMS_OF_A_BATCH = 25
# A conflict is over when the other transaction is, after milliseconds; what is throttled takes longer.
_TRIES = 6
_FIRST_WAIT_SECONDS = 0.02

Request = dict[str, Any]
T = TypeVar("T")


def written_together(dynamodb: BaseClient, writes: Sequence[Request]) -> list[bool]:
    """Empty when all of them were done, in one transaction; else for each of them whether its condition failed, and
    nothing was done.

    Two transactions on one item at the same time end one of them, whichever items they change; that one is tried
    again, and refused as unavailable only when others keep getting in its way.
    """
    for attempt in range(_TRIES):
        try:
            dynamodb.transact_write_items(TransactItems=writes)
            return []
        except ClientError as error:
            if error_code(error) != "TransactionCanceledException":
                raise
            reasons = [reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])]
            if "ConditionalCheckFailed" in reasons:
                return [reason == "ConditionalCheckFailed" for reason in reasons]
            if "TransactionConflict" not in reasons:
                raise
        _wait(attempt)
    raise _busy()


def written_in_batches(dynamodb: BaseClient, table: str, requests: Iterable[Request]) -> None:
    """Puts and deletes, each done once or more, in no order; what DynamoDB left undone is sent again."""
    for batch in batches(requests):
        left = batch
        for attempt in range(_TRIES):
            answer = dynamodb.batch_write_item(RequestItems={table: left})
            left = answer.get("UnprocessedItems", {}).get(table, [])
            if not left:
                break
            _wait(attempt)
        else:
            raise _busy()


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """As many as are written at a time."""
    rest = iter(items)
    while batch := list(islice(rest, ITEMS_OF_A_BATCH)):
        yield batch


def _wait(attempt: int) -> None:
    time.sleep(random.uniform(0, _FIRST_WAIT_SECONDS * 2**attempt))


def _busy() -> Refusal:
    return Refusal(ProblemCode.UNAVAILABLE, "The table of records is busy; the call may be repeated.")
