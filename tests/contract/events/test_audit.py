"""A record whose file is gone is missing from then on, whoever deleted it and however often that is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from session_datasets.domain.artifact import Missing, ProfilingTask, Status
from tests.contract.events.test_events import lose
from tests.support.audited import Audited
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"


def status(node: Session, answer: Answer) -> str:
    return str(node.call("describe_artifact", reference=answer["reference"])["status"])


def key_of(node: Session, name: str = "sales.csv") -> str:
    return f"{node.workspace}datasets/{name}"


def derived_keys(cloud: MotoCloud) -> list[str]:
    return [each["Key"] for each in cloud.s3.list_objects_v2(Bucket=cloud.bucket, Prefix="_derived/")["Contents"]]


@pytest.fixture(params=["run", "conversation"])
def any_node(request: pytest.FixtureRequest, opened: Opened) -> Session:
    return opened(**{f"{request.param}_id": "x-1"})


def test_a_record_whose_file_was_deleted_is_missing(cloud: MotoCloud, any_node: Session, audited: Audited) -> None:
    answer, other = any_node.register(), any_node.register("other.csv")
    lose(cloud, key_of(any_node))
    assert audited.deliver(audited.news(key_of(any_node))) == []
    assert (status(any_node, answer), status(any_node, other)) == ("missing", "ready")
    described = any_node.call("describe_artifact", reference=answer["reference"])
    assert (described["missing"], described["profile"]["shape"]) == ("file", {"rows": 2, "columns": 2})


def test_a_missing_artifact_is_still_listed(cloud: MotoCloud, any_node: Session, audited: Audited) -> None:
    answer = any_node.register()
    lose(cloud, key_of(any_node))
    audited.deliver(audited.news(key_of(any_node)))
    (listed,) = any_node.call("list_artifacts")["artifacts"]
    assert (listed["artifact_id"], listed["status"], listed["rows"]) == (answer["artifact_id"], "missing", 2)


@pytest.mark.parametrize(
    ("verb", "more"), [("read_rows", {}), ("read_columns", {"columns": ["a"]}), ("load_artifact", {})]
)
def test_readers_of_a_missing_artifact_are_told_so_without_a_request_to_s3(
    cloud: MotoCloud, node: Session, audited: Audited, verb: str, more: dict[str, Any]
) -> None:
    answer = node.register()
    lose(cloud, key_of(node))
    audited.deliver(audited.news(key_of(node)))
    cloud.restart()
    with cloud.counted_requests() as counts:
        assert problem_code(node.call(verb, reference=answer["reference"], **more)) == "file-missing"
    assert [name for name in counts if name.startswith("s3.")] == []


def test_a_lost_version_under_a_later_one_is_told_as_changed(cloud: MotoCloud, node: Session, audited: Audited) -> None:
    answer = node.register()
    old = answer["reference"]["version_id"]
    node.put("sales.csv", BODY + b"3,z\n")
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=key_of(node), VersionId=old)
    audited.deliver(audited.news(key_of(node), old))
    assert node.call("describe_artifact", reference=answer["reference"])["missing"] == "replaced"
    for verb in ("read_rows", "load_artifact"):
        assert problem_code(node.call(verb, reference=answer["reference"])) == "file-changed"


def test_a_delete_marker_above_the_pinned_version_changes_nothing(
    cloud: MotoCloud, any_node: Session, audited: Audited
) -> None:
    answer = any_node.register()
    marker = cloud.s3.delete_object(Bucket=cloud.bucket, Key=key_of(any_node))["VersionId"]
    assert audited.deliver(audited.news(key_of(any_node), marker)) == []
    assert status(any_node, answer) == "ready"
    assert "rows" in any_node.call("read_rows", reference=answer["reference"])


def test_a_file_that_was_written_over_changes_nothing_and_asks_no_store(
    cloud: MotoCloud, node: Session, audited: Audited
) -> None:
    answer = node.register()
    node.put("sales.csv", BODY + b"3,z\n")
    newest = cloud.s3.head_object(Bucket=cloud.bucket, Key=key_of(node))["VersionId"]
    with cloud.failing_when_asked():
        assert audited.deliver(audited.news(key_of(node), newest, "Object Created")) == []
    assert status(node, answer) == "ready"


@pytest.mark.parametrize("role", ["rows", "profile.json"])
def test_a_record_whose_derived_object_was_deleted_is_missing_and_its_file_still_loads(
    cloud: MotoCloud, any_node: Session, audited: Audited, role: str
) -> None:
    wide = ",".join(f"column_{number}" for number in range(2_000)).encode()
    answer = any_node.register("sales.csv", wide + b"\n" + b"1," * 1_999 + b"1\n")
    key = next(each for each in derived_keys(cloud) if each.endswith(role))
    lose(cloud, key)
    assert audited.deliver(audited.news(key)) == []
    assert any_node.call("describe_artifact", reference=answer["reference"])["missing"] == "derived"
    assert problem_code(any_node.call("read_rows", reference=answer["reference"])) == "file-missing"
    assert "download" in any_node.call("load_artifact", reference=answer["reference"])


def test_credentials_that_are_over_make_no_record_missing(
    cloud: MotoCloud, node: Session, audited: Audited, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = node.register()

    def over(operation: str) -> Callable[..., Any]:
        # A HEAD has no body that would name the error.
        code = "400" if operation == "HeadObject" else "ExpiredToken"
        told = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}

        def refuse(**_: Any) -> None:
            raise ClientError(told, operation)  # type: ignore[arg-type]

        return refuse

    with monkeypatch.context() as patched:
        patched.setattr(cloud.s3, "head_object", over("HeadObject"))
        patched.setattr(cloud.s3, "get_object", over("GetObject"))
        assert audited.deliver(audited.news(key_of(node))) == ["0"]
    assert status(node, answer) == "ready"


def test_what_is_told_twice_is_written_once(cloud: MotoCloud, node: Session, audited: Audited) -> None:
    node.register()
    lose(cloud, key_of(node))
    news = audited.news(key_of(node))
    audited.deliver(news)
    with cloud.counted_requests() as counts:
        assert audited.deliver(news, news) == []
    assert counts["dynamodb.UpdateItem"] == 0


@pytest.mark.parametrize("others", [0, 20])
def test_a_deletion_costs_the_same_however_many_records_there_are(
    cloud: MotoCloud, any_node: Session, audited: Audited, others: int
) -> None:
    any_node.register()
    for number in range(others):
        any_node.register(f"{number}.csv", b"a\n%d\n" % number)
    lose(cloud, key_of(any_node))
    with cloud.counted_requests() as counts:
        audited.deliver(audited.news(key_of(any_node)))
    assert counts == {
        "dynamodb.Query": 1,
        "dynamodb.GetItem": 1,
        # The version that is pinned, and whether another one lies there.
        "s3.HeadObject": 2,
        "dynamodb.UpdateItem": 1,
    }


def test_a_page_of_an_audit_reads_each_record_and_asks_for_each_object_once(
    cloud: MotoCloud, node: Session, audited: Audited
) -> None:
    for number in range(5):
        node.register(f"{number}.csv", b"a\n%d\n" % number)
    with cloud.counted_requests() as counts:
        assert audited.deliver({"v": 1, "sweep": {}}) == []
    # The file and its rows.
    assert (counts["dynamodb.Scan"], counts["dynamodb.GetItem"], counts["s3.HeadObject"]) == (1, 5, 10)


def test_a_poisoned_message_alone_comes_again(cloud: MotoCloud, node: Session, audited: Audited) -> None:
    answer = node.register()
    lose(cloud, key_of(node))
    other_bucket = audited.news(key_of(node))
    other_bucket["detail"]["bucket"]["name"] = "another"
    unknown_version = {"v": 2, "sweep": {}}
    assert audited.deliver("{", audited.news(key_of(node)), other_bucket, unknown_version, {}) == ["0", "2", "3", "4"]
    assert status(node, answer) == "missing"


@pytest.mark.parametrize(
    "key",
    [
        "acme",
        "acme/other/x",
        "acme/runs/run-1/x",
        "_derived/acme/x",
        "_derived/acme/runs/r",
        "/conversations/c/datasets/x",
        "a#b/conversations/c/datasets/x",
        "acme/conversations/#/datasets/x",
        "acme/runs/run-1/conversations#c/datasets/x",
    ],
)
def test_a_key_that_no_workspace_has_is_nobodys(cloud: MotoCloud, audited: Audited, key: str) -> None:
    with cloud.failing_when_asked():
        assert audited.deliver(audited.news(key)) == []


def test_a_file_that_is_large_and_waits_for_its_profile_is_missing_and_its_profile_comes_too_late(
    moto_server: str,
) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=1)
    node, audited = Session.open(cloud, run_id="run-1"), Audited(cloud)
    answer = node.register()
    lose(cloud, key_of(node))
    audited.deliver(audited.news(key_of(node)))
    assert status(node, answer) == "missing"
    cloud.run_profiling()
    assert status(node, answer) == "missing"


def test_a_failed_one_is_missing_as_well(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=1)
    node, audited = Session.open(cloud, run_id="run-1"), Audited(cloud)
    answer = node.register("a.parquet", b"PAR1" + bytes(50) + b"PAR1")
    cloud.run_profiling()
    lose(cloud, key_of(node, "a.parquet"))
    audited.deliver(audited.news(key_of(node, "a.parquet")))
    assert status(node, answer) == "missing"


def pretend_missing(cloud: MotoCloud, node: Session, answer: Answer) -> None:
    """As if an audit had found the file gone that is there: a version that was deleted for good never comes back."""
    records = cloud.wired.service.records
    artifact = records.of_task(ProfilingTask("acme", node.session_id, answer["artifact_id"]))
    assert artifact is not None
    assert records.advance(replace(artifact, status=Status.MISSING, missing=Missing.FILE), since=artifact.status)


@pytest.mark.parametrize("at_once", [1_000_000, 1])
def test_a_missing_record_whose_version_is_there_again_is_what_it_was(moto_server: str, at_once: int) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=at_once)
    node, audited = Session.open(cloud, run_id="run-1"), Audited(cloud)
    answer = node.register()
    pretend_missing(cloud, node, answer)
    audited.sweep()
    if at_once == 1:
        # Nobody makes its profile any more; who registers it again has it made.
        assert status(node, answer) == "failed"
        node.call("register_artifact", key=key_of(node), name="sales.csv")
        cloud.run_profiling()
    assert status(node, answer) == "ready"
    assert "rows" in node.call("read_rows", reference=answer["reference"])


def in_two_hours() -> datetime:
    return datetime.now(UTC) + timedelta(hours=2)


def test_an_audit_of_everything_finds_missing_files_of_all_owners(cloud: MotoCloud, opened: Opened) -> None:
    nodes = [opened(owner=owner, run_id="run-1") for owner in ("acme", "acme-2", "bob")]
    answers = [node.register() for node in nodes]
    for node in nodes[:2]:
        lose(cloud, key_of(node))
    audited = Audited(cloud)
    assert audited.sweep() > 1
    told = [status(node, answer) for node, answer in zip(nodes, answers, strict=True)]
    assert told == ["missing", "missing", "ready"]


@pytest.mark.parametrize("stray", ["/acme/x.csv", "#old/conversations/c/datasets/a", "a b/runs/r/s/datasets/a", "~/x"])
def test_what_a_person_left_in_the_bucket_is_nobodys_and_an_audit_goes_on_to_its_end(
    cloud: MotoCloud, opened: Opened, stray: str
) -> None:
    for owner in ("acme", "zoe"):
        opened(owner=owner, run_id="run-1").put("alone.csv", b"1")
    cloud.s3.put_object(Bucket=cloud.bucket, Key=stray, Body=b"1")
    audited = Audited(cloud, in_two_hours)
    # One of all records, one of files below conversations and below runs of each of the two.
    assert audited.sweep(pages_max=10) == 5
    assert set(audited.reports()) == {"acme", "zoe"}


def test_it_counts_files_that_nobody_registered_and_deletes_none(cloud: MotoCloud, opened: Opened) -> None:
    node, chat, other = opened(run_id="run-1"), opened(conversation_id="talk-1"), opened(owner="bob", run_id="r")
    for each in (node, chat):
        each.register()
        each.put("scratch.bin", b"12345")
    other.put("alone.csv", b"1")
    cloud.s3.put_object(Bucket=cloud.bucket, Key=f"{chat.workspace}docs/a.txt", Body=b"no dataset")
    node.call("load_artifact", reference=node.register("b.csv")["reference"], into="workspace")
    before = keys(cloud)
    audited = Audited(cloud, in_two_hours)
    audited.sweep()
    counts = {owner: (each["files"], each["unregistered"], each["bytes"]) for owner, each in audited.reports().items()}
    assert counts == {"acme": (5, 2, 10), "bob": (1, 1, 1)}
    assert before <= keys(cloud)


def keys(cloud: MotoCloud) -> set[str]:
    return {each["Key"] for each in cloud.s3.list_objects_v2(Bucket=cloud.bucket)["Contents"]}


def test_a_file_that_was_just_written_is_not_counted(cloud: MotoCloud, node: Session, audited: Audited) -> None:
    node.put("scratch.bin", b"12345")
    audited.sweep()
    assert audited.reports()["acme"]["files"] == 0


def test_it_goes_page_by_page(cloud: MotoCloud, node: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("AUDITED_RECORDS_OF_A_PAGE", "AUDITED_FILES_OF_A_PAGE"):
        monkeypatch.setattr(f"session_datasets.operations.audit_records.{limit}", 2)
    answers = [node.register(f"{number}.csv", b"a\n%d\n" % number) for number in range(5)]
    for number in (0, 4):
        lose(cloud, key_of(node, f"{number}.csv"))
    node.put("scratch.bin", b"12345")
    audited = Audited(cloud, in_two_hours)
    assert audited.sweep() >= 5
    assert [status(node, each) for each in answers] == ["missing", "ready", "ready", "ready", "missing"]
    assert audited.reports()["acme"]["unregistered"] == 1
