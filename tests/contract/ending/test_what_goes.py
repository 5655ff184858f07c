"""What an end removes, and what of others it leaves."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.ending import Lease
from session_datasets.domain.limits import CALL_SECONDS_MAX, CLOCK_LEEWAY_SECONDS
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from tests.contract.ending.ends import BODY, end_conversation, end_run, items, objects, removed
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, Session, problem_code


def test_a_run_ends_with_all_that_its_nodes_have_left(cloud: MotoCloud, opened: Opened) -> None:
    first, second = opened(run_id="run-1"), opened(run_id="run-1")
    artifact = first.register(body=BODY, request_token="once")["reference"]
    first.put("sales.csv", BODY + b"3,z\n")
    first.put("scratch.bin", b"never registered")
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=f"{first.workspace}datasets/scratch.bin")
    second.call("load_artifact", reference=artifact)
    size = 20 * 1024 * 1024
    second.call("prepare_upload", file_name="large.bin", size=size, sha256="0" * 64)
    answer = end_run(cloud)
    counts = removed(answer)
    assert counts.pop("bytes") > 2 * len(BODY)
    assert counts == {"artifacts": 1, "notes": 2, "derived_objects": 1, "file_versions": 4, "uploads": 1}
    assert objects(cloud) == []
    assert "Uploads" not in cloud.s3.list_multipart_uploads(Bucket=cloud.bucket)
    # What stays: the mark of the run, and one of each session that could still write.
    marks = [(f"acme#{each.session_id}", "ended") for each in (first, second)]
    assert items(cloud) == sorted([("acme#runs#run-1", "scope"), *marks])


def test_a_chat_ends_with_all_of_its_sessions(cloud: MotoCloud, opened: Opened) -> None:
    for _ in range(3):
        opened(conversation_id="talk-1").register(body=BODY)
    assert removed(end_conversation(cloud))["artifacts"] == 3
    assert objects(cloud) == []


@pytest.mark.parametrize("neighbour", ["run-10", "run-", "run-1.", "run-1-2"])
def test_a_run_whose_id_begins_alike_is_not_touched(cloud: MotoCloud, opened: Opened, neighbour: str) -> None:
    other = opened(run_id=neighbour)
    kept = other.register(body=BODY)["artifact_id"]
    opened(run_id="run-1").register(body=BODY)
    assert removed(end_run(cloud))["file_versions"] == 1
    assert other.listed() == [kept]
    assert "rows" in other.call("read_rows", reference=kept)


def test_neither_another_owner_nor_a_conversation_of_the_same_id_is_touched(cloud: MotoCloud, opened: Opened) -> None:
    others = [opened(owner="other", run_id="run-1"), opened(conversation_id="run-1")]
    kept = [each.register(body=BODY)["artifact_id"] for each in others]
    opened(run_id="run-1").register(body=BODY)
    assert removed(end_run(cloud))["artifacts"] == 1
    assert [each.listed() for each in others] == [[each] for each in kept]
    assert all("rows" in each.call("read_rows", reference=one) for each, one in zip(others, kept, strict=True))


def test_a_session_of_that_name_is_not_touched(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(conversation_id="talk-1")
    kept = session.register(body=BODY)["artifact_id"]
    assert removed(end_run(cloud, session.session_id)) == {}
    assert session.listed() == [kept]


def test_what_a_registration_left_that_never_came_to_a_record_goes_as_well(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    with patch.object(cloud.wired.service.records, "create", side_effect=ZeroDivisionError):
        session.register(body=BODY)
    assert len(objects(cloud, "_derived/")) == 1
    assert removed(end_run(cloud))["derived_objects"] == 1
    assert objects(cloud) == []


def test_records_of_before_there_were_leases_are_found_by_their_index(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    session.register(body=BODY)
    lease = {PARTITION_KEY: {"S": "acme#runs#run-1"}, SORT_KEY: {"S": f"lease#{session.session_id}"}}
    cloud.dynamodb.delete_item(TableName=cloud.table, Key=lease)
    assert removed(end_run(cloud))["artifacts"] == 1
    assert problem_code(session.register(body=BODY)) == "ended"


def test_what_a_lagging_index_still_shows_is_not_taken_for_a_session_without_lease(
    cloud: MotoCloud, opened: Opened, later: Any
) -> None:
    session = opened(run_id="run-1", ttl_seconds=60)
    session.register(body=BODY)
    later(61 + CLOCK_LEEWAY_SECONDS + CALL_SECONDS_MAX)
    shown = [Lease(session.session_id, "", cloud.wired.service.clock())]
    with patch.object(cloud.wired.service.record_removal, "indexed", lambda *_: iter([shown])):
        assert removed(end_run(cloud))["artifacts"] == 1
    assert items(cloud) == [("acme#runs#run-1", "scope")]


# --- of a run and a conversation ---------------------------------------------------------------------------


def test_when_a_conversation_ends_its_runs_artifacts_stay_with_the_run(cloud: MotoCloud, opened: Opened) -> None:
    both = opened(conversation_id="talk-1", run_id="run-1")
    kept = both.register(body=BODY)["artifact_id"]
    chat = opened(conversation_id="talk-1")
    own = chat.register(body=BODY)["artifact_id"]
    assert set(chat.listed()) == {kept, own}
    answer = end_conversation(cloud)
    assert (answer["removed"]["artifacts"], answer["removed"]["artifacts_kept"]) == (1, 1)
    of_run = opened(run_id="run-1")
    assert of_run.listed() == [kept]
    assert "rows" in of_run.call("read_rows", reference=kept)
    assert chat.listed() == []


def test_it_can_not_be_reached_through_the_conversation_any_more(cloud: MotoCloud, opened: Opened) -> None:
    reference = opened(conversation_id="talk-1", run_id="run-1").register(body=BODY)["reference"]
    chat = opened(conversation_id="talk-1")
    end_conversation(cloud)
    assert problem_code(chat.call("describe_artifact", reference=reference)) == "not-found"


def test_an_artifact_in_the_making_is_completed_with_its_run(cloud: MotoCloud, opened: Opened) -> None:
    slow = MotoCloud(cloud.endpoint, profiled_at_once_bytes=0)
    both = Session.open(slow, conversation_id="talk-1", run_id="run-1")
    kept = both.register(body=BODY)["artifact_id"]
    end_conversation(slow)
    slow.run_profiling()
    of_run = Session.open(slow, run_id="run-1")
    assert of_run.call("describe_artifact", reference=kept)["status"] == "ready"
    assert removed(end_conversation(slow)) == {}


def test_a_profile_in_the_making_brings_nothing_back(cloud: MotoCloud) -> None:
    slow = MotoCloud(cloud.endpoint, profiled_at_once_bytes=0)
    Session.open(slow, run_id="run-1").register(body=BODY)

    def ended_meanwhile(*_: Any, **__: Any) -> Any:
        end_run(slow)
        return lay_out(*_, **__)

    lay_out = slow.wired.service.tables.lay_out
    with patch.object(slow.wired.service.tables, "lay_out", ended_meanwhile):
        slow.run_profiling()
    assert [item for item in items(slow) if item[1].startswith("art_")] == []
    # Its derived object landed late, and the next call sweeps it.
    assert set(removed(end_run(slow))) <= {"derived_objects", "bytes"}
    assert objects(slow) == []


def test_a_run_can_be_ended_after_its_conversation(cloud: MotoCloud, opened: Opened) -> None:
    opened(conversation_id="talk-1", run_id="run-1").register(body=BODY)
    end_conversation(cloud)
    # The session was shut out with its conversation; so it holds the run no longer.
    assert removed(end_run(cloud, release_leases=False))["artifacts"] == 1
    assert objects(cloud) == []


def test_a_conversation_can_be_ended_after_its_run(cloud: MotoCloud, opened: Opened) -> None:
    opened(conversation_id="talk-1", run_id="run-1").register(body=BODY)
    end_run(cloud)
    assert removed(end_conversation(cloud, release_leases=False)) == {}
