"""An operation that is wrong about its caller is denied by AWS: the stores of a function, asked for another's data.

The rooms are those of the functions, with the function's own credentials in the environment, as Lambda hands them over.
"""

from __future__ import annotations

import hashlib
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from session_datasets.domain.artifact import Location, Reference
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.domain.scope import Caller, ListScope, Scope
from session_datasets.storage import aws
from session_datasets.storage.artifact_records import DynamoArtifactRecords
from session_datasets.storage.derived_files import S3DerivedFiles
from session_datasets.storage.faults import is_denied
from session_datasets.storage.narrowing import CredentialsUnavailable, acting_for
from session_datasets.storage.workspace_files import S3WorkspaceFiles
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.sessions import Session

RUN = "run-7"
BODY = b"a,b\n1,x\n"


class Rooms:
    """What an operation of this verb works with."""

    def __init__(self, cloud: EnforcedCloud, verb: Verb) -> None:
        keys = aws.caller_keys(cloud.caller_role(verb))
        s3 = aws.s3(keys)
        self.files = S3WorkspaceFiles(s3, cloud.bucket, lambda: datetime.now(UTC))
        self.derived = S3DerivedFiles(s3, cloud.bucket)
        self.records = DynamoArtifactRecords(aws.dynamodb(keys), cloud.table, lambda: datetime.now(UTC))


RoomsOf = Callable[[Verb], Rooms]


@pytest.fixture
def rooms(cloud: EnforcedCloud, monkeypatch: pytest.MonkeyPatch) -> RoomsOf:
    def of(verb: Verb) -> Rooms:
        for name, value in cloud.as_function(verb).variables.items():
            monkeypatch.setenv(name, value)
        return Rooms(cloud, verb)

    return of


class Scene:
    """A session of owner acme registered a file; a session of owner other, in a run of the same name, asks for it."""

    def __init__(self, cloud: EnforcedCloud) -> None:
        self.cloud = cloud
        self.owner = Session.open(cloud, owner="acme", run_id=RUN)
        self.stranger = Session.open(cloud, owner="other", run_id=RUN)
        registered = self.owner.register(body=BODY)
        self.reference = Reference(registered["artifact_id"], self.owner.session_id)
        self.location = Location(
            cloud.bucket,
            registered["reference"]["key"],
            registered["reference"]["version_id"],
            len(BODY),
            hashlib.sha256(BODY).hexdigest(),
        )

    def caller(self, session: Session, owner: str) -> Caller:
        return Caller(owner, session.session_id, "node", None, RUN, frozenset(NODE_VERBS))

    @property
    def as_owner(self) -> Scope:
        return Scope.of(self.caller(self.owner, "acme"))

    @property
    def as_stranger(self) -> Scope:
        return Scope.of(self.caller(self.stranger, "other"))


@pytest.fixture
def scene(cloud: EnforcedCloud) -> Scene:
    return Scene(cloud)


def denied(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ClientError as error:
        if not is_denied(error):
            raise
        return True
    return False


def test_a_files_head_and_bytes(scene: Scene, rooms: RoomsOf) -> None:
    files = rooms(Verb.LOAD_ARTIFACT).files
    key, version = scene.location.key, scene.location.version_id
    for call in (lambda: files.find(key), lambda: files.find(key, version), lambda: list(files.chunks(key, version))):
        with acting_for(scene.as_owner):
            assert not denied(call)
        with acting_for(scene.as_stranger):
            assert denied(call)


def test_a_listing_of_a_workspace(scene: Scene, rooms: RoomsOf) -> None:
    files = rooms(Verb.REGISTER_ARTIFACT).files
    with acting_for(scene.as_owner):
        assert files.near_keys(scene.owner.workspace) == [scene.location.key]
    with acting_for(scene.as_stranger):
        assert denied(lambda: files.near_keys(scene.owner.workspace))
        assert denied(lambda: files.near_keys(""))
        assert files.near_keys(scene.stranger.workspace) == []


def test_a_presigned_download(scene: Scene, rooms: RoomsOf) -> None:
    files = rooms(Verb.LOAD_ARTIFACT).files
    trust = ssl.create_default_context(cafile=scene.cloud.stack.certificate)
    with acting_for(scene.as_owner):
        url = files.presign_download(scene.location).url
    assert urllib.request.urlopen(url, context=trust, timeout=10).status == 200
    with acting_for(scene.as_stranger):
        url = files.presign_download(scene.location).url
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(url, context=trust, timeout=10)


def test_an_upload_that_would_overwrite(scene: Scene, rooms: RoomsOf) -> None:
    files = rooms(Verb.PREPARE_UPLOAD).files
    large = 17 * 1024 * 1024
    with acting_for(scene.as_owner):
        assert not denied(lambda: files.plan_upload(scene.location.key, large, "0" * 64))
    with acting_for(scene.as_stranger):
        assert denied(lambda: files.plan_upload(scene.location.key, large, "0" * 64))


def test_a_copy_out_of_and_into_a_workspace(scene: Scene, rooms: RoomsOf) -> None:
    """Its requests are made in threads of their own."""
    files = rooms(Verb.LOAD_ARTIFACT).files
    with acting_for(scene.as_owner):
        assert not denied(lambda: files.copy(scene.location, f"{scene.owner.workspace}datasets/copy.csv"))
        assert denied(lambda: files.copy(scene.location, f"{scene.stranger.workspace}datasets/copy.csv"))
    with acting_for(scene.as_stranger):
        assert denied(lambda: files.copy(scene.location, f"{scene.stranger.workspace}datasets/copy.csv"))


def test_a_record_also_when_the_operation_says_that_it_is_the_owner(scene: Scene, rooms: RoomsOf) -> None:
    records = rooms(Verb.DESCRIBE_ARTIFACT).records
    wrong = scene.caller(scene.owner, "acme")
    for reference in (scene.reference, Reference(scene.reference.artifact_id)):
        with acting_for(scene.as_owner):
            assert records.find_recent(wrong, reference) is not None
        # Not from the table, and not from what this process remembers of it either.
        with acting_for(scene.as_stranger):
            assert denied(lambda reference=reference: records.find_recent(wrong, reference))  # type: ignore[misc]


@pytest.mark.parametrize("scope", [ListScope.SESSION, ListScope.RUN])
def test_a_listing_of_records(scene: Scene, rooms: RoomsOf, scope: ListScope) -> None:
    records = rooms(Verb.LIST_ARTIFACTS).records
    wrong = scene.caller(scene.owner, "acme")
    with acting_for(scene.as_owner):
        found = [each.artifact_id for each in records.newest_first(wrong, scope, None, 10)]
    assert scene.reference.artifact_id in found
    with acting_for(scene.as_stranger):
        assert denied(lambda: list(records.newest_first(wrong, scope, None, 10)))


def test_a_record_written_into_anothers_partition(scene: Scene, rooms: RoomsOf) -> None:
    table = rooms(Verb.REGISTER_ARTIFACT).records._dynamodb
    item = {"owner_session": {"S": f"acme#{scene.owner.session_id}"}, "artifact_id": {"S": "request#forged"}}
    neighbour = Session.open(scene.cloud, owner="acme", run_id=RUN)
    for scope in (scene.as_stranger, Scope("acme", neighbour.session_id, None, RUN)):
        with acting_for(scope):
            assert denied(lambda: table.put_item(TableName=scene.cloud.table, Item=item))
    with acting_for(scene.as_owner):
        assert not denied(lambda: table.put_item(TableName=scene.cloud.table, Item=item))


def test_a_role_that_is_not_the_verbs_own_can_not_be_put_on(scene: Scene, rooms: RoomsOf) -> None:
    rooms(Verb.LIST_ARTIFACTS)
    others = Rooms(scene.cloud, Verb.LOAD_ARTIFACT)
    with acting_for(scene.as_owner), pytest.raises(CredentialsUnavailable):
        others.files.find(scene.location.key)


def test_a_function_by_itself_reaches_nothing(scene: Scene) -> None:
    for verb in NODE_VERBS:
        own = scene.cloud.as_function(verb)
        s3, table = own.client("s3"), own.client("dynamodb")
        assert denied(lambda s3=s3: s3.get_object(Bucket=scene.cloud.bucket, Key=scene.location.key))  # type: ignore[misc]
        assert denied(lambda table=table: table.scan(TableName=scene.cloud.table))  # type: ignore[misc]
