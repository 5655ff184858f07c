"""A registered file is deleted, or what was derived from it.

The artifact is still listed and described, for it was there; loading it answers file-missing, and reading answers its
rows as long as they lie beside, or file-missing, and nothing crashes. The answer says what to do, and a metric counts
it, on which the deployed stack has an alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from aws_lambda_powertools import Metrics

from session_datasets.domain import metrics
from session_datasets.domain.names import METRICS_NAMESPACE
from tests.contract.test_acting_for import counted
from tests.support.audited import Audited
from tests.support.contents import Stores, keys
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"
# More columns than a record holds the statistics of.
WIDE = ",".join(f"column_{n}" for n in range(3_000)).encode() + b"\n" + b",".join([b"1"] * 3_000) + b"\n"
READING: dict[str, dict[str, Any]] = {"read_rows": {}, "read_columns": {"columns": ["a"]}}


def delete(cloud: Stores, reference: Answer) -> None:
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])


def delete_derived(cloud: Stores, reference: Answer) -> None:
    derived = [key for key in keys(cloud, "_derived/") if reference["artifact_id"] in key]
    assert derived
    for key in derived:
        versions = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=key)["Versions"]
        for version in versions:
            cloud.s3.delete_object(Bucket=cloud.bucket, Key=key, VersionId=version["VersionId"])


def require_missing(refused: Answer) -> None:
    assert problem_code(refused) == "file-missing"
    assert (refused["problem"]["status"], refused["problem"]["retryable"]) == (410, False)
    assert "Register the file again" in refused["problem"]["advice"]


@pytest.mark.parametrize("into", ["working_directory", "workspace"])
def test_a_load_says_that_it_is_missing(cloud: MotoCloud, node: Session, into: str) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    delete(cloud, reference)
    require_missing(node.call("load_artifact", reference=reference, into=into))


def test_it_is_still_listed_and_described(cloud: MotoCloud, node: Session, opened: Opened) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    delete(cloud, reference)
    delete_derived(cloud, reference)
    for session in (node, opened(run_id="run-1")):
        assert session.listed() == [reference["artifact_id"]]
        assert session.call("describe_artifact", reference=reference)["size"] == len(BODY)


@pytest.mark.parametrize("verb", READING)
def test_reading_goes_on_from_what_was_derived(cloud: MotoCloud, node: Session, verb: str) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    before = node.call(verb, reference=reference, **READING[verb])
    delete(cloud, reference)
    assert node.call(verb, reference=reference, **READING[verb]) == before


@pytest.mark.parametrize("is_warm", [True, False], ids=["warm", "a new process"])
@pytest.mark.parametrize("verb", READING)
def test_reading_says_that_it_is_missing_when_that_is_gone_too(
    cloud: MotoCloud, node: Session, verb: str, is_warm: bool
) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    assert "problem" not in node.call(verb, reference=reference, **READING[verb])
    delete_derived(cloud, reference)
    if not is_warm:
        cloud.restart()
    require_missing(node.call(verb, reference=reference, **READING[verb]))


def test_a_profile_that_lay_beside_the_record_is_missing_and_no_crash(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", WIDE)["reference"]
    delete_derived(cloud, reference)
    answer = node.call("describe_artifact", reference=reference)
    assert answer.get("problem", {}).get("code", "file-missing") == "file-missing"


def test_a_registration_of_what_is_gone_is_file_not_found(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    delete(cloud, reference)
    refused = node.call("register_artifact", key=reference["key"], name="again")
    assert problem_code(refused) == "file-not-found"


def test_a_file_that_goes_while_it_is_copied_leaves_no_hand_over_of_nothing(
    cloud: MotoCloud, node: Session, opened: Opened
) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    other = opened(run_id="run-1")

    def vanish(**_: Any) -> None:
        cloud.s3.meta.events.unregister("before-send.s3.CopyObject", vanish)
        delete(cloud, reference)

    cloud.s3.meta.events.register("before-send.s3.CopyObject", vanish)
    require_missing(other.call("load_artifact", reference=reference, into="workspace"))
    assert [key for key in keys(cloud) if key.startswith(other.workspace)] == []


def test_a_large_file_that_goes_before_its_profile_is_made_fails_once_and_says_so(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    node = Session.open(cloud, run_id="run-1")
    reference = node.register("a.csv", BODY)["reference"]
    delete(cloud, reference)
    assert cloud.run_profiling() == [{"batchItemFailures": []}]
    described = node.call("describe_artifact", reference=reference)
    assert (described["status"], described["failure"]["code"]) == ("failed", "file-missing")


@pytest.fixture
def audited(cloud: MotoCloud) -> Audited:
    return Audited(cloud)


def told_by_s3(audited: Audited, reference: Answer) -> None:
    assert audited.deliver(audited.news(reference["key"], reference["version_id"])) == []


def found_by_a_sweep(audited: Audited, reference: Answer) -> None:
    assert audited.sweep() >= 1


@pytest.mark.parametrize("learn", [told_by_s3, found_by_a_sweep])
def test_once_it_is_known_the_record_is_marked_and_no_store_is_asked_for_the_file(
    cloud: MotoCloud, node: Session, audited: Audited, learn: Callable[[Audited, Answer], None]
) -> None:
    reference, kept = (node.register(f"{name}.csv", BODY)["reference"] for name in "ab")
    delete(cloud, reference)
    learn(audited, reference)
    cloud.restart()
    statuses = {each["artifact_id"]: each["status"] for each in node.call("list_artifacts")["artifacts"]}
    assert statuses == {reference["artifact_id"]: "missing", kept["artifact_id"]: "ready"}
    assert node.call("describe_artifact", reference=reference)["missing"] == "file"
    with cloud.counted_requests() as counts:
        require_missing(node.call("load_artifact", reference=reference))
        for verb, more in READING.items():
            require_missing(node.call(verb, reference=reference, **more))
    assert not any(operation.startswith("s3.") for operation in counts)


def test_what_is_told_of_another_version_marks_nothing(cloud: MotoCloud, node: Session, audited: Audited) -> None:
    """A delete marker, a version that nobody registered, or news of something that never was."""
    reference = node.register("a.csv", BODY)["reference"]
    node.put("a.csv", b"a\n9\n")
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"])
    news = [audited.news(reference["key"]), audited.news(reference["key"], "no-such-version"), audited.news("x/y", "z")]
    assert audited.deliver(*news) == []
    assert node.call("describe_artifact", reference=reference)["status"] == "ready"


def test_a_metric_counts_it_on_which_there_is_an_alarm(
    cloud: MotoCloud, node: Session, capsys: pytest.CaptureFixture[str]
) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    delete(cloud, reference)
    Metrics(namespace=METRICS_NAMESPACE).clear_metrics()
    body = {"token": node.token, "reference": reference}
    assert counted(cloud, "load_artifact", body, capsys)[metrics.MISSING_FILES] == [1.0]


def test_on_deployed_functions_it_is_listed_and_missing(deployed: DeployedCloud, node_there: Session) -> None:
    reference = node_there.register("a.csv", BODY)["reference"]
    delete(deployed, reference)
    delete_derived(deployed, reference)
    assert node_there.listed() == [reference["artifact_id"]]
    assert node_there.call("describe_artifact", reference=reference)["size"] == len(BODY)
    require_missing(node_there.call("load_artifact", reference=reference))
    for verb, more in READING.items():
        require_missing(node_there.call(verb, reference=reference, **more))
