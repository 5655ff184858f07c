"""What the service writes beside the originals: the objects of a layout, and whole profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError
from pydantic import TypeAdapter

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.page import ReadCost
from session_datasets.domain.profile import DerivedObject, Layout, Profile, Role
from session_datasets.domain.scope import Scope
from session_datasets.storage import keys
from session_datasets.storage.faults import MISSING, error_code
from session_datasets.storage.narrowing import CarryingThreads
from session_datasets.storage.object_sink import ObjectSink
from session_datasets.storage.ranged_gets import RangedGets

if TYPE_CHECKING:
    from botocore.client import BaseClient

# Ranges fetched at the same time: boto3 keeps ten connections.
_READS_AT_ONCE = 8


@cache
def _profiles() -> TypeAdapter[Profile]:
    """Made when it is needed: a page reads no profile."""
    return TypeAdapter(Profile)


class S3DerivedFiles:
    """``operations.ports.DerivedFiles`` on one bucket."""

    def __init__(self, s3: BaseClient, bucket: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._gets = RangedGets(s3, bucket)

    @contextmanager
    def writer(self, scope: Scope, artifact_id: str) -> Iterator[S3DerivedWriter]:
        writer = S3DerivedWriter(self._s3, self._bucket, scope, artifact_id)
        try:
            yield writer
        finally:
            writer.abandon()

    def write_profile(self, scope: Scope, artifact_id: str, profile: Profile) -> str:
        key = keys.profile_key(scope, artifact_id)
        self._s3.put_object(
            Bucket=self._bucket, Key=key, Body=_profiles().dump_json(profile), ContentType="application/json"
        )
        return key

    def read_profile(self, key: str) -> Profile:
        return _profiles().validate_json(_get(self._s3, Bucket=self._bucket, Key=key))

    def reader(self, layout: Layout) -> S3DerivedReader:
        return S3DerivedReader(self._gets, layout)


class S3DerivedWriter:
    """``operations.ports.DerivedWriter``: one multipart upload, or one PUT, for each role."""

    def __init__(self, s3: BaseClient, bucket: str, scope: Scope, artifact_id: str) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._scope = scope
        self._artifact_id = artifact_id
        self._sinks: dict[Role, ObjectSink] = {}

    def sink(self, role: Role) -> ObjectSink:
        if role in self._sinks:
            raise ValueError(f"{role} was begun before")
        key = keys.derived_key(self._scope, self._artifact_id, role)
        sink = self._sinks[role] = ObjectSink(self._s3, self._bucket, key)
        return sink

    def commit(self) -> Mapping[Role, DerivedObject]:
        # If one fails, those before it stay as versions that no record names; a retry writes newer ones.
        return {role: sink.commit() for role, sink in self._sinks.items()}

    def abandon(self) -> None:
        """Takes back what was not committed."""
        for sink in self._sinks.values():
            sink.abandon()


class S3DerivedReader:
    """``operations.ports.DerivedReader``: every read is one GET of a pinned version, and is counted."""

    def __init__(self, gets: RangedGets, layout: Layout) -> None:
        self._gets = gets
        self._objects = layout.objects
        self._requests = 0
        self._bytes = 0

    @property
    def cost(self) -> ReadCost:
        return ReadCost(self._requests, self._bytes)

    def read(self, role: Role, offset: int, length: int) -> bytes:
        return self._counted(self._fetch(role, offset, length))

    def read_each(self, role: Role, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        if len(ranges) <= 1:
            return [self.read(role, *each) for each in ranges]
        with CarryingThreads(min(_READS_AT_ONCE, len(ranges))) as pool:
            return [self._counted(body) for body in pool.map(lambda each: self._fetch(role, *each), ranges)]

    def _fetch(self, role: Role, offset: int, length: int) -> tuple[bytes, int]:
        pinned = self._objects[role]
        last = min(offset + length, pinned.size) - 1
        with _told_if_missing():
            return self._gets.get(pinned.key, pinned.version_id, offset, last)

    def _counted(self, fetched: tuple[bytes, int]) -> bytes:
        body, requests = fetched
        self._requests += requests
        self._bytes += len(body)
        return body


def _get(s3: BaseClient, **wanted: str) -> bytes:
    with _told_if_missing():
        return bytes(s3.get_object(**wanted)["Body"].read())


@contextmanager
def _told_if_missing() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error_code(error) in MISSING:
            raise Refusal(
                ProblemCode.FILE_MISSING, "What the service wrote for reading this artifact has been deleted."
            ) from error
        raise
