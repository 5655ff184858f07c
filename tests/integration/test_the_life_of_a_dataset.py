"""Every verb on deployed functions: what the contract ring states in process holds behind Lambda, S3 and DynamoDB."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
import urllib3

from session_datasets.domain.limits import SINGLE_UPLOAD_BYTES_MAX
from tests.support.deployed_cloud import DeployedCloud
from tests.support.sessions import Session, problem_code, without_request_id

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(5_000))


@pytest.fixture
def run_id() -> str:
    """A run of its own for every test, on a stack that they share."""
    return f"run-{uuid4().hex}"


@pytest.fixture
def node(cloud: DeployedCloud, run_id: str) -> Session:
    return Session.open(cloud, run_id=run_id, node="extract")


def test_a_presigned_upload_lands_and_registers(node: Session) -> None:
    sha256 = hashlib.sha256(BODY).hexdigest()
    plan = node.call("prepare_upload", file_name="a.csv", size=len(BODY), sha256=sha256)
    sent = urllib3.request("PUT", plan["put"]["url"], body=BODY, headers=plan["put"]["headers"])
    assert sent.status == 200
    registered = node.call("register_artifact", key=plan["key"], name="Numbers", sha256=sha256)
    assert registered["profile"]["shape"] == {"rows": 5_000, "columns": 2}
    assert registered["reference"]["version_id"] == sent.headers["x-amz-version-id"]


def test_a_body_that_is_not_the_announced_one_is_refused_by_the_storage(node: Session) -> None:
    plan = node.call("prepare_upload", file_name="a.csv", size=len(BODY), sha256=hashlib.sha256(BODY).hexdigest())
    sent = urllib3.request("PUT", plan["put"]["url"], body=BODY[::-1], headers=plan["put"]["headers"])
    assert (sent.status, b"<Code>BadDigest</Code>" in sent.data) == (400, True)
    assert problem_code(node.call("register_artifact", key=plan["key"], name="Numbers")) == "file-not-found"


def test_a_file_that_is_there_is_not_sent_again(node: Session) -> None:
    announced = {"file_name": "a.csv", "size": len(BODY), "sha256": hashlib.sha256(BODY).hexdigest()}
    put = node.call("prepare_upload", **announced)["put"]
    sent = urllib3.request("PUT", put["url"], body=BODY, headers=put["headers"])
    again = node.call("prepare_upload", **announced)
    assert (again["present"], again["version_id"]) == (True, sent.headers["x-amz-version-id"])


def test_an_upload_id_that_does_not_exist_is_refused_by_the_storage(node: Session) -> None:
    size = SINGLE_UPLOAD_BYTES_MAX + 1
    plan = node.call("prepare_upload", file_name="a.csv", size=size, sha256="0" * 64, upload_id="made-up")
    sent = urllib3.request("PUT", plan["parts"][1]["request"]["url"], body=b"a")
    assert (sent.status, b"<Code>NoSuchUpload</Code>" in sent.data) == (404, True)


def test_a_page_is_cut_from_the_middle_by_ranged_reads(node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    page = node.call("read_rows", reference=reference, offset=4_000, limit=2)
    assert page["rows"] == [[4_000, "w4000"], [4_001, "w4001"]]
    assert page["s3_requests"] >= 1


def test_a_chart_gets_only_its_column(node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    answer = node.call("read_columns", reference=reference, columns=["number"], max_points=100)
    assert (answer["method"], answer["bucket_rows"], answer["columns"][0]["max"][-1]) == ("min_max", 100, 4_999)


def test_another_node_lists_describes_and_loads_by_reference(cloud: DeployedCloud, node: Session, run_id: str) -> None:
    registered = node.register("a.csv", BODY, description="Numbers and words")
    downstream = Session.open(cloud, run_id=run_id, node="report")
    assert downstream.listed() == [registered["artifact_id"]]
    described = downstream.call("describe_artifact", reference=registered["artifact_id"])
    assert (described["node"], described["description"]) == ("extract", "Numbers and words")
    loaded = downstream.call("load_artifact", reference=registered["artifact_id"])
    assert urllib3.request("GET", loaded["download"]["url"]).data == BODY


def test_a_copy_into_the_workspace_is_made_by_the_server(cloud: DeployedCloud, node: Session, run_id: str) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    downstream = Session.open(cloud, run_id=run_id, node="report")
    copies = [downstream.call("load_artifact", reference=reference, into="workspace") for _ in range(2)]
    assert copies[0] == copies[1]
    stored = cloud.s3.get_object(Bucket=cloud.bucket, Key=copies[0]["key"], VersionId=copies[0]["version_id"])
    assert stored["Body"].read() == BODY


def test_the_registered_version_is_read_and_loaded_after_an_overwrite(node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    node.put("a.csv", b"number,word\n9,changed\n")
    assert node.call("read_rows", reference=reference, limit=1)["rows"] == [[0, "w0"]]
    loaded = node.call("load_artifact", reference=reference)
    assert urllib3.request("GET", loaded["download"]["url"]).data == BODY


def test_a_deleted_version_is_missing(cloud: DeployedCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    assert problem_code(node.call("load_artifact", reference=reference)) == "file-missing"


def test_ten_registrations_at_once_make_one_record(cloud: DeployedCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    with ThreadPoolExecutor(10) as pool:
        calls = [pool.submit(node.call, "register_artifact", key=key, name="Numbers") for _ in range(10)]
    answers = [call.result() for call in calls]
    assert sum(answer.pop("created") for answer in answers) == 1
    assert all(answer == answers[0] for answer in answers)
    assert node.listed(scope="session") == [answers[0]["artifact_id"]]


def test_a_request_token_holds_in_one_transaction_with_the_record(node: Session) -> None:
    key = node.put("a.csv", BODY)
    first = node.call("register_artifact", key=key, name="Numbers", request_token="t-1")
    assert first["created"] is True
    assert node.call("register_artifact", key=key, name="Numbers", request_token="t-1")["created"] is False
    refused = node.call("register_artifact", key=key, name="Other", request_token="t-1")
    assert problem_code(refused) == "request-token-conflict"


def test_listings_page_to_the_end_newest_first(node: Session) -> None:
    ids = [node.register("a.csv", b"a\n%d\n" % number, name=f"Table {number}")["artifact_id"] for number in range(5)]
    assert node.listed(limit=2) == sorted(ids, reverse=True)


def test_a_missing_file_is_told_with_near_names(node: Session) -> None:
    key = node.put("sales.csv", BODY)
    refused = node.call("register_artifact", key=key.replace("sales", "slaes"), name="Sales")
    assert problem_code(refused) == "file-not-found"
    assert refused["problem"]["did_you_mean"] == [key]


@pytest.mark.parametrize(
    ("file_name", "body", "code"),
    [("empty.csv", b"", "empty-file"), ("binary.csv", bytes(range(256)) * 16, "unreadable-file")],
)
def test_a_bad_file_is_refused_and_never_half_registered(node: Session, file_name: str, body: bytes, code: str) -> None:
    assert problem_code(node.register(file_name, body)) == code
    assert node.listed() == []


@pytest.mark.parametrize("verb", ["describe_artifact", "load_artifact", "read_rows"])
def test_another_owner_gets_the_same_answer_as_for_a_random_id(cloud: DeployedCloud, node: Session, verb: str) -> None:
    registered = node.register("a.csv", BODY)
    stranger = Session.open(cloud, owner="other", run_id="run-1")
    asked = [registered["artifact_id"], registered["artifact_id"][:-4] + "0000"]
    answers = [stranger.call(verb, reference=each) for each in asked]
    assert problem_code(answers[0]) == "not-found"
    assert without_request_id(answers[0]) == without_request_id(answers[1])


def test_a_call_without_a_token_is_refused_by_every_function(cloud: DeployedCloud) -> None:
    verbs = ("prepare_upload", "register_artifact", "list_artifacts", "describe_artifact", "load_artifact", "read_rows")
    assert {verb: problem_code(cloud.call(verb, {})) for verb in verbs} == dict.fromkeys(verbs, "token-missing")
