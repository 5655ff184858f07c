"""One S3 object written as a stream: in parts as they fill, visible only when it is complete."""

from __future__ import annotations

from contextlib import suppress

from botocore.client import BaseClient
from botocore.exceptions import BotoCoreError, ClientError

from session_datasets.domain.limits import MIB
from session_datasets.domain.profile import DerivedObject

# Bytes of a part. S3 takes 10,000 of them, so an object may grow to 78 GiB; a smaller object is one PUT. Up to three
# objects are written at a time, and each holds a part or two.
PART_BYTES = 8 * MIB


class ObjectSink:
    """``operations.ports.Sink`` on one key. Holds one part, and a copy of it while it is sent."""

    def __init__(self, s3: BaseClient, bucket: str, key: str, part_bytes: int = PART_BYTES) -> None:
        self._s3 = s3
        self._target = {"Bucket": bucket, "Key": key}
        self._part_bytes = part_bytes
        self._held = bytearray()
        self._written = 0
        self._upload_id: str | None = None
        self._parts: list[dict[str, object]] = []
        self._done = False

    def write(self, data: bytes | memoryview) -> int:
        self._held += data
        self._written += len(data)
        while len(self._held) >= self._part_bytes:
            with memoryview(self._held) as held:
                part = bytes(held[: self._part_bytes])
            del self._held[: self._part_bytes]
            self._send(part)
        return len(data)

    def tell(self) -> int:
        return self._written

    def commit(self) -> DerivedObject:
        if self._upload_id is None:
            stored = self._s3.put_object(**self._target, Body=bytes(self._held))
        else:
            if self._held:
                self._send(bytes(self._held))
            stored = self._s3.complete_multipart_upload(
                **self._target, UploadId=self._upload_id, MultipartUpload={"Parts": self._parts}
            )
        self._done = True
        return DerivedObject(self._target["Key"], stored["VersionId"], self._written)

    def abandon(self) -> None:
        """Takes back the parts of an object that was not completed. What fails here, the bucket's own rule for
        unfinished uploads takes back later."""
        if self._upload_id is None or self._done:
            return
        self._done = True
        with suppress(ClientError, BotoCoreError):
            self._s3.abort_multipart_upload(**self._target, UploadId=self._upload_id)

    def _send(self, part: bytes) -> None:
        if self._upload_id is None:
            self._upload_id = self._s3.create_multipart_upload(**self._target)["UploadId"]
        number = len(self._parts) + 1
        sent = self._s3.upload_part(**self._target, UploadId=self._upload_id, PartNumber=number, Body=part)
        self._parts.append({"PartNumber": number, "ETag": sent["ETag"]})
