from __future__ import annotations

import hashlib

import pytest
import urllib3

from session_datasets.domain.limits import PRESIGNED_SECONDS
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"


@pytest.fixture
def upstream(opened: Opened) -> Session:
    return opened(run_id="run-1", node="extract")


@pytest.fixture
def downstream(opened: Opened) -> Session:
    return opened(run_id="run-1", node="report")


def fetched(answer: dict[str, object]) -> bytes:
    download = answer["download"]
    assert isinstance(download, dict)
    return urllib3.request(download["method"], download["url"], headers=download["headers"]).data


def test_another_node_of_the_run_gets_the_very_bytes(upstream: Session, downstream: Session) -> None:
    loaded = downstream.call("load_artifact", reference=upstream.register("a.csv", BODY)["reference"])
    assert fetched(loaded) == BODY
    assert (loaded["file_name"], loaded["size"], loaded["sha256"]) == ("a.csv", 12, hashlib.sha256(BODY).hexdigest())


def test_the_id_alone_is_enough(upstream: Session, downstream: Session) -> None:
    loaded = downstream.call("load_artifact", reference=upstream.register("a.csv", BODY)["artifact_id"])
    assert fetched(loaded) == BODY


def test_the_registered_version_is_loaded_after_the_file_was_overwritten(
    upstream: Session, downstream: Session
) -> None:
    reference = upstream.register("a.csv", BODY)["reference"]
    upstream.put("a.csv", b"a,b\n9,z\n")
    assert fetched(downstream.call("load_artifact", reference=reference)) == BODY


def test_the_url_names_the_version_and_a_short_life(upstream: Session) -> None:
    url = upstream.call("load_artifact", reference=upstream.register()["reference"])["download"]["url"]
    assert "versionId=" in url
    assert f"X-Amz-Expires={PRESIGNED_SECONDS}" in url
    assert "X-Amz-Algorithm=AWS4-HMAC-SHA256" in url


def test_into_the_workspace_makes_a_copy_of_its_own(cloud: MotoCloud, upstream: Session, downstream: Session) -> None:
    reference = upstream.register("a.csv", BODY)["reference"]
    copied = downstream.call("load_artifact", reference=reference, into="workspace")
    assert copied["key"].startswith(downstream.workspace)
    stored = cloud.s3.get_object(Bucket=cloud.bucket, Key=copied["key"], VersionId=copied["version_id"])
    assert stored["Body"].read() == BODY


def test_copying_twice_finds_the_first_copy(upstream: Session, downstream: Session) -> None:
    reference = upstream.register("a.csv", BODY)["reference"]
    copies = [downstream.call("load_artifact", reference=reference, into="workspace") for _ in range(2)]
    assert copies[0] == copies[1]


def test_a_copy_that_was_written_over_is_made_anew_and_the_source_is_untouched(
    cloud: MotoCloud, upstream: Session, downstream: Session
) -> None:
    reference = upstream.register("a.csv", BODY)["reference"]
    first = downstream.call("load_artifact", reference=reference, into="workspace")
    cloud.s3.put_object(Bucket=cloud.bucket, Key=first["key"], Body=b"scribble")
    second = downstream.call("load_artifact", reference=reference, into="workspace")
    stored = cloud.s3.get_object(Bucket=cloud.bucket, Key=second["key"], VersionId=second["version_id"])
    assert stored["Body"].read() == BODY
    assert fetched(upstream.call("load_artifact", reference=reference)) == BODY


def test_the_hand_over_is_recorded_once(cloud: MotoCloud, upstream: Session, downstream: Session) -> None:
    registered = upstream.register("a.csv", BODY)
    for _ in range(2):
        downstream.call("load_artifact", reference=registered["reference"])
    edges = [
        item
        for item in cloud.dynamodb.scan(TableName=cloud.table)["Items"]
        if item["artifact_id"]["S"] == f"handoff#{registered['artifact_id']}"
    ]
    assert [(edge["from_session"]["S"], edge["node"]["S"]) for edge in edges] == [(upstream.session_id, "report")]


def test_a_hand_over_is_no_artifact(upstream: Session, downstream: Session) -> None:
    registered = upstream.register("a.csv", BODY)
    downstream.call("load_artifact", reference=registered["reference"])
    assert downstream.listed(scope="session") == []


def test_a_file_of_the_same_size_that_replaces_the_copy_at_once_is_never_answered_as_the_copy(
    cloud: MotoCloud, upstream: Session, downstream: Session
) -> None:
    registered = upstream.register("a.csv", BODY)

    def replace(**_: object) -> None:
        downstream.put(f"loaded/{registered['artifact_id']}/a.csv", BODY[::-1])

    events = cloud.s3.meta.events
    events.register("after-call.s3.CopyObject", replace)
    refused = downstream.call("load_artifact", reference=registered["reference"], into="workspace")
    events.unregister("after-call.s3.CopyObject", replace)
    assert problem_code(refused) == "unavailable"


@pytest.mark.parametrize("field", ["key", "version_id"])
def test_a_location_that_disagrees_with_the_id_is_refused(upstream: Session, field: str) -> None:
    reference = upstream.register("a.csv", BODY)["reference"]
    answer = upstream.call("load_artifact", reference={**reference, field: "another"})
    assert problem_code(answer) == "reference-mismatch"


@pytest.mark.parametrize("reference", [{"key": "acme/runs/run-1/x/datasets/a.csv"}, {"location": {}}])
def test_a_location_alone_is_refused_with_what_to_pass(upstream: Session, reference: dict[str, object]) -> None:
    refused = upstream.call("load_artifact", reference=reference)
    assert problem_code(refused) == "invalid-request"
    assert "artifact_id" in refused["problem"]["advice"]


@pytest.mark.parametrize("reference", [None, 7, "", "art_", "../x", {"artifact_id": "x"}, {}, []])
def test_what_is_no_reference_is_refused(upstream: Session, reference: object) -> None:
    assert problem_code(upstream.call("load_artifact", reference=reference)) == "invalid-request"
