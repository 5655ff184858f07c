"""Derived objects on S3: written in parts, seen when complete, read in counted ranges of one version."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import MIB
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import DerivedObject, Layout, Role
from session_datasets.domain.scope import Scope
from session_datasets.storage.derived_files import S3DerivedFiles, S3DerivedReader
from session_datasets.storage.object_sink import ObjectSink
from session_datasets.storage.ranged_gets import RangedGets
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session

# The least that S3 takes for a part that is not the last.
PART = 5 * MIB
SCOPE = Scope("acme", "ses-1", "talk-1", None)
KEY = "_derived/acme/conversations/talk-1/a/rows"


@contextmanager
def asked(cloud: MotoCloud) -> Iterator[list[str]]:
    """The names of the requests to S3 while it lasts."""
    names: list[str] = []

    def note(model: Any, **_: Any) -> None:
        names.append(model.name)

    quickly = RangedGets._quickly

    def noted(gets: RangedGets, url: str, first: int, last: int) -> bytes | None:
        names.append("GetObject")
        return quickly(gets, url, first, last)

    cloud.s3.meta.events.register("before-call.s3.*", note)
    try:
        with patch.object(RangedGets, "_quickly", noted):
            yield names
    finally:
        cloud.s3.meta.events.unregister("before-call.s3.*", note)


@contextmanager
def failing(cloud: MotoCloud, operation: str, key_end: str = "") -> Iterator[None]:
    """While it lasts, requests of this kind for such keys find nobody."""

    def fail(params: Any, **_: Any) -> None:
        if params["url_path"].endswith(key_end):
            raise EndpointConnectionError(endpoint_url="https://s3")

    cloud.s3.meta.events.register(f"before-call.s3.{operation}", fail)
    try:
        yield
    finally:
        cloud.s3.meta.events.unregister(f"before-call.s3.{operation}", fail)


def sink_of(cloud: MotoCloud) -> ObjectSink:
    return ObjectSink(cloud.s3, cloud.bucket, KEY, PART)


def written(cloud: MotoCloud, body: bytes, piece: int = 1_999_999) -> DerivedObject:
    sink = sink_of(cloud)
    for begin in range(0, len(body), piece):
        sink.write(memoryview(body)[begin : begin + piece])
    assert sink.tell() == len(body)
    return sink.commit()


def stored(cloud: MotoCloud, found: DerivedObject) -> bytes:
    got = cloud.s3.get_object(Bucket=cloud.bucket, Key=found.key, VersionId=found.version_id)
    return bytes(got["Body"].read())


def versions(cloud: MotoCloud) -> list[str]:
    listed = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix="_derived/")
    return [version["Key"] for version in listed.get("Versions", [])]


def unfinished(cloud: MotoCloud) -> list[str]:
    return [upload["Key"] for upload in cloud.s3.list_multipart_uploads(Bucket=cloud.bucket).get("Uploads", [])]


def parts(count: int) -> list[str]:
    return ["CreateMultipartUpload", *["UploadPart"] * count, "CompleteMultipartUpload"]


@pytest.mark.parametrize(
    ("size", "requests"),
    [
        (0, ["PutObject"]),
        (1, ["PutObject"]),
        (PART - 1, ["PutObject"]),
        (PART, parts(1)),
        (PART + 1, parts(2)),
        (2 * PART, parts(2)),
        (2 * PART + 1, parts(3)),
    ],
)
def test_an_object_takes_these_requests_and_holds_what_was_written(
    cloud: MotoCloud, size: int, requests: list[str]
) -> None:
    body = bytes(range(251)) * (size // 251 + 1)
    with asked(cloud) as names:
        found = written(cloud, body[:size])
    assert names == requests
    assert (found.key, found.size) == (KEY, size)
    assert stored(cloud, found) == body[:size]


def test_one_write_may_be_larger_than_a_part(cloud: MotoCloud) -> None:
    body = bytes(range(251)) * 60_000
    with asked(cloud) as names:
        found = written(cloud, body, len(body))
    assert names == parts(3)
    assert stored(cloud, found) == body


def test_a_part_that_can_not_be_sent_fails_the_writing_of_the_next_one(cloud: MotoCloud) -> None:
    sink = sink_of(cloud)
    with failing(cloud, "UploadPart"):
        sink.write(b"x" * PART)
        with pytest.raises(EndpointConnectionError):
            sink.write(b"x" * PART)
    sink.abandon()
    assert (versions(cloud), unfinished(cloud)) == ([], [])


def test_a_last_part_that_can_not_be_sent_fails_the_commit(cloud: MotoCloud) -> None:
    sink = sink_of(cloud)
    with failing(cloud, "UploadPart"):
        sink.write(b"x" * PART)
        with pytest.raises(EndpointConnectionError):
            sink.commit()
    sink.abandon()
    assert (versions(cloud), unfinished(cloud)) == ([], [])


@pytest.mark.parametrize("end", [ObjectSink.commit, ObjectSink.abandon])
def test_no_thread_is_left_behind(cloud: MotoCloud, end: Callable[[ObjectSink], object]) -> None:
    sink = sink_of(cloud)
    sink.write(b"x" * (PART + 1))
    end(sink)
    assert [each for each in threading.enumerate() if each.name.startswith("object-sink")] == []


@pytest.mark.parametrize("operation", ["UploadPart", "CompleteMultipartUpload"])
def test_an_upload_that_an_end_took_back_meanwhile_is_worth_another_try(cloud: MotoCloud, operation: str) -> None:
    def taken_back(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "NoSuchUpload"}}, operation)

    sink = ObjectSink(cloud.s3, cloud.bucket, KEY, PART)
    events = cloud.s3.meta.events
    events.register(f"before-call.s3.{operation}", taken_back)
    sink.write(b"x" * (PART + 1))
    with pytest.raises(Refusal) as refused:
        sink.commit()
    events.unregister(f"before-call.s3.{operation}", taken_back)
    assert refused.value.problem.code is ProblemCode.UNAVAILABLE


def test_nothing_is_visible_before_the_commit(cloud: MotoCloud) -> None:
    sink = sink_of(cloud)
    sink.write(b"x" * (PART + 1))
    assert versions(cloud) == []
    sink.commit()
    assert versions(cloud) == [KEY]


def test_what_was_abandoned_leaves_neither_object_nor_parts(cloud: MotoCloud) -> None:
    sink = sink_of(cloud)
    sink.write(b"x" * (PART + 1))
    assert unfinished(cloud) == [KEY]
    sink.abandon()
    assert (versions(cloud), unfinished(cloud)) == ([], [])


def test_abandoning_asks_nobody_when_nothing_was_sent_or_all_was_committed(cloud: MotoCloud) -> None:
    small, done = sink_of(cloud), sink_of(cloud)
    small.write(b"x")
    done.write(b"x" * PART)
    done.commit()
    with asked(cloud) as names:
        small.abandon()
        done.abandon()
    assert names == []
    assert versions(cloud) == [KEY]


def test_an_abandoning_that_fails_is_left_to_the_bucket(cloud: MotoCloud) -> None:
    sink = sink_of(cloud)
    sink.write(b"x" * PART)
    with failing(cloud, "AbortMultipartUpload"):
        sink.abandon()
    assert (versions(cloud), unfinished(cloud)) == ([], [KEY])


def test_a_writer_that_is_left_without_commit_takes_everything_back(cloud: MotoCloud) -> None:
    files = S3DerivedFiles(cloud.s3, cloud.bucket)
    with files.writer(SCOPE, "a") as writer:
        writer.sink(Role.ROWS).write(b"x" * (20 * MIB))
        writer.sink(Role.PYRAMID).write(b"x")
        assert unfinished(cloud) == [KEY]
    assert (versions(cloud), unfinished(cloud)) == ([], [])


def test_a_writer_commits_every_role_that_was_begun(cloud: MotoCloud) -> None:
    with S3DerivedFiles(cloud.s3, cloud.bucket).writer(SCOPE, "a") as writer:
        writer.sink(Role.ROWS).write(b"rows")
        writer.sink(Role.COLUMNS).write(b"c" * (9 * MIB))
        objects = writer.commit()
    assert {role: stored(cloud, found)[:4] for role, found in objects.items()} == {
        Role.ROWS: b"rows",
        Role.COLUMNS: b"cccc",
    }


def test_a_role_begins_once(cloud: MotoCloud) -> None:
    with S3DerivedFiles(cloud.s3, cloud.bucket).writer(SCOPE, "a") as writer:
        writer.sink(Role.ROWS)
        with pytest.raises(ValueError, match="rows was begun before"):
            writer.sink(Role.ROWS)


def test_when_one_role_can_not_be_committed_its_parts_are_taken_back(cloud: MotoCloud) -> None:
    def commit() -> None:
        with S3DerivedFiles(cloud.s3, cloud.bucket).writer(SCOPE, "a") as writer:
            writer.sink(Role.ROWS).write(b"rows")
            writer.sink(Role.COLUMNS).write(b"c" * (9 * MIB))
            writer.commit()

    with failing(cloud, "CompleteMultipartUpload"), pytest.raises(EndpointConnectionError):
        commit()
    assert (versions(cloud), unfinished(cloud)) == ([KEY], [])


def test_when_rows_can_not_be_committed_there_is_no_record(cloud: MotoCloud) -> None:
    session = Session.open(cloud)
    key = session.put("a.csv", b"n\n1\n")
    with failing(cloud, "PutObject", "/rows"):
        answer = session.call("register_artifact", key=key, name="numbers")
    assert answer["problem"]["code"] == ProblemCode.UNAVAILABLE.value
    assert session.listed() == []


class Read:
    """A reader of an object whose key was written again since."""

    def __init__(self, cloud: MotoCloud) -> None:
        self.body = bytes(range(256)) * 40
        self.pinned = written(cloud, self.body)
        written(cloud, b"newer")
        self.reader = S3DerivedReader(RangedGets(cloud.s3, cloud.bucket), Layout("segments", {Role.ROWS: self.pinned}))


def test_a_read_is_one_counted_request_of_the_pinned_version(cloud: MotoCloud) -> None:
    read = Read(cloud)
    with asked(cloud) as names:
        assert read.reader.read(Role.ROWS, 300, 50) == read.body[300:350]
    assert (names, read.reader.cost) == (["GetObject"], ReadCost(1, 50))


@pytest.mark.parametrize("count", [0, 1, 2, 25])
def test_ranges_read_together_come_in_the_order_asked_for_one_request_each(cloud: MotoCloud, count: int) -> None:
    read = Read(cloud)
    ranges = [(400 * (count - place), 10 + place) for place in range(count)]
    with asked(cloud) as names:
        assert read.reader.read_each(Role.ROWS, ranges) == [
            read.body[offset : offset + length] for offset, length in ranges
        ]
    assert names == ["GetObject"] * count
    assert read.reader.cost == ReadCost(count, sum(length for _, length in ranges))


def test_a_range_ends_with_the_object(cloud: MotoCloud) -> None:
    read = Read(cloud)
    assert read.reader.read(Role.ROWS, len(read.body) - 5, 100) == read.body[-5:]
    assert read.reader.cost == ReadCost(1, 5)


@pytest.mark.parametrize("count", [1, 3])
def test_an_object_that_is_gone_is_a_missing_file(cloud: MotoCloud, count: int) -> None:
    read = Read(cloud)
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=KEY, VersionId=read.pinned.version_id)
    with pytest.raises(Refusal) as refused:
        read.reader.read_each(Role.ROWS, [(0, 1)] * count)
    assert refused.value.problem.code is ProblemCode.FILE_MISSING
