"""Objects below a prefix, removed for good; what S3 refuses is raised and not passed over."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError

from session_datasets.domain.ending import NOTHING_REMOVED, Removed
from session_datasets.domain.scope import ScopeKind, SharedScope
from session_datasets.storage.faults import refusal_of
from session_datasets.storage.file_removal import S3FileRemoval
from tests.support.moto_cloud import MotoCloud

RUN = SharedScope(ScopeKind.RUN, "acme", "run-1")


def removal(cloud: MotoCloud) -> S3FileRemoval:
    return S3FileRemoval(cloud.s3, cloud.bucket)


def put(cloud: MotoCloud, *keys: str) -> None:
    for key in keys:
        cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=b"four")


def keys(cloud: MotoCloud) -> set[str]:
    return {each["Key"] for each in cloud.s3.list_object_versions(Bucket=cloud.bucket).get("Versions", [])}


def total(pages: Any) -> Removed:
    return sum(pages, NOTHING_REMOVED)


def test_only_what_lies_below_the_prefix_goes(cloud: MotoCloud) -> None:
    kept = {"acme/runs/run-10/a", "acme/runs/run-1.csv", "acme/conversations/run-1/a", "_derived/acme/runs/run-1/a"}
    put(cloud, "acme/runs/run-1/ses/datasets/a", "acme/runs/run-1/other", *kept)
    assert total(removal(cloud).files(RUN)) == Removed(file_versions=2, bytes=8)
    assert keys(cloud) == kept


def test_derived_objects_have_a_prefix_of_their_own(cloud: MotoCloud) -> None:
    put(cloud, "_derived/acme/runs/run-1/ses/art/rows", "_derived/acme/runs/run-10/a", "acme/runs/run-1/a")
    assert total(removal(cloud).derived(RUN)) == Removed(derived_objects=1, bytes=4)
    assert keys(cloud) == {"_derived/acme/runs/run-10/a", "acme/runs/run-1/a"}


@pytest.mark.parametrize("key", ["a b+c(1),=@.csv", "ü/ß.csv", "a&b<c>.csv", "%2e%2e/x", 'quo"te'])
def test_any_key_that_a_node_could_write_is_removed(cloud: MotoCloud, key: str) -> None:
    put(cloud, f"acme/runs/run-1/{key}")
    assert total(removal(cloud).files(RUN)).file_versions == 1
    assert keys(cloud) == set()


def test_more_than_a_page_goes_page_by_page(cloud: MotoCloud) -> None:
    put(cloud, *(f"acme/runs/run-1/{n}" for n in range(7)))
    list_all = cloud.s3.list_object_versions
    with patch.object(cloud.s3, "list_object_versions", lambda **wanted: list_all(**wanted, MaxKeys=3)):
        counts = [page.file_versions for page in removal(cloud).files(RUN)]
    assert counts == [3, 3, 1]
    assert keys(cloud) == set()


@pytest.mark.parametrize(("code", "busy"), [("SlowDown", True), ("InternalError", True), ("AccessDenied", False)])
def test_a_version_that_is_refused_is_raised(cloud: MotoCloud, code: str, busy: bool) -> None:
    put(cloud, "acme/runs/run-1/a")
    answer = {"Errors": [{"Key": "acme/runs/run-1/a", "Code": code, "Message": "no"}]}
    with patch.object(cloud.s3, "delete_objects", return_value=answer), pytest.raises(ClientError) as raised:
        total(removal(cloud).files(RUN))
    assert (refusal_of(raised.value) is not None) is busy


def test_an_upload_that_ends_meanwhile_is_not_counted(cloud: MotoCloud) -> None:
    begun = cloud.s3.create_multipart_upload(Bucket=cloud.bucket, Key="acme/runs/run-1/a")
    upload = {"Bucket": cloud.bucket, "Key": "acme/runs/run-1/a", "UploadId": begun["UploadId"]}
    abort = cloud.s3.abort_multipart_upload

    def twice(**wanted: Any) -> Any:
        abort(**upload)
        return abort(**wanted)

    with patch.object(cloud.s3, "abort_multipart_upload", twice):
        assert total(removal(cloud).files(RUN)) == NOTHING_REMOVED
