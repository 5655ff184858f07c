"""Files that are too large for the call that registers them, and what becomes of their messages."""

from __future__ import annotations

import hashlib
from typing import Any
from unittest.mock import patch

from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Session

AT_ONCE_BYTES = 1_000
BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (number, number) for number in range(500))
SHA256 = hashlib.sha256(BODY).hexdigest()
DONE = {"batchItemFailures": []}


def described(node: Session, answer: Answer) -> Answer:
    return node.call("describe_artifact", reference=answer["reference"])


def make_visible(cloud: MotoCloud, record: dict[str, Any]) -> None:
    """What time does to a message that was not deleted."""
    cloud.sqs.change_message_visibility(
        QueueUrl=cloud.queue, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
    )


def fail_tries(cloud: MotoCloud, tries: int, error: BaseException) -> list[Answer]:
    """Deliveries of the one message, all of which meet the error."""
    answers = []
    with patch.object(cloud.wired.service.tables, "lay_out", side_effect=error):
        for _ in range(tries):
            record = cloud.take_message()
            assert record is not None
            answers.append(cloud.deliver(record))
            make_visible(cloud, record)
    return answers
