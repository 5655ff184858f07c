"""A run and a conversation are ended on deployed functions: what emulated stores hold of them is gone."""

from __future__ import annotations

import hashlib
from uuid import uuid4

import pytest

from session_datasets import Orchestrator
from session_datasets.client.errors import EndedError, StillInUseError
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from session_datasets.wire.ending import RemovedPart
from tests.support.deployed_cloud import DeployedCloud
from tests.support.sessions import Session, problem_code

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(2_000))
LARGE = 20 * 1024 * 1024


@pytest.fixture
def name() -> str:
    return f"x-{uuid4().hex}"


@pytest.fixture
def orchestrator(cloud: DeployedCloud) -> Orchestrator:
    return Orchestrator(DeployedTransport(cloud.stack.name))


def objects(cloud: DeployedCloud, prefix: str) -> int:
    """Versions, delete markers and unfinished uploads."""
    versions = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=prefix)
    uploads = cloud.s3.list_multipart_uploads(Bucket=cloud.bucket, Prefix=prefix)
    return sum(len(found) for found in (versions.get("Versions", []), versions.get("DeleteMarkers", []))) + len(
        uploads.get("Uploads", [])
    )


def sort_keys(cloud: DeployedCloud, partition: str) -> list[str]:
    found = cloud.dynamodb.query(
        TableName=cloud.table,
        KeyConditionExpression="#partition = :partition",
        ExpressionAttributeNames={"#partition": PARTITION_KEY},
        ExpressionAttributeValues={":partition": {"S": partition}},
        ConsistentRead=True,
    )
    return [item[SORT_KEY]["S"] for item in found["Items"]]


def test_a_run_ends_with_all_that_its_nodes_left(cloud: DeployedCloud, orchestrator: Orchestrator, name: str) -> None:
    first, second = (Session.open(cloud, run_id=name, node=node) for node in ("extract", "report"))
    neighbour = Session.open(cloud, run_id=f"{name}0")
    kept = neighbour.register("kept.csv", BODY)["artifact_id"]
    reference = first.register("a.csv", BODY, request_token="once")["reference"]
    first.register("a.csv", BODY + b"1,x\n", name="second version")
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=f"{first.workspace}datasets/a.csv")
    second.call("load_artifact", reference=reference, into="workspace")
    sha256 = hashlib.sha256(BODY).hexdigest()
    second.call("prepare_upload", file_name="large.bin", size=LARGE, sha256=sha256)

    with pytest.raises(StillInUseError) as refused:
        orchestrator.end_run(name, owner="acme")
    assert "node report" in refused.value.detail

    told: list[RemovedPart] = []
    removed = orchestrator.end_run(name, owner="acme", release_leases=True, progress=told.append)
    assert (removed.artifacts, removed.notes, removed.uploads) == (2, 2, 1)
    # Two versions and their delete marker, and the copy.
    assert (removed.file_versions, removed.derived_objects) == (4, 2)
    assert removed.bytes > 3 * len(BODY)
    assert told[-1] == removed
    assert objects(cloud, f"acme/runs/{name}/") == 0
    assert objects(cloud, f"_derived/acme/runs/{name}/") == 0
    assert sort_keys(cloud, f"acme#runs#{name}") == ["scope"]
    assert sort_keys(cloud, f"acme#{first.session_id}") == ["ended"]

    assert problem_code(first.call("describe_artifact", reference=reference)) == "not-found"
    assert problem_code(second.register("late.csv", BODY)) == "ended"
    with pytest.raises(EndedError):
        orchestrator.open_session(owner="acme", run_id=name)
    # The file that it wrote before it was refused landed late.
    assert orchestrator.end_run(name, owner="acme").file_versions == 1
    assert not any(orchestrator.end_run(name, owner="acme").model_dump().values())
    assert neighbour.listed() == [kept]
    assert neighbour.call("read_rows", reference=kept, limit=1)["rows"] == [[0, "w0"]]


def test_a_conversation_ends_and_its_run_keeps_its_artifacts(
    cloud: DeployedCloud, orchestrator: Orchestrator, name: str
) -> None:
    chat = Session.open(cloud, conversation_id=name)
    own = chat.register("own.csv", BODY)["artifact_id"]
    both = Session.open(cloud, conversation_id=name, run_id=name)
    kept = both.register("kept.csv", BODY)["artifact_id"]
    assert set(chat.listed()) == {own, kept}
    removed = orchestrator.end_conversation(name, owner="acme", release_leases=True)
    assert (removed.artifacts, removed.artifacts_kept, removed.file_versions) == (1, 1, 1)
    assert chat.listed() == []
    of_run = Session.open(cloud, run_id=name)
    assert of_run.listed() == [kept]
    assert of_run.call("read_rows", reference=kept, limit=1)["rows"] == [[0, "w0"]]
    assert orchestrator.end_run(name, owner="acme", release_leases=True).artifacts == 1
    assert objects(cloud, f"acme/runs/{name}/") == 0
