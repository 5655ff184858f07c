"""What the service writes beside the originals: rows objects and whole profiles."""

from __future__ import annotations

from pathlib import Path

from botocore.client import BaseClient
from botocore.exceptions import ClientError
from pydantic import TypeAdapter

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import Layout, Profile
from session_datasets.storage import keys
from session_datasets.storage.faults import MISSING, error_code

_PROFILE = TypeAdapter(Profile)


class S3DerivedFiles:
    """``operations.ports.DerivedFiles`` on one bucket."""

    def __init__(self, s3: BaseClient, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def write_rows(self, owner: str, artifact_id: str, file: Path) -> tuple[str, str]:
        key = keys.rows_key(owner, artifact_id)
        # One PUT, for it answers the version id that the record pins; S3 takes 5 GiB in one, far above TABLE_BYTES_MAX.
        with file.open("rb") as body:
            stored = self._s3.put_object(Bucket=self._bucket, Key=key, Body=body)
        return key, stored["VersionId"]

    def write_profile(self, owner: str, artifact_id: str, profile: Profile) -> str:
        key = keys.profile_key(owner, artifact_id)
        self._s3.put_object(
            Bucket=self._bucket, Key=key, Body=_PROFILE.dump_json(profile), ContentType="application/json"
        )
        return key

    def read_profile(self, key: str) -> Profile:
        return _PROFILE.validate_json(_get(self._s3, Bucket=self._bucket, Key=key))

    def ranges(self, layout: Layout) -> S3Ranges:
        return S3Ranges(self._s3, self._bucket, layout)


class S3Ranges:
    """``operations.ports.RangeSource``: every read is one GET of the pinned version, and is counted."""

    def __init__(self, s3: BaseClient, bucket: str, layout: Layout) -> None:
        self._s3 = s3
        self._object = {"Bucket": bucket, "Key": layout.key, "VersionId": layout.version_id}
        self._size = layout.size
        self._requests = 0
        self._bytes = 0

    @property
    def size(self) -> int:
        return self._size

    @property
    def cost(self) -> ReadCost:
        return ReadCost(self._requests, self._bytes)

    def read(self, offset: int, length: int) -> bytes:
        last = min(offset + length, self._size) - 1
        body = _get(self._s3, **self._object, Range=f"bytes={offset}-{last}")
        self._requests += 1
        self._bytes += len(body)
        return body


def _get(s3: BaseClient, **wanted: str) -> bytes:
    try:
        return bytes(s3.get_object(**wanted)["Body"].read())
    except ClientError as error:
        if error_code(error) in MISSING:
            raise Refusal(
                ProblemCode.FILE_MISSING, "What the service wrote for reading this artifact has been deleted."
            ) from error
        raise
