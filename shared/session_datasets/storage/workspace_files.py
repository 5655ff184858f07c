"""The nodes' files in S3."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError

from session_datasets.domain.artifact import Artifact, Location
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.files import PresignedRequest, StoredFile, UploadPart, UploadPlan
from session_datasets.domain.limits import (
    COPY_BYTES_MAX,
    COPY_PART_BYTES,
    MIB,
    NEAR_KEYS_SCANNED_MAX,
    PRESIGNED_SECONDS,
    SINGLE_UPLOAD_BYTES_MAX,
    UPLOAD_PART_BYTES,
    UPLOAD_PARTS_MAX,
)
from session_datasets.domain.scope import Caller
from session_datasets.storage import keys
from session_datasets.storage.deadline import wait_after
from session_datasets.storage.faults import MISSING, error_code
from session_datasets.storage.narrowing import CarryingThreads

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from s3transfer.manager import TransferManager

_CHUNK_BYTES = 1 * MIB
# How a body ends whose connection broke; the client repeats requests, but nothing that has begun to come.
_BROKEN = (ResponseStreamingError, ReadTimeoutError, IncompleteReadError)
_TRIES_WITHOUT_A_BYTE = 3
# What S3 calls a version id that it never gave.
_NO_VERSION = "InvalidArgument"


class S3WorkspaceFiles:
    """``operations.ports.WorkspaceFiles`` on one bucket."""

    def __init__(self, s3: BaseClient, bucket: str, clock: Callable[[], datetime]) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._clock = clock

    @property
    def bucket(self) -> str:
        return self._bucket

    def workspace(self, caller: Caller) -> str:
        return keys.workspace_prefix(caller)

    def upload_key(self, caller: Caller, file_name: str) -> str:
        return keys.upload_key(caller, file_name)

    def require_inside(self, caller: Caller, key: str) -> None:
        keys.require_inside(caller, key)

    def copy_key(self, caller: Caller, artifact: Artifact) -> str:
        return keys.copy_key(caller, artifact)

    def find(self, key: str, version_id: str | None = None) -> StoredFile | None:
        wanted = {"Bucket": self._bucket, "Key": key}
        if version_id is not None:
            wanted["VersionId"] = version_id
        try:
            head = self._s3.head_object(**wanted)
        except ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            # 404: nothing there; 405: a delete marker.
            if (
                status in (404, 405)
                or (status == 403 and self._is_not_there(key))
                or (status == 400 and version_id is not None and self._is_no_version(wanted))
            ):
                return None
            raise
        return StoredFile(
            key=key,
            version_id=head.get("VersionId", "null"),
            size=head["ContentLength"],
            written_at=head["LastModified"],
            metadata=head.get("Metadata", {}),
        )

    def announced(self, key: str, size: int, sha256: str) -> str | None:
        try:
            newest = self.find(key)
        except ClientError as error:
            # S3's answer for a missing object to a role that may read but not list.
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 403:
                return None
            raise
        same = newest is not None and (newest.size, newest.metadata.get("sha256")) == (size, sha256)
        return newest.version_id if newest and same else None

    def _is_not_there(self, key: str) -> bool:
        """Whether that is all there is to a refusal: a grant that is bound to prefixes may not count as the right to
        know what is missing. Raises when even that is refused."""
        page = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        return [item["Key"] for item in page.get("Contents", [])] != [key]

    def _is_no_version(self, wanted: Mapping[str, str]) -> bool:
        """Whether what was asked for is no version id at all. The answer to a HEAD has no body to say so, and tells of
        credentials that are over by the same number: for these no file may count as gone."""
        try:
            self._s3.get_object(**wanted, Range="bytes=0-0")["Body"].close()
        except ClientError as error:
            return error_code(error) in (_NO_VERSION, *MISSING)
        return False

    def near_keys(self, prefix: str) -> Sequence[str]:
        page = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=prefix, MaxKeys=NEAR_KEYS_SCANNED_MAX)
        return [item["Key"] for item in page.get("Contents", [])]

    def chunks(self, key: str, version_id: str) -> Iterator[bytes]:
        done = failures = 0
        while True:
            body = self._rest(key, version_id, done)
            try:
                for chunk in body.iter_chunks(_CHUNK_BYTES):
                    done, failures = done + len(chunk), 0
                    yield chunk
                return
            except _BROKEN:
                failures += 1
                if failures >= _TRIES_WITHOUT_A_BYTE:
                    raise
            wait_after(failures)

    def _rest(self, key: str, version_id: str, done: int) -> Any:
        """What follows the first ``done`` bytes, as boto3 streams a body."""
        wanted = {"Bucket": self._bucket, "Key": key, "VersionId": version_id}
        with _gone_meanwhile():
            return self._s3.get_object(**wanted, **({"Range": f"bytes={done}-"} if done else {}))["Body"]

    def presign_download(self, location: Location) -> PresignedRequest:
        wanted = {"Key": location.key, "VersionId": location.version_id}
        return self._presigned("GET", "get_object", wanted, headers={})

    def copy(self, location: Location, key: str) -> StoredFile:
        with _gone_meanwhile(), _copying(self._s3) as manager:
            manager.copy(
                {"Bucket": location.bucket, "Key": location.key, "VersionId": location.version_id},
                self._bucket,
                key,
                extra_args={
                    "Metadata": {"sha256": location.sha256},
                    "MetadataDirective": "REPLACE",
                    # A node's tags are its own; to copy them, the function would need to read and write tags.
                    "TaggingDirective": "REPLACE",
                },
            ).result()
        copied = self.find(key)
        # By what the copy was marked with: a file of a node may be as long as it.
        if copied is None or copied.metadata.get("sha256") != location.sha256:
            raise Refusal(ProblemCode.UNAVAILABLE, "The copy was replaced while it was made.")
        return copied

    def plan_upload(self, key: str, size: int, sha256: str, upload_id: str | None = None) -> UploadPlan:
        if size <= SINGLE_UPLOAD_BYTES_MAX:
            return UploadPlan(key, put=self._presigned_put(key, size, sha256))
        upload_id = upload_id or self._begin_upload(key, sha256)
        upload = {"Key": key, "UploadId": upload_id}
        parts = [
            UploadPart(number, offset, length, self._presigned("PUT", "upload_part", {**upload, "PartNumber": number}))
            for number, offset, length in part_ranges(size)
        ]
        complete = self._presigned("POST", "complete_multipart_upload", upload)
        return UploadPlan(key, parts=tuple(parts), complete=complete, upload_id=upload_id)

    def _begin_upload(self, key: str, sha256: str) -> str:
        begun = self._s3.create_multipart_upload(Bucket=self._bucket, Key=key, Metadata={"sha256": sha256})
        return str(begun["UploadId"])

    def _presigned_put(self, key: str, size: int, sha256: str) -> PresignedRequest:
        # Length and checksum are signed, and S3 compares the body with both: the URL takes these bytes and no others.
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        signed = {"Content-Length": str(size), "x-amz-meta-sha256": sha256, "x-amz-checksum-sha256": checksum}
        wanted = {"Key": key, "ContentLength": size, "Metadata": {"sha256": sha256}, "ChecksumSHA256": checksum}
        return self._presigned("PUT", "put_object", wanted, headers=signed)

    def _presigned(
        self, method: str, operation: str, wanted: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> PresignedRequest:
        expires_at = self._clock() + timedelta(seconds=PRESIGNED_SECONDS)
        url = self._s3.generate_presigned_url(
            operation, Params={"Bucket": self._bucket, **wanted}, ExpiresIn=PRESIGNED_SECONDS, HttpMethod=method
        )
        return PresignedRequest(method, url, dict(headers or {}), expires_at)


def _copying(s3: BaseClient) -> TransferManager:
    """The parts run beside each other, S3 does the work; they are asked for in the caller's name, in other threads."""
    # Imported here: all functions know these files, and one copies them.
    from boto3.s3.transfer import TransferConfig
    from s3transfer.manager import TransferManager

    config = TransferConfig(multipart_threshold=COPY_BYTES_MAX, multipart_chunksize=COPY_PART_BYTES, max_concurrency=10)
    return TransferManager(s3, config, executor_cls=CarryingThreads)


@contextmanager
def _gone_meanwhile() -> Iterator[None]:
    """A version that was there a moment ago and is not any more."""
    try:
        yield
    except ClientError as error:
        if error_code(error) in MISSING:
            raise Refusal(ProblemCode.FILE_MISSING, "The file was deleted while it was being read.") from error
        raise


def part_ranges(size: int) -> list[tuple[int, int, int]]:
    """(number from 1, offset, length) of each part; parts grow where UPLOAD_PART_BYTES would make too many."""
    length = max(UPLOAD_PART_BYTES, -(-size // UPLOAD_PARTS_MAX))
    offsets = range(0, size, length)
    return [(number, offset, min(length, size - offset)) for number, offset in enumerate(offsets, start=1)]
