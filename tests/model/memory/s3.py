"""Buckets that keep every version."""

from __future__ import annotations

import hashlib
import io
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from botocore.response import StreamingBody

from tests.model.memory.faults import client_error

Answer = dict[str, Any]


@dataclass(frozen=True)
class Version:
    """``body`` is None for a delete marker."""

    version_id: str
    body: bytes | None
    written_at: datetime
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass
class Upload:
    bucket: str
    key: str
    metadata: dict[str, str]
    parts: dict[int, bytes] = field(default_factory=dict)


class MemoryS3:
    """Answers the client's operations by their names."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._numbers = itertools.count(1)
        # Of a key: its versions, oldest first.
        self.buckets: dict[str, dict[str, list[Version]]] = {}
        self.uploads: dict[str, Upload] = {}

    def CreateBucket(self, Bucket: str) -> Answer:
        self.buckets[Bucket] = {}
        return {}

    def PutBucketVersioning(self, **_: Any) -> Answer:
        return {}

    # --- reading -----------------------------------------------------------------------------------------

    def HeadObject(self, Bucket: str, Key: str, VersionId: str | None = None) -> Answer:
        version = self._found("HeadObject", Bucket, Key, VersionId)
        body = version.body or b""
        return {
            "ContentLength": len(body),
            "ETag": _etag(body),
            "LastModified": version.written_at,
            "Metadata": dict(version.metadata),
            "VersionId": version.version_id,
        }

    def GetObject(self, Bucket: str, Key: str, VersionId: str | None = None, Range: str | None = None) -> Answer:
        version = self._found("GetObject", Bucket, Key, VersionId)
        body = version.body or b""
        if Range is not None:
            first, last = Range.removeprefix("bytes=").split("-")
            body = body[int(first) : int(last) + 1]
        return {
            "Body": StreamingBody(io.BytesIO(body), len(body)),
            "ContentLength": len(body),
            "Metadata": dict(version.metadata),
            "VersionId": version.version_id,
        }

    def ListObjectsV2(self, Bucket: str, Prefix: str = "", MaxKeys: int = 1_000, **more: Any) -> Answer:
        _none_of(more)
        newest = {key: versions[-1] for key, versions in self._below(Bucket, Prefix)}
        there = [{"Key": key, "Size": len(one.body)} for key, one in newest.items() if one.body is not None]
        return {"Contents": there[:MaxKeys], "IsTruncated": len(there) > MaxKeys}

    def ListObjectVersions(self, Bucket: str, Prefix: str = "", **more: Any) -> Answer:
        _none_of({name: value for name, value in more.items() if name != "MaxKeys"})
        every = [(key, one, versions[-1]) for key, versions in self._below(Bucket, Prefix) for one in versions]
        told = [{"Key": key, "VersionId": one.version_id, "IsLatest": one is last} for key, one, last in every]
        sizes = [None if one.body is None else len(one.body) for _, one, _ in every]
        return {
            "Versions": [{**each, "Size": size} for each, size in zip(told, sizes, strict=True) if size is not None],
            "DeleteMarkers": [each for each, size in zip(told, sizes, strict=True) if size is None],
            "IsTruncated": False,
        }

    def _below(self, bucket: str, prefix: str) -> Iterator[tuple[str, list[Version]]]:
        return ((key, self.buckets[bucket][key]) for key in sorted(self.buckets[bucket]) if key.startswith(prefix))

    def _found(self, operation: str, bucket: str, key: str, version_id: str | None) -> Version:
        versions = self.buckets[bucket].get(key, [])
        if version_id is None:
            if not versions or versions[-1].body is None:
                raise _missing(operation, "NoSuchKey")
            return versions[-1]
        if not version_id.startswith("v"):
            raise client_error(operation, 400, "400" if operation == "HeadObject" else "InvalidArgument")
        for version in versions:
            if version.version_id == version_id:
                if version.body is None:
                    raise client_error(operation, 405, "405" if operation == "HeadObject" else "MethodNotAllowed")
                return version
        raise _missing(operation, "NoSuchVersion")

    # --- writing -----------------------------------------------------------------------------------------

    def PutObject(
        self, Bucket: str, Key: str, Body: Any = b"", Metadata: dict[str, str] | None = None, **_: Any
    ) -> Answer:
        body = Body if isinstance(Body, bytes) else bytes(Body.read())
        return {"VersionId": self._put(Bucket, Key, body, Metadata or {}), "ETag": _etag(body)}

    def CopyObject(
        self, Bucket: str, Key: str, CopySource: Any, Metadata: dict[str, str], MetadataDirective: str, **_: Any
    ) -> Answer:
        assert MetadataDirective == "REPLACE"
        source = self._found("CopyObject", CopySource["Bucket"], CopySource["Key"], CopySource.get("VersionId"))
        return {"VersionId": self._put(Bucket, Key, source.body, Metadata), "CopyObjectResult": {"ETag": '""'}}

    def DeleteObject(self, Bucket: str, Key: str, VersionId: str | None = None) -> Answer:
        if VersionId is None:
            return {"VersionId": self._put(Bucket, Key, None, {}), "DeleteMarker": True}
        kept = [each for each in self.buckets[Bucket].get(Key, []) if each.version_id != VersionId]
        self.buckets[Bucket][Key] = kept
        if not kept:
            del self.buckets[Bucket][Key]
        return {"VersionId": VersionId}

    def DeleteObjects(self, Bucket: str, Delete: Any, **_: Any) -> Answer:
        for each in Delete["Objects"]:
            self.DeleteObject(Bucket, each["Key"], each.get("VersionId"))
        return {"Deleted": [] if Delete.get("Quiet") else list(Delete["Objects"])}

    def CreateMultipartUpload(self, Bucket: str, Key: str, Metadata: dict[str, str] | None = None, **_: Any) -> Answer:
        upload_id = f"upload-{next(self._numbers)}"
        self.uploads[upload_id] = Upload(Bucket, Key, Metadata or {})
        return {"UploadId": upload_id}

    def UploadPart(self, UploadId: str, PartNumber: int, Body: bytes, **_: Any) -> Answer:
        self._upload("UploadPart", UploadId).parts[PartNumber] = Body
        return {"ETag": _etag(Body)}

    def CompleteMultipartUpload(self, Bucket: str, Key: str, UploadId: str, MultipartUpload: Any) -> Answer:
        upload = self._upload("CompleteMultipartUpload", UploadId)
        del self.uploads[UploadId]
        body = b"".join(upload.parts[part["PartNumber"]] for part in MultipartUpload["Parts"])
        return {"VersionId": self._put(Bucket, Key, body, upload.metadata)}

    def AbortMultipartUpload(self, UploadId: str, **_: Any) -> Answer:
        self.uploads.pop(UploadId, None)
        return {}

    def _upload(self, operation: str, upload_id: str) -> Upload:
        if upload_id not in self.uploads:
            raise client_error(operation, 404, "NoSuchUpload")
        return self.uploads[upload_id]

    def ListMultipartUploads(self, Bucket: str, Prefix: str = "", **_: Any) -> Answer:
        there = [(name, upload) for name, upload in self.uploads.items() if upload.bucket == Bucket]
        told = [{"Key": upload.key, "UploadId": name} for name, upload in there if upload.key.startswith(Prefix)]
        return {"Uploads": told, "IsTruncated": False}

    def _put(self, bucket: str, key: str, body: bytes | None, metadata: dict[str, str]) -> str:
        version_id = f"v{next(self._numbers)}"
        # S3 tells the time of writing in whole seconds.
        written_at = self._clock().replace(microsecond=0)
        self.buckets[bucket].setdefault(key, []).append(Version(version_id, body, written_at, dict(metadata)))
        return version_id


def _etag(body: bytes) -> str:
    return f'"{hashlib.md5(body).hexdigest()}"'


def _missing(operation: str, code: str) -> Any:
    # A HEAD has no body, so its error has no code but the status.
    return client_error(operation, 404, "404" if operation == "HeadObject" else code)


def _none_of(more: dict[str, Any]) -> None:
    if more:
        raise NotImplementedError(f"{sorted(more)}")
