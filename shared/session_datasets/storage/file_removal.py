"""Removing everything that lies below a prefix: every version, every delete marker, every unfinished upload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from session_datasets.domain.ending import Removed
from session_datasets.domain.scope import SharedScope
from session_datasets.storage import keys
from session_datasets.storage.faults import error_code

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Each is aborted by a request of its own, so a page of them is shorter than one of versions, which go a thousand at a
# time.
_UPLOADS_OF_A_PAGE = 50


class S3FileRemoval:
    """``operations.ports.FileRemoval`` on one bucket."""

    def __init__(self, s3: BaseClient, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket

    def derived(self, scope: SharedScope) -> Iterator[Removed]:
        prefix = keys.derived_prefix(scope)
        yield from self._uploads(prefix)
        for count, size in self._versions(prefix):
            yield Removed(derived_objects=count, bytes=size)

    def files(self, scope: SharedScope) -> Iterator[Removed]:
        prefix = keys.shared_prefix(scope)
        # First, so that none is completed behind the last page of versions.
        yield from self._uploads(prefix)
        for count, size in self._versions(prefix):
            yield Removed(file_versions=count, bytes=size)

    def _versions(self, prefix: str) -> Iterator[tuple[int, int]]:
        """Number and bytes of the versions that went, page by page."""
        more = True
        while more:
            # From the beginning each time: whatever was listed before is gone, or an error was raised.
            page = self._s3.list_object_versions(Bucket=self._bucket, Prefix=prefix)
            more = page.get("IsTruncated", False)
            versions = page.get("Versions", [])
            found = [
                {"Key": each["Key"], "VersionId": each["VersionId"]}
                for each in [*versions, *page.get("DeleteMarkers", [])]
            ]
            if found:
                self._delete(found)
                yield len(found), sum(each["Size"] for each in versions)

    def _delete(self, versions: list[dict[str, str]]) -> None:
        answer = self._s3.delete_objects(Bucket=self._bucket, Delete={"Objects": versions, "Quiet": True})
        if errors := answer.get("Errors"):
            # As if it had been asked for alone: what is busy may be asked again, anything else is for a person to see.
            raise ClientError({"Error": errors[0]}, "DeleteObjects")

    def _uploads(self, prefix: str) -> Iterator[Removed]:
        more = True
        while more:
            page = self._s3.list_multipart_uploads(Bucket=self._bucket, Prefix=prefix, MaxUploads=_UPLOADS_OF_A_PAGE)
            aborted = sum(map(self._is_aborted, page.get("Uploads", [])))
            # A page of which nothing could be aborted would be listed again and again.
            more = page.get("IsTruncated", False) and aborted > 0
            if aborted:
                yield Removed(uploads=aborted)

    def _is_aborted(self, upload: dict[str, Any]) -> bool:
        try:
            self._s3.abort_multipart_upload(Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"])
        except ClientError as error:
            if error_code(error) != "NoSuchUpload":
                raise
            return False
        return True
