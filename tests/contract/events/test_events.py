"""What is told of what happened, from the table's own stream."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from session_datasets.domain.events import EventType
from session_datasets.runtime.stream_door import StreamStopped
from session_datasets.wire.schemas import documents
from tests.contract.profiling import BODY
from tests.support.audited import DONE, Audited, Followed
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session

Json = dict[str, Any]
SECRET = b"a,b\n1,confidential\n2,y\n"


def types(followed: Followed) -> list[str]:
    return [type_ for type_, _ in followed.bus.told]


def test_a_dataset_is_registered_and_ready(node: Session, followed: Followed) -> None:
    answer = node.register("sales.csv", SECRET, name="Sales", kind="series")
    assert followed.publish() == DONE
    assert types(followed) == ["ArtifactRegistered", "ArtifactReady"]
    _, detail = followed.bus.told[1]
    told = {name: value for name, value in detail.items() if name not in ("id", "sequence", "occurred_at")}
    assert told == {
        "v": 1,
        "owner": "acme",
        "run_id": "run-1",
        "session_id": node.session_id,
        "node": "node",
        "artifact_id": answer["artifact_id"],
        "name": "Sales",
        "kind": "series",
        "format": "csv",
        "status": "ready",
        "size": len(SECRET),
        "shape": {"rows": 2, "columns": 2},
    }


def test_an_artifact_of_a_conversation_names_it(chat: Session, followed: Followed) -> None:
    chat.register()
    followed.publish()
    assert {detail["conversation_id"] for _, detail in followed.bus.told} == {"talk-1"}
    assert all("run_id" not in detail for _, detail in followed.bus.told)


def test_what_pages_not_is_told_without_a_shape(node: Session, followed: Followed) -> None:
    node.register("a.bin", b"\x00\x01\x02")
    followed.publish()
    assert ["shape" in detail for _, detail in followed.bus.told] == [False, False]


def test_no_event_holds_data_or_a_link(node: Session, followed: Followed) -> None:
    answer = node.register("sales.csv", SECRET, description="confidential as well")
    node.call("load_artifact", reference=answer["reference"])
    followed.publish()
    assert types(followed) == ["ArtifactRegistered", "ArtifactReady"]
    assert "confidential" not in json.dumps(followed.bus.told)
    assert "http" not in json.dumps(followed.bus.told)


def test_each_event_has_an_id_of_its_own_and_keeps_it_when_it_is_told_again(node: Session, followed: Followed) -> None:
    node.register()
    records = followed.records()
    followed.publish(records)
    followed.publish(records)
    ids = [detail["id"] for _, detail in followed.bus.told]
    assert ids[:2] == ids[2:]
    assert len(set(ids)) == 2


def test_a_later_event_of_an_artifact_has_the_greater_number(
    cloud: MotoCloud, node: Session, followed: Followed, audited: Audited
) -> None:
    key = node.put("a.csv", SECRET)
    node.call("register_artifact", key=key, name="a")
    lose(cloud, key)
    audited.deliver(audited.news(key))
    followed.publish()
    assert types(followed) == ["ArtifactRegistered", "ArtifactReady", "ArtifactMissing"]
    numbers = [int(detail["sequence"]) for _, detail in followed.bus.told]
    assert numbers[0] == numbers[1] < numbers[2]


def test_a_large_file_is_ready_when_it_is_profiled_and_its_progress_is_told_to_nobody(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=1_000)
    followed, node = Followed(cloud), Session.open(cloud, run_id="run-1")
    node.register("a.csv", BODY)
    followed.publish()
    assert types(followed) == ["ArtifactRegistered"]
    assert followed.bus.told[0][1]["status"] == "profiling"
    cloud.run_profiling()
    followed.publish()
    assert types(followed) == ["ArtifactRegistered", "ArtifactReady"]
    assert followed.bus.told[1][1]["shape"] == {"rows": 500, "columns": 2}


def test_a_damaged_file_fails_with_its_code_and_without_its_words(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=1_000)
    followed, node = Followed(cloud), Session.open(cloud, run_id="run-1")
    node.register("a.parquet", b"PAR1" + bytes(5_000) + b"PAR1")
    cloud.run_profiling()
    followed.publish()
    assert types(followed) == ["ArtifactRegistered", "ArtifactFailed"]
    detail = followed.bus.told[1][1]
    assert (detail["failure_code"], detail["status"]) == ("unreadable-file", "failed")
    assert "failure" not in detail


def test_a_missing_artifact_says_what_is_gone(
    cloud: MotoCloud, node: Session, followed: Followed, audited: Audited
) -> None:
    key = node.put("a.csv", SECRET)
    node.call("register_artifact", key=key, name="a")
    lose(cloud, key)
    audited.deliver(audited.news(key))
    followed.publish()
    type_, detail = followed.bus.told[-1]
    assert (type_, detail["status"], detail["missing"]) == ("ArtifactMissing", "missing", "file")


@pytest.mark.parametrize(
    ("kind", "verb", "type_"),
    [("conversation", "end_conversation", "ConversationEnded"), ("run", "end_run", "RunEnded")],
)
def test_an_end_is_told_once_however_often_it_is_called(
    cloud: MotoCloud, opened: Opened, followed: Followed, kind: str, verb: str, type_: str
) -> None:
    opened(**{f"{kind}_id": "x-1"}).register()
    for _ in range(2):
        cloud.call(verb, {"owner": "acme", f"{kind}_id": "x-1", "release_leases": True})
    followed.publish()
    told = [detail for told_type, detail in followed.bus.told if told_type == type_]
    assert [(each["owner"], each[f"{kind}_id"]) for each in told] == [("acme", "x-1")]
    assert "artifact_id" not in told[0]


def test_every_type_of_event_is_valid_by_its_published_schema(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=1_000)
    followed, audited, node = Followed(cloud), Audited(cloud), Session.open(cloud, run_id="r", conversation_id="c")
    node.register("bad.parquet", b"PAR1" + bytes(5_000) + b"PAR1")
    cloud.run_profiling()
    key = node.put("a.csv", SECRET)
    node.call("register_artifact", key=key, name="a")
    lose(cloud, key)
    audited.deliver(audited.news(key))
    for verb, kind in (("end_conversation", "conversation_id"), ("end_run", "run_id")):
        cloud.call(verb, {"owner": "acme", kind: kind[0], "release_leases": True})
    followed.publish()
    assert set(types(followed)) == {each.value for each in EventType}
    for type_, detail in followed.bus.told:
        jsonschema.validate(detail, documents()[f"{type_}.event.schema.json"])


def test_changes_from_the_first_that_was_not_taken_come_again(node: Session, followed: Followed) -> None:
    for name in ("a", "b", "c"):
        node.register(f"{name}.csv", name=name)
    records = followed.records()
    followed.bus.refusing = lambda entry: json.loads(entry["Detail"])["name"] == "b"
    (failed,) = followed.publish(records)["batchItemFailures"]
    again = [each for each in records if int(each["dynamodb"]["SequenceNumber"]) >= int(failed["itemIdentifier"])]
    followed.bus.refusing = lambda _: False
    assert followed.publish(again) == DONE
    assert {detail["name"] for _, detail in followed.bus.told} == {"a", "b", "c"}


def test_a_batch_whose_first_change_fails_is_halved_by_an_error(node: Session, followed: Followed) -> None:
    for name in ("a", "b"):
        node.register(f"{name}.csv")
    followed.bus.refusing = lambda _: True
    with pytest.raises(StreamStopped):
        followed.publish()


def test_a_poisoned_change_alone_comes_again_and_hinders_none_before_it(node: Session, followed: Followed) -> None:
    node.register()
    good = followed.records()
    poisoned = json.loads(json.dumps(good[-1]))
    poisoned["dynamodb"]["NewImage"]["summary"] = {"S": "?"}
    poisoned["dynamodb"]["SequenceNumber"] = "9" * 21
    again = {"batchItemFailures": [{"itemIdentifier": "9" * 21}]}
    assert followed.publish([*good, poisoned]) == again
    assert types(followed) == ["ArtifactRegistered", "ArtifactReady"]
    assert followed.publish([poisoned]) == again


def test_more_events_than_a_request_takes_are_told_in_order(node: Session, followed: Followed) -> None:
    names = [f"n{number:02}" for number in range(12)]
    for name in names:
        node.register(f"{name}.csv", name=name)
    assert followed.publish() == DONE
    told = [detail["name"] for type_, detail in followed.bus.told if type_ == "ArtifactReady"]
    assert told == names


def lose(cloud: MotoCloud, key: str) -> None:
    """Deletes every version of it, for good."""
    for each in cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=key)["Versions"]:
        cloud.s3.delete_object(Bucket=cloud.bucket, Key=key, VersionId=each["VersionId"])
