"""Queues that deliver at least once, and again when nobody deleted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any


@dataclass
class Message:
    number: int
    body: str
    visible_at: datetime
    received: int = 0


@dataclass
class Queue:
    hidden_seconds: int
    messages: list[Message] = field(default_factory=list)


class MemorySQS:
    """Answers the client's operations by their names. A message is never taken to the dead letters by itself."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._numbers = itertools.count()
        self.queues: dict[str, Queue] = {}

    def CreateQueue(self, QueueName: str, Attributes: dict[str, str], **_: Any) -> dict[str, Any]:
        url = f"http://queues.memory/{QueueName}"
        self.queues[url] = Queue(int(Attributes["VisibilityTimeout"]))
        return {"QueueUrl": url}

    def GetQueueAttributes(self, QueueUrl: str, **_: Any) -> dict[str, Any]:
        now, waiting = self._clock(), self.queues[QueueUrl].messages
        visible = sum(message.visible_at <= now for message in waiting)
        return {
            "Attributes": {
                "QueueArn": f"arn:aws:sqs:us-east-1:000000000000:{QueueUrl.rsplit('/')[-1]}",
                "ApproximateNumberOfMessages": str(visible),
                "ApproximateNumberOfMessagesNotVisible": str(len(waiting) - visible),
            }
        }

    def SendMessage(self, QueueUrl: str, MessageBody: str) -> dict[str, Any]:
        number = next(self._numbers)
        self.queues[QueueUrl].messages.append(Message(number, MessageBody, self._clock()))
        return {"MessageId": str(number)}

    def ReceiveMessage(self, QueueUrl: str, **_: Any) -> dict[str, Any]:
        now, queue = self._clock(), self.queues[QueueUrl]
        for message in queue.messages:
            if message.visible_at <= now:
                message.visible_at = now + timedelta(seconds=queue.hidden_seconds)
                message.received += 1
                shown = {"MessageId": str(message.number), "ReceiptHandle": str(message.number), "Body": message.body}
                return {"Messages": [{**shown, "Attributes": {"ApproximateReceiveCount": str(message.received)}}]}
        return {}

    def DeleteMessage(self, QueueUrl: str, ReceiptHandle: str) -> dict[str, Any]:
        queue = self.queues[QueueUrl]
        queue.messages = [each for each in queue.messages if str(each.number) != ReceiptHandle]
        return {}

    def ChangeMessageVisibility(self, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> dict[str, Any]:
        for message in self.queues[QueueUrl].messages:
            if str(message.number) == ReceiptHandle:
                message.visible_at = self._clock() + timedelta(seconds=VisibilityTimeout)
        return {}
