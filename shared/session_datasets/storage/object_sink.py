"""One S3 object written as a stream: in parts as they fill, visible only when it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import DerivedObject
from session_datasets.storage.deadline import OutOfTime, clearing_up
from session_datasets.storage.faults import error_code
from session_datasets.storage.narrowing import CarryingThreads

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Bytes of a part. S3 takes 10,000 of them, so an object may grow to 78 GiB; a smaller object is one PUT. Up to three
# objects are written at a time, and each holds a part or two.
PART_BYTES = 8 * MIB


class ObjectSink:
    """``operations.ports.Sink`` on one key. A part is sent beside the making of the next one, in a thread that
    ``commit`` or ``abandon`` ends; memory holds these two. What sending raises is raised by a later call."""

    def __init__(self, s3: BaseClient, bucket: str, key: str, part_bytes: int = PART_BYTES) -> None:
        self._s3 = s3
        self._target = {"Bucket": bucket, "Key": key}
        self._part_bytes = part_bytes
        self._held = bytearray()
        self._written = 0
        self._upload_id: str | None = None
        self._parts: list[dict[str, object]] = []
        self._done = False
        self._sender: CarryingThreads | None = None
        self._under_way: Future[dict[str, object]] | None = None

    def write(self, data: bytes | memoryview) -> int:
        left = memoryview(data)
        while len(self._held) + len(left) >= self._part_bytes:
            room = self._part_bytes - len(self._held)
            self._held += left[:room]
            left = left[room:]
            self._send()
        self._held += left
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        return self._written

    def commit(self) -> DerivedObject:
        if self._upload_id is None:
            stored = self._s3.put_object(**self._target, Body=bytes(self._held))
        else:
            if self._held:
                self._send()
            self._wait()
            with _taken_back_meanwhile():
                stored = self._s3.complete_multipart_upload(
                    **self._target, UploadId=self._upload_id, MultipartUpload={"Parts": self._parts}
                )
        self._done = True
        self._end_sender()
        return DerivedObject(self._target["Key"], stored["VersionId"], self._written)

    def abandon(self) -> None:
        """Takes back the parts of an object that was not completed. What fails here, the bucket's own rule for
        unfinished uploads takes back later."""
        # A part that arrives after the upload was aborted would stay.
        self._end_sender()
        if self._upload_id is None or self._done:
            return
        self._done = True
        with suppress(ClientError, BotoCoreError, OutOfTime), clearing_up():
            self._s3.abort_multipart_upload(**self._target, UploadId=self._upload_id)

    def _send(self) -> None:
        """What is held becomes the next part."""
        if self._upload_id is None:
            self._upload_id = self._s3.create_multipart_upload(**self._target)["UploadId"]
            self._sender = CarryingThreads(1, thread_name_prefix="object-sink")
        self._wait()
        assert self._sender is not None
        part, self._held = bytes(self._held), bytearray()
        self._under_way = self._sender.submit(self._sent, len(self._parts) + 1, part)

    def _sent(self, number: int, part: bytes) -> dict[str, object]:
        with _taken_back_meanwhile():
            sent = self._s3.upload_part(**self._target, UploadId=self._upload_id, PartNumber=number, Body=part)
        return {"PartNumber": number, "ETag": sent["ETag"]}

    def _wait(self) -> None:
        """Until the part under way has arrived."""
        if self._under_way is not None:
            under_way, self._under_way = self._under_way, None
            self._parts.append(under_way.result())

    def _end_sender(self) -> None:
        if self._sender is not None:
            self._sender.shutdown(wait=True)
            self._sender = None


@contextmanager
def _taken_back_meanwhile() -> Iterator[None]:
    """An upload that somebody else aborted: its conversation or run ends. The same call again is told so."""
    try:
        yield
    except ClientError as error:
        if error_code(error) == "NoSuchUpload":
            raise Refusal(ProblemCode.UNAVAILABLE, "What was written for this file was removed meanwhile.") from error
        raise
