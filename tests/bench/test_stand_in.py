"""The stand-in for S3 does what boto3 expects of S3, and counts all of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bench.stand_in.ranges import range_of
from tests.bench.stand_in.running import StandIn

PLACE = {"Bucket": "bench", "Key": "a folder/file.bin"}
BODY = bytes(range(256)) * 1_000


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    with StandIn(tmp_path_factory.mktemp("store")) as running:
        yield running


@pytest.fixture(scope="module")
def s3(stand_in: StandIn) -> Any:
    return boto3.client(
        "s3", endpoint_url=stand_in.endpoint, region_name="us-east-1",
        aws_access_key_id="bench", aws_secret_access_key="bench",
    )  # fmt: skip


@pytest.fixture
def version_id(stand_in: StandIn, s3: Any) -> str:
    """Of BODY, at PLACE; nothing is counted yet."""
    stored: str = s3.put_object(**PLACE, Body=BODY)["VersionId"]
    stand_in.counted()
    return stored


def test_a_range_is_answered_and_its_bytes_are_counted(stand_in: StandIn, s3: Any, version_id: str) -> None:
    answer = s3.get_object(**PLACE, VersionId=version_id, Range="bytes=1000-100999")
    assert (answer["Body"].read(), answer["ContentRange"]) == (BODY[1_000:101_000], "bytes 1000-100999/256000")
    counted = stand_in.counted()
    assert (counted.requests, counted.bytes_out, dict(counted.operations)) == (1, 100_000, {"GET": 1})


def test_a_head_counts_as_a_request_without_bytes(stand_in: StandIn, s3: Any, version_id: str) -> None:
    assert s3.head_object(**PLACE)["ContentLength"] == len(BODY)
    counted = stand_in.counted()
    assert (counted.requests, counted.bytes) == (1, 0)


def test_counts_begin_anew_when_they_were_taken(stand_in: StandIn, s3: Any, version_id: str) -> None:
    s3.get_object(**PLACE)["Body"].read()
    stand_in.counted()
    assert stand_in.counted().requests == 0


def test_another_version_is_not_there(s3: Any, version_id: str) -> None:
    s3.put_object(**PLACE, Body=b"new")
    with pytest.raises(ClientError) as refused:
        s3.get_object(**PLACE, VersionId=version_id)
    assert refused.value.response["Error"]["Code"] == "NoSuchVersion"


def test_a_range_beyond_the_end_is_refused(s3: Any, version_id: str) -> None:
    with pytest.raises(ClientError) as refused:
        s3.get_object(**PLACE, Range=f"bytes={len(BODY)}-")
    assert refused.value.response["Error"]["Code"] == "InvalidRange"


def test_parts_become_one_object_in_the_order_of_their_numbers(s3: Any) -> None:
    upload = s3.create_multipart_upload(**PLACE)["UploadId"]
    parts = [
        {"PartNumber": number, "ETag": _part(s3, upload, number, body)}
        for number, body in ((2, b"second"), (11, b"last"), (1, b"first"))
    ]
    done = s3.complete_multipart_upload(**PLACE, UploadId=upload, MultipartUpload={"Parts": parts})
    assert s3.get_object(**PLACE, VersionId=done["VersionId"])["Body"].read() == b"firstsecondlast"


def test_an_aborted_upload_leaves_what_was_there(s3: Any, version_id: str) -> None:
    upload = s3.create_multipart_upload(**PLACE)["UploadId"]
    _part(s3, upload, 1, b"never seen")
    s3.abort_multipart_upload(**PLACE, UploadId=upload)
    assert s3.get_object(**PLACE, VersionId=version_id)["Body"].read() == BODY


def test_a_listing_names_what_begins_with_the_prefix(s3: Any) -> None:
    for key in ("list/b", "list/a&b", "other"):
        s3.put_object(Bucket="listed", Key=key, Body=b"12")
    page = s3.list_objects_v2(Bucket="listed", Prefix="list/")
    assert [(each["Key"], each["Size"]) for each in page["Contents"]] == [("list/a&b", 2), ("list/b", 2)]


def test_it_ends_with_its_owner_and_leaves_no_upload_behind(tmp_path: Path) -> None:
    with StandIn(tmp_path) as running:
        process = running._process
    assert (process.returncode, list(tmp_path.iterdir())) == (0, [])


@settings(deadline=None)
@given(size=st.integers(1, 10**6), data=st.data())
def test_a_range_is_what_slicing_answers(size: int, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(begin, 2 * size))
    assert range_of(f"bytes={begin}-{last}", size) == (begin, min(size, last + 1) - begin)
    assert range_of(f"bytes={begin}-", size) == (begin, size - begin)
    assert range_of(f"bytes=-{last - begin + 1}", size) == (
        max(0, size - (last - begin + 1)),
        min(size, last - begin + 1),
    )


def _part(s3: Any, upload: str, number: int, body: bytes) -> str:
    etag: str = s3.upload_part(**PLACE, UploadId=upload, PartNumber=number, Body=body)["ETag"]
    return etag
