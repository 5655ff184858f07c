"""What an end leaves, whom it waits for, and what can be done after it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.ending import Lease
from session_datasets.domain.limits import CALL_SECONDS_MAX, CLOCK_LEEWAY_SECONDS
from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from session_datasets.operations import ending
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

BODY = b"a,b\n1,x\n2,y\n"
NOTHING = {"artifacts", "artifacts_kept", "notes", "derived_objects", "file_versions", "uploads", "bytes"}


def end_run(cloud: MotoCloud, run_id: str = "run-1", **more: Any) -> Answer:
    return cloud.call("end_run", {"owner": "acme", "run_id": run_id, "release_leases": True, **more})


def end_conversation(cloud: MotoCloud, conversation_id: str = "talk-1", **more: Any) -> Answer:
    asked = {"owner": "acme", "conversation_id": conversation_id, "release_leases": True}
    return cloud.call("end_conversation", {**asked, **more})


def removed(answer: Answer) -> dict[str, int]:
    """The counts that are not 0, of an end that is done."""
    assert answer["done"], answer
    return {name: count for name, count in answer["removed"].items() if count}


def objects(cloud: MotoCloud, prefix: str = "") -> list[str]:
    """Keys of all versions and delete markers."""
    listed = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix=prefix)
    return [each["Key"] for each in [*listed.get("Versions", []), *listed.get("DeleteMarkers", [])]]


def items(cloud: MotoCloud) -> list[tuple[str, str]]:
    """Partition and sort key of everything in the table."""
    return sorted(
        (item[PARTITION_KEY]["S"], item[SORT_KEY]["S"])
        for item in cloud.dynamodb.scan(TableName=cloud.table, ConsistentRead=True)["Items"]
    )


@pytest.fixture
def later(cloud: MotoCloud) -> Iterator[Any]:
    """Moves the service's clock on by seconds."""
    service, now = cloud.wired.service, cloud.wired.service.clock
    ahead = timedelta()

    def move(seconds: float) -> None:
        nonlocal ahead
        ahead += timedelta(seconds=seconds)

    object.__setattr__(service, "clock", lambda: now() + ahead)
    yield move
    object.__setattr__(service, "clock", now)


# --- what is removed -----------------------------------------------------------------------------------------


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


# --- of a run and a conversation --------------------------------------------------------------------------------


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


# --- leases -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "scope"), [("end_run", "run_id"), ("end_conversation", "conversation_id")])
def test_while_a_session_is_open_nothing_is_removed(cloud: MotoCloud, opened: Opened, verb: str, scope: str) -> None:
    session = opened(**{scope: "x"}, node="extract")
    kept = session.register(body=BODY)["artifact_id"]
    answer = cloud.call(verb, {"owner": "acme", scope: "x"})
    assert problem_code(answer) == "still-in-use"
    assert answer["problem"]["retryable"]
    assert f"{session.session_id} (node extract) until 20" in answer["problem"]["detail"]
    assert session.listed() == [kept]
    assert "artifact_id" in session.register("more.csv", BODY)


def test_many_sessions_are_told_by_their_number(cloud: MotoCloud, opened: Opened) -> None:
    for _ in range(5):
        opened(run_id="run-1")
    detail = end_run(cloud, release_leases=False)["problem"]["detail"]
    assert detail.startswith("5 sessions of run run-1 ")
    assert detail.count("ses-") == 3
    assert "2 more" in detail


# The clock of this machine runs on between the two calls, so the near side keeps some distance.
@pytest.mark.parametrize(("seconds", "held"), [(61, True), (61 + CLOCK_LEEWAY_SECONDS, False)])
def test_a_lease_is_held_as_long_as_a_token_is_taken(
    cloud: MotoCloud, opened: Opened, later: Any, seconds: float, held: bool
) -> None:
    opened(run_id="run-1", ttl_seconds=60)
    later(seconds)
    assert ("problem" in end_run(cloud, release_leases=False)) is held


def test_a_session_that_can_write_no_more_leaves_no_mark(cloud: MotoCloud, opened: Opened, later: Any) -> None:
    opened(run_id="run-1", ttl_seconds=60)
    later(61 + CLOCK_LEEWAY_SECONDS + CALL_SECONDS_MAX)
    end_run(cloud, release_leases=False)
    assert items(cloud) == [("acme#runs#run-1", "scope")]


def test_the_time_that_is_told_is_late_enough(cloud: MotoCloud, opened: Opened, later: Any) -> None:
    opened(run_id="run-1", ttl_seconds=60)
    detail = end_run(cloud, release_leases=False)["problem"]["detail"]
    told = datetime.fromisoformat(detail.partition(" until ")[2][:16] + "+00:00")
    later((told - cloud.wired.service.clock()).total_seconds())
    assert end_run(cloud, release_leases=False)["done"]


def test_a_session_that_is_opened_between_look_and_mark_is_seen(cloud: MotoCloud, opened: Opened) -> None:
    leases = cloud.wired.service.leases
    look = leases.of

    def looked(scope: Any) -> Any:
        seen = look(scope)
        with patch.object(leases, "of", look):
            opened(run_id="run-1")
        return seen

    with patch.object(leases, "of", looked):
        answer = end_run(cloud, release_leases=False)
    assert problem_code(answer) == "still-in-use"


# --- after the end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scope", [{"run_id": "run-1"}, {"run_id": "run-1", "conversation_id": "talk-9"}], ids=["run", "run and chat"]
)
def test_no_session_opens_in_what_has_ended(cloud: MotoCloud, scope: dict[str, str]) -> None:
    end_run(cloud)
    answer = cloud.call("open_session", {"owner": "acme", **scope})
    assert problem_code(answer) == "ended"
    assert answer["problem"]["detail"] == "The run run-1 of acme has ended; no session was opened."
    # The session that did not come about holds nothing.
    assert end_conversation(cloud, "talk-9", release_leases=False)["done"]


WRITING: dict[str, dict[str, Any]] = {
    "register_artifact": {"name": "again"},
    "prepare_upload": {"file_name": "a.csv", "size": 3, "sha256": "0" * 64},
    "load_artifact": {"into": "workspace"},
}


@pytest.mark.parametrize("verb", WRITING)
def test_a_session_that_still_holds_a_token_can_write_nothing(cloud: MotoCloud, opened: Opened, verb: str) -> None:
    session = opened(run_id="run-1", conversation_id="talk-1")
    key = session.put("a.csv", BODY)
    reference = opened(conversation_id="talk-1").register(body=BODY)["reference"]
    end_run(cloud)
    arguments = dict(WRITING[verb])
    arguments |= {"key": key} if verb == "register_artifact" else {}
    arguments |= {"reference": reference} if verb == "load_artifact" else {}
    assert problem_code(session.call(verb, **arguments)) == "ended"
    assert objects(cloud, "acme/runs/") == []


def test_not_even_a_hand_over_is_noted(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1", conversation_id="talk-1")
    reference = opened(conversation_id="talk-1").register(body=BODY)["reference"]
    end_run(cloud)
    assert problem_code(session.call("load_artifact", reference=reference)) == "ended"
    assert [sort for partition, sort in items(cloud) if partition == f"acme#{session.session_id}"] == ["ended"]


@pytest.mark.parametrize("token", [{}, {"request_token": "once"}], ids=["plain", "with a request token"])
def test_a_registration_that_began_before_the_end_makes_no_record(
    cloud: MotoCloud, opened: Opened, token: dict[str, str]
) -> None:
    session = opened(run_id="run-1")
    create = cloud.wired.service.records.create

    def ended_meanwhile(*arguments: Any) -> bool:
        end_run(cloud)
        return create(*arguments)

    with patch.object(cloud.wired.service.records, "create", ended_meanwhile):
        assert problem_code(session.register(body=BODY, **token)) == "ended"
    assert [item for item in items(cloud) if item[1] != "ended"] == [("acme#runs#run-1", "scope")]


READING = ["describe_artifact", "load_artifact", "read_rows"]


@pytest.mark.parametrize("verb", READING)
def test_what_was_removed_is_not_found(cloud: MotoCloud, opened: Opened, verb: str) -> None:
    session = opened(run_id="run-1")
    reference = session.register(body=BODY)["reference"]
    end_run(cloud)
    assert problem_code(session.call(verb, reference=reference)) == "not-found"
    assert session.listed() == []


def test_a_call_after_the_last_removes_nothing(cloud: MotoCloud, opened: Opened) -> None:
    opened(run_id="run-1").register(body=BODY)
    first = end_run(cloud)
    again = end_run(cloud)
    assert set(again["removed"]) == NOTHING
    assert removed(again) == {}
    assert again["ended_at"] == first["ended_at"]


def test_a_call_after_the_last_sweeps_what_landed_late(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    end_run(cloud)
    session.put("late.csv", BODY)
    assert removed(end_run(cloud)) == {"file_versions": 1, "bytes": len(BODY)}


def test_what_never_was_can_be_ended(cloud: MotoCloud) -> None:
    assert removed(end_run(cloud, "run-9")) == {}
    assert problem_code(cloud.call("open_session", {"owner": "acme", "run_id": "run-9"})) == "ended"


# --- the mark, and calls that stop half-way -------------------------------------------------------------------------


def mark(cloud: MotoCloud) -> dict[str, Any]:
    key = {PARTITION_KEY: {"S": "acme#runs#run-1"}, SORT_KEY: {"S": "scope"}}
    item = cloud.dynamodb.get_item(TableName=cloud.table, Key=key)["Item"]
    return {name: next(iter(value.values())) for name, value in item.items()}


def test_the_mark_says_what_ended_when_and_what_went(cloud: MotoCloud, opened: Opened) -> None:
    opened(run_id="run-1").register(body=BODY)
    answer = end_run(cloud)
    told = mark(cloud)
    assert (told["owner"], told["kind"], told["id"], told["opened"]) == ("acme", "run", "run-1", "1")
    ended_at, done_at = (datetime.fromisoformat(told[name]) for name in ("ended_at", "done_at"))
    assert ended_at == datetime.fromisoformat(answer["ended_at"])
    assert ended_at < done_at
    assert (told["removed_artifacts"], told["removed_file_versions"]) == ("1", "1")


@pytest.fixture
def page_by_page() -> Iterator[None]:
    """Calls that remove a single page each."""
    with patch.object(ending, "ENDING_PAGES_MAX", 1):
        yield


def test_calls_that_stop_half_way_come_to_the_same_end(cloud: MotoCloud, opened: Opened, page_by_page: None) -> None:
    for _ in range(3):
        opened(run_id="run-1").register(body=BODY)
    answers = [end_run(cloud)]
    while not answers[-1]["done"]:
        assert answers[-1]["next"] == "Make the same call again."
        answers.append(end_run(cloud, release_leases=False))
    counts = {name: sum(each["removed"][name] for each in answers) for name in NOTHING}
    assert (counts["artifacts"], counts["derived_objects"], counts["file_versions"]) == (3, 3, 3)
    assert "next" not in answers[-1]
    assert (objects(cloud), mark(cloud)["removed_artifacts"]) == ([], "3")


def test_a_call_stops_when_its_time_is_up(cloud: MotoCloud, opened: Opened) -> None:
    for _ in range(2):
        opened(run_id="run-1").register(body=BODY)
    with patch.object(ending, "ENDING_SECONDS_MAX", 0):
        answer = end_run(cloud)
    assert (answer["done"], answer["removed"]["artifacts"]) == (False, 2)


def test_two_ends_at_a_time_come_to_the_same_end(cloud: MotoCloud, opened: Opened) -> None:
    sessions = [opened(run_id="run-1") for _ in range(3)]
    for each in sessions:
        each.register(body=BODY)
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda _: end_run(cloud), range(2)))
    assert [answer["done"] for answer in answers] == [True, True]
    assert objects(cloud) == []
    left = [("acme#runs#run-1", "scope"), *((f"acme#{each.session_id}", "ended") for each in sessions)]
    assert items(cloud) == sorted(left)


class Crash(BaseException):
    """The end of a process: nothing catches it, and nothing that comes after it is done."""


@pytest.mark.parametrize("scope", ["run_id", "conversation_id"])
def test_a_crash_before_any_request_loses_nothing(cloud: MotoCloud, opened: Opened, scope: str) -> None:
    """The n-th request of the end is never sent, for every n; then the call is made again."""
    verb = "end_run" if scope == "run_id" else "end_conversation"
    requests, crashed = 0, True
    while crashed:
        name = f"x-{requests}"
        session, keeper = opened(**{scope: name}), opened(**{scope: f"{name}0"})
        references = [session.register(f"{each}.csv", BODY)["reference"] for each in "ab"]
        kept = keeper.register(body=BODY)["artifact_id"]
        session.call("prepare_upload", file_name="large.bin", size=20 * 1024 * 1024, sha256="0" * 64)
        body = {"owner": "acme", scope: name, "release_leases": True}
        crashed = crashes_at(cloud, requests, verb, body)
        cloud.restart()
        for reference in references:
            whole_or_none(session, reference)
        assert cloud.call(verb, body)["done"]
        assert [key for key in objects(cloud) if f"/{name}/" in key] == []
        left = {sort for partition, sort in items(cloud) if partition == f"acme#{session.session_id}"}
        assert left == {"ended"}
        assert keeper.listed() == [kept]
        requests += 1
    assert requests > 15


def crashes_at(cloud: MotoCloud, at: int, verb: str, body: Answer) -> bool:
    """Whether the call came to its ``at``-th request, and died there."""
    sent = 0

    def count(**_: Any) -> None:
        nonlocal sent
        sent += 1
        if sent > at:
            raise Crash

    events = [client.meta.events for client in (cloud.s3, cloud.dynamodb)]
    for each in events:
        each.register_first("before-send.*.*", count)
    try:
        cloud.call(verb, body)
    except Crash:
        return True
    finally:
        for each in events:
            each.unregister("before-send.*.*", count)
    return False


def whole_or_none(session: Session, reference: dict[str, str]) -> None:
    """An artifact that is listed reads and loads; one that is not is not found either."""
    answers = [session.call(verb, reference=reference) for verb in ("describe_artifact", "read_rows")]
    if reference["artifact_id"] in session.listed():
        assert all("problem" not in answer for answer in answers)
        location = {"Bucket": session.cloud.bucket, "Key": reference["key"], "VersionId": reference["version_id"]}
        session.cloud.s3.head_object(**location)
    else:
        assert [problem_code(answer) for answer in answers] == ["not-found"] * 2


# --- what it takes ----------------------------------------------------------------------------------------------------


def test_what_an_end_asks_for_grows_with_sessions_and_with_pages(cloud: MotoCloud, opened: Opened) -> None:
    """Three sessions of thirty records each, and one object of either kind."""
    for session in [opened(run_id="run-1") for _ in range(3)]:
        partition = {PARTITION_KEY: {"S": f"acme#{session.session_id}"}}
        records = [{**partition, SORT_KEY: {"S": f"art_{n:026}"}} for n in range(30)]
        for first in (0, 15):
            puts = [{"PutRequest": {"Item": record}} for record in records[first : first + 15]]
            cloud.dynamodb.batch_write_item(RequestItems={cloud.table: puts})
    for prefix in ("", "_derived/"):
        cloud.s3.put_object(Bucket=cloud.bucket, Key=f"{prefix}acme/runs/run-1/ses/a", Body=b"a")
    with cloud.counted_requests() as counts:
        assert removed(end_run(cloud))["artifacts"] == 90
    assert counts == {
        "dynamodb.GetItem": 1,
        # The leases, before the mark and after it; each session; the index.
        "dynamodb.Query": 2 + 3 + 1,
        # The mark, and the counts beside it.
        "dynamodb.UpdateItem": 2,
        # Sessions shut out, records by 25, leases.
        "dynamodb.BatchWriteItem": 1 + 4 + 1,
        "s3.ListMultipartUploads": 2,
        "s3.ListObjectVersions": 2,
        "s3.DeleteObjects": 2,
    }
    with cloud.counted_requests() as again:
        assert removed(end_run(cloud)) == {}
    assert again == {
        "dynamodb.GetItem": 1,
        "dynamodb.Query": 2,
        "s3.ListMultipartUploads": 2,
        "s3.ListObjectVersions": 2,
    }


@pytest.mark.parametrize(("scope", "writes"), [({"run_id": "r"}, 1), ({"run_id": "r", "conversation_id": "c"}, 2)])
def test_opening_a_session_writes_a_lease_and_a_count_for_each(
    cloud: MotoCloud, scope: dict[str, str], writes: int
) -> None:
    with cloud.counted_requests() as counts:
        cloud.call("open_session", {"owner": "acme", **scope})
    assert counts == {"dynamodb.PutItem": writes, "dynamodb.UpdateItem": writes}


def test_a_registration_looks_for_the_end_once_and_writes_once(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    key = session.put("a.csv", BODY)
    with cloud.counted_requests() as counts:
        session.call("register_artifact", key=key, name="a")
    # Whether it ended, whether the record is there; then the record and the condition in one transaction.
    assert (counts["dynamodb.GetItem"], counts["dynamodb.TransactWriteItems"], counts["dynamodb.PutItem"]) == (2, 1, 0)


def test_a_download_is_noted_on_condition_and_looks_for_nothing_more(cloud: MotoCloud, opened: Opened) -> None:
    session = opened(run_id="run-1")
    reference = session.register(body=BODY)["reference"]
    cloud.restart()
    with cloud.counted_requests() as counts:
        session.call("load_artifact", reference=reference)
    assert (counts["dynamodb.GetItem"], counts["dynamodb.TransactWriteItems"]) == (1, 1)
