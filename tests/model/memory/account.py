"""One account: its services, its clock, and presigned URLs of its buckets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from botocore.exceptions import ClientError

from tests.model.memory.dynamodb import MemoryDynamoDB
from tests.model.memory.s3 import MemoryS3
from tests.model.memory.sqs import MemorySQS

ENDPOINT = "http://aws.memory"


# Sessions last for twelve hours, and their tokens are checked against the real time: one that is opened at any time
# between the clock's beginning and now is good for the next half hour.
_BEHIND = timedelta(hours=11, minutes=30)


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self._until = datetime.now(UTC)
        self._now = self._until - _BEHIND

    def __call__(self) -> datetime:
        return self._now

    def go_on(self, seconds: int) -> None:
        self._now += timedelta(seconds=seconds)

    def may_go_on(self, seconds: int) -> bool:
        """Whether a session that is opened then has a token of today."""
        return self._now + timedelta(seconds=seconds) < self._until


@dataclass(frozen=True)
class Sent:
    """What urllib3 answers, as far as anybody looks at it."""

    status: int
    data: bytes
    headers: dict[str, str]


class MemoryAccount:
    def __init__(self) -> None:
        self.clock = Clock()
        self.s3 = MemoryS3(self.clock)
        self.dynamodb = MemoryDynamoDB()
        self.sqs = MemorySQS(self.clock)

    def serve(self, service: str, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """The answer of a client's call; raises ClientError as the client would."""
        answered: dict[str, Any] = getattr(getattr(self, service), operation)(**parameters)
        return answered

    def request(self, method: str, url: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Sent:
        """What a presigned URL answers. Who signed it and until when it is good is not looked at."""
        parts = urlsplit(url)
        bucket, key = unquote(parts.path).lstrip("/").split("/", 1)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            if method == "PUT":
                metadata = {name.removeprefix("x-amz-meta-"): value for name, value in (headers or {}).items()}
                metadata = {name: value for name, value in metadata.items() if name == "sha256"}
                put = self.s3.PutObject(bucket, key, body, metadata)
                return Sent(200, b"", {"x-amz-version-id": put["VersionId"]})
            wanted = {"VersionId": query.get("versionId"), "Range": (headers or {}).get("Range")}
            found = self.s3.GetObject(bucket, key, **wanted)
            return Sent(206 if wanted["Range"] else 200, found["Body"].read(), {})
        except ClientError as error:
            return Sent(error.response["ResponseMetadata"]["HTTPStatusCode"], b"", {})
