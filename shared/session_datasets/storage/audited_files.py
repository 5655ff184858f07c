"""The bucket as an audit reads it: whether a version is there, whose files there are, and what they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from session_datasets.domain.audit import FilePage, FilePlace, ListedFile, Report
from session_datasets.domain.scope import is_id
from session_datasets.storage import keys
from session_datasets.storage.workspace_files import S3WorkspaceFiles

if TYPE_CHECKING:
    from botocore.client import BaseClient

_AFTER, _BELOW = "after", "below"
_REPORT_VERSION = 1
# The character after '/': all keys of an owner come before it, and those of no later owner do.
_AFTER_SLASH = "0"


class S3AuditedFiles:
    """``operations.audit_records.AuditedFiles`` on one bucket.

    ``everywhere`` may see whose files there are and nothing else; ``s3`` is asked in an owner's name.
    """

    def __init__(self, everywhere: BaseClient, s3: BaseClient, bucket: str, files: S3WorkspaceFiles) -> None:
        self._everywhere = everywhere
        self._s3 = s3
        self._bucket = bucket
        self._files = files

    def is_there(self, key: str, version_id: str | None, size: int | None) -> bool:
        found = self._files.find(key, version_id)
        return found is not None and size in (None, found.size)

    def owner_after(self, owner: str) -> str | None:
        begins = {"StartAfter": owner + _AFTER_SLASH} if owner else {}
        more = True
        while more:
            page = self._everywhere.list_objects_v2(Bucket=self._bucket, Prefix="", Delimiter="/", **begins)
            names = (str(each["Prefix"]).removesuffix("/") for each in page.get("CommonPrefixes", []))
            # What the service itself wrote lies below names that no owner can have, and so may what a person put there:
            # below "/", after which everything would begin anew, or below what no role can be put on for.
            if (found := next(filter(is_id, names), None)) is not None:
                return found
            more = page.get("IsTruncated", False)
            begins = {"ContinuationToken": page["NextContinuationToken"]} if more else {}
        return None

    def page(self, owner: str, position: Mapping[str, str], limit: int) -> FilePage:
        below = keys.owners_prefixes(owner)
        prefix = position.get(_BELOW, below[0])
        begins = {"StartAfter": position[_AFTER]} if _AFTER in position else {}
        page = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=prefix, MaxKeys=limit, **begins)
        listed = page.get("Contents", [])
        if page.get("IsTruncated", False):
            left = {_BELOW: prefix, _AFTER: listed[-1]["Key"]}
        else:
            left = {_BELOW: below[1]} if prefix == below[0] else {}
        return FilePage(tuple(_files(listed)), left)

    def write_report(self, report: Report) -> None:
        told = {
            "v": _REPORT_VERSION,
            "owner": report.owner,
            "at": report.at.isoformat(),
            **{name: count for name, count in asdict(report.found).items() if name in _OF_FILES},
        }
        key = keys.report_key(report.owner, report.sweep)
        self._s3.put_object(
            Bucket=self._bucket, Key=key, Body=json.dumps(told).encode(), ContentType="application/json"
        )


# What a report tells of the files of one owner.
_OF_FILES = ("files", "unregistered", "bytes")


def _files(listed: list[dict[str, Any]]) -> Iterator[ListedFile]:
    for each in listed:
        place = keys.place_of(each["Key"])
        if isinstance(place, FilePlace) and keys.is_of_a_node(place):
            yield ListedFile(place, each["Size"], each["LastModified"])
