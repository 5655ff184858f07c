"""A file that is too large for the call that registers it: every state it goes through, and every point of a crash."""

from __future__ import annotations

import errno
import hashlib
import json
import random
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import PROFILE_TRIES_MAX, TABLE_BYTES_MAX
from session_datasets.domain.names import NODE_VERBS, Verb
from session_datasets.operations import measuring, register_artifact
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code

AT_ONCE_BYTES = 1_000
BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (number, number) for number in range(500))
SHA256 = hashlib.sha256(BODY).hexdigest()
DONE = {"batchItemFailures": []}


@pytest.fixture
def cloud(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server, profiled_at_once_bytes=AT_ONCE_BYTES)


@pytest.fixture
def node(opened: Opened) -> Session:
    return opened(run_id="run-1")


def described(node: Session, answer: Answer) -> Answer:
    return node.call("describe_artifact", reference=answer["reference"])


def make_visible(cloud: MotoCloud, record: dict[str, Any]) -> None:
    """What time does to a message that was not deleted."""
    cloud.sqs.change_message_visibility(
        QueueUrl=cloud.queue, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
    )


def fail_tries(cloud: MotoCloud, tries: int, error: BaseException) -> list[Answer]:
    """Deliveries of the one message, all of which meet the error."""
    answers = []
    with patch.object(cloud.wired.service.tables, "lay_out", side_effect=error):
        for _ in range(tries):
            record = cloud.take_message()
            assert record is not None
            answers.append(cloud.deliver(record))
            make_visible(cloud, record)
    return answers


# --- profiling, then ready -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "status"), [(AT_ONCE_BYTES, "ready"), (AT_ONCE_BYTES + 1, "profiling")])
def test_the_size_decides_whether_the_call_waits_for_the_profile(node: Session, size: int, status: str) -> None:
    body = b"word\n" + b"x" * (size - 5)
    assert node.register("a.csv", body)["status"] == status


def test_registering_answers_with_a_reference_before_the_profile_is_made(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, sha256=SHA256)
    assert (answer["status"], answer["created"], answer["format"]) == ("profiling", True, "other")
    assert answer["progress"]["stage"] == "queued"
    assert "profile" not in answer
    assert cloud.waiting_messages() == 1


def test_off_the_queue_it_becomes_what_registering_at_once_would_have_answered(
    cloud: MotoCloud, moto_server: str, node: Session
) -> None:
    answer = node.register("a.csv", BODY, name="Numbers", kind="series")
    assert cloud.run_profiling() == [DONE]
    now = described(node, answer)
    elsewhere = Session.open(MotoCloud(moto_server), run_id="run-1")
    at_once = described(elsewhere, elsewhere.register("a.csv", BODY, name="Numbers", kind="series"))
    told = ("status", "format", "kind", "profile")
    assert {name: now[name] for name in told} == {name: at_once[name] for name in told}
    assert "progress" not in now
    assert cloud.waiting_messages() == 0


def test_its_rows_page_once_it_is_ready(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    cloud.run_profiling()
    assert node.call("read_rows", reference=reference, offset=498)["rows"] == [[498, "w498"], [499, "w499"]]


def test_a_kind_that_was_not_announced_is_known_when_the_profile_is(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    cloud.run_profiling()
    assert (answer["kind"], described(node, answer)["kind"]) == ("other", "table")


def test_a_listing_shows_the_status(cloud: MotoCloud, node: Session) -> None:
    def shown() -> tuple[str, int | None]:
        (item,) = node.call("list_artifacts")["artifacts"]
        return item["status"], item.get("rows")

    node.register("a.csv", BODY)
    before = shown()
    cloud.run_profiling()
    assert (before, shown()) == (("profiling", None), ("ready", 500))


def test_a_file_that_is_no_table_becomes_ready_with_a_note(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.png", b"\x89PNG\r\n\x1a\n" + bytes(2_000))
    cloud.run_profiling()
    now = described(node, answer)
    assert (now["status"], now["format"], now["kind"]) == ("ready", "other", "other")
    assert now["note"]


def test_a_file_beyond_what_a_run_lays_out_becomes_ready_and_says_what_to_do(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    with patch.object(measuring, "TABLE_BYTES_MAX", len(BODY) - 1):
        cloud.run_profiling()
    now = described(node, answer)
    assert (now["status"], now["sha256"]) == ("ready", SHA256)
    assert "Parquet" in now["note"]
    assert problem_code(node.call("read_rows", reference=answer["reference"])) == "not-a-dataset"


def test_a_small_file_that_takes_too_long_goes_to_the_queue(cloud: MotoCloud, node: Session) -> None:
    with patch.object(register_artifact, "PROFILED_AT_ONCE_SECONDS_MAX", -1):
        answer = node.register("a.csv", b"a\n1\n")
    assert answer["status"] == "profiling"
    cloud.run_profiling()
    assert described(node, answer)["profile"]["shape"] == {"rows": 1, "columns": 1}


def test_a_small_file_that_fills_the_disk_of_the_call_goes_to_the_queue(cloud: MotoCloud, node: Session) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with patch.object(cloud.wired.service.tables, "lay_out", side_effect=full):
        answer = node.register("a.csv", b"a\n1\n")
    assert answer["status"] == "profiling"
    cloud.run_profiling()
    assert described(node, answer)["status"] == "ready"


# --- what readers get meanwhile ------------------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "more"), [("read_rows", {}), ("read_columns", {"columns": ["number"]})])
def test_a_reader_is_told_to_wait(node: Session, verb: str, more: dict[str, object]) -> None:
    refused = node.call(verb, reference=node.register("a.csv", BODY)["reference"], **more)
    assert problem_code(refused) == "still-profiling"
    assert refused["problem"]["retryable"] is True


def test_the_file_loads_already_under_the_announced_checksum(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, sha256=SHA256)
    loaded = node.call("load_artifact", reference=answer["reference"])
    assert (loaded["sha256"], "download" in loaded) == (SHA256, True)


def test_the_checksum_is_measured_at_once_when_nobody_announced_one(node: Session) -> None:
    assert described(node, node.register("a.csv", BODY))["sha256"] == SHA256


def test_the_checksum_that_the_upload_announced_spares_reading_the_file(cloud: MotoCloud, node: Session) -> None:
    key = f"{node.workspace}datasets/a.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=BODY, Metadata={"sha256": SHA256})
    with patch.object(cloud.wired.service.files, "chunks", side_effect=AssertionError("the file was read")):
        answer = node.call("register_artifact", key=key, name="Numbers")
    assert described(node, answer)["sha256"] == SHA256


def test_progress_is_kept_in_the_record_and_told_to_readers(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    seen: list[dict[str, Any]] = []
    lay_out = cloud.wired.service.tables.lay_out

    def looking(*arguments: Any) -> Any:
        table = lay_out(*arguments)
        seen.append(described(node, answer)["progress"])
        seen.append(node.call("read_rows", reference=answer["reference"])["problem"])
        return table

    with (
        patch.object(cloud.wired.service.tables, "lay_out", looking),
        patch("session_datasets.operations.progress._FIRST_SECONDS", 0.0),
    ):
        cloud.run_profiling()
    assert (seen[0]["stage"], seen[0]["bytes"], seen[0]["rows"]) == ("laying_out", len(BODY), 500)
    assert "laying out, 500 rows so far" in seen[1]["detail"]


# --- what was announced is checked ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("announced", "code"), [({"sha256": "0" * 64}, "checksum-mismatch"), ({"rows": 3}, "rows-mismatch")]
)
def test_a_false_announcement_fails_the_artifact(
    cloud: MotoCloud, node: Session, announced: dict[str, object], code: str
) -> None:
    answer = node.register("a.csv", BODY, **announced)
    assert cloud.run_profiling() == [DONE]
    now = described(node, answer)
    assert (now["status"], now["failure"]["code"]) == ("failed", code)
    assert "profile" not in now


def test_a_checksum_that_only_the_upload_announced_is_checked_as_well(cloud: MotoCloud, node: Session) -> None:
    key = f"{node.workspace}datasets/a.csv"
    cloud.s3.put_object(Bucket=cloud.bucket, Key=key, Body=BODY, Metadata={"sha256": "0" * 64})
    answer = node.call("register_artifact", key=key, name="Numbers")
    cloud.run_profiling()
    assert described(node, answer)["failure"]["code"] == "checksum-mismatch"


def test_true_announcements_are_accepted(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, sha256=SHA256, rows=500, size=len(BODY))
    cloud.run_profiling()
    assert described(node, answer)["status"] == "ready"


# --- files that fail -----------------------------------------------------------------------------------------


def test_a_damaged_file_fails_at_the_first_try_with_the_reason(cloud: MotoCloud, node: Session) -> None:
    noise = random.Random(5).randbytes(2_000)
    answer = node.register("a.parquet", b"PAR1" + noise + b"PAR1")
    assert cloud.run_profiling() == [DONE]
    now = described(node, answer)
    assert (now["status"], now["failure"]["code"]) == ("failed", "unreadable-file")
    assert now["failure"]["advice"]
    refused = node.call("read_rows", reference=answer["reference"])
    assert problem_code(refused) == "not-a-dataset"
    assert now["failure"]["detail"] in refused["problem"]["detail"]


def test_a_failed_file_lists_and_loads(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY, rows=3)
    cloud.run_profiling()
    (item,) = node.call("list_artifacts")["artifacts"]
    assert item["status"] == "failed"
    assert "download" in node.call("load_artifact", reference=answer["reference"])


def test_a_file_that_fills_the_disk_of_a_run_fails_with_advice(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    with patch.object(
        cloud.wired.service.tables, "lay_out", side_effect=OSError(errno.ENOSPC, "No space left on device")
    ):
        assert cloud.run_profiling() == [DONE]
    failure = described(node, answer)["failure"]
    assert (failure["code"], "Parquet" in failure["advice"]) == ("too-large", True)


def test_a_file_deleted_before_it_was_read_fails_as_missing(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    location = answer["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=location["key"], VersionId=location["version_id"])
    cloud.run_profiling()
    assert described(node, answer)["failure"]["code"] == "file-missing"


def test_a_failed_file_that_is_registered_again_is_answered_as_failed(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n", rows=3)
    cloud.run_profiling()
    again = node.call("register_artifact", key=key, name="n", rows=3)
    assert (again["status"], again["created"], again["failure"]["code"]) == ("failed", False, "rows-mismatch")
    assert cloud.waiting_messages() == 0


# --- repeated, late, out of order ----------------------------------------------------------------------------


def test_a_message_delivered_twice_changes_nothing_the_second_time(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    cloud.deliver(record)
    first = described(node, answer)
    with patch.object(cloud.wired.service.files, "chunks", side_effect=AssertionError("the file was read")):
        assert cloud.deliver(record) == DONE
    assert described(node, answer) == first


def test_two_deliveries_at_a_time_leave_the_result_of_the_first_to_end(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    lay_out = cloud.wired.service.tables.lay_out
    nested = iter([True])

    def meanwhile(*arguments: Any) -> Any:
        if next(nested, False):
            cloud.deliver(record)
        return lay_out(*arguments)

    with patch.object(cloud.wired.service.tables, "lay_out", meanwhile):
        assert cloud.deliver(record) == DONE
    assert described(node, answer)["status"] == "ready"
    assert node.call("read_rows", reference=answer["reference"], limit=1)["rows"] == [[0, "w0"]]


def test_late_progress_does_not_undo_a_result(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    before = cloud.wired.service.records.of_task(_task(record))
    assert before is not None
    cloud.deliver(record)
    assert cloud.wired.service.records.advance(before, since=before.status) is False
    assert described(node, answer)["status"] == "ready"


def _task(record: dict[str, Any]) -> Any:
    from session_datasets.storage.profile_queue import task_of

    return task_of(record["body"])


def test_messages_out_of_order_reach_their_own_artifacts(cloud: MotoCloud, node: Session) -> None:
    answers = [node.register(f"{number}.csv", BODY + b"%d,x\n" % number) for number in range(2)]
    records = [cloud.take_message(), cloud.take_message()]
    for record in reversed(records):
        assert record is not None
        cloud.deliver(record)
    assert [described(node, answer)["profile"]["shape"]["rows"] for answer in answers] == [501, 501]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        "[]",
        '{"v": 2}',
        '{"v": 1, "owner": "acme"}',
        '{"v": 1, "owner": 1, "session_id": 2, "artifact_id": 3}',
    ],
)
def test_what_is_no_message_of_ours_ends_with_the_dead_letters(cloud: MotoCloud, body: str) -> None:
    sent = {"messageId": "m-1", "receiptHandle": "r-1", "body": body, "attributes": {"ApproximateReceiveCount": "1"}}
    assert cloud.deliver(sent) == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}


def test_a_message_of_an_unknown_record_is_dropped(cloud: MotoCloud, node: Session) -> None:
    gone = {"v": 1, "owner": "acme", "session_id": "ses-1", "artifact_id": "art_01jg00000000000000000000zz"}
    cloud.sqs.send_message(QueueUrl=cloud.queue, MessageBody=json.dumps(gone))
    assert cloud.run_profiling() == [DONE]
    assert cloud.waiting_messages() == 0


# --- crashes -------------------------------------------------------------------------------------------------


def test_a_crash_between_record_and_message_is_healed_by_registering_again(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    with patch.object(cloud.wired.service.profile_queue, "_sqs") as sqs:
        sqs.send_message.side_effect = ConnectionError
        assert problem_code(node.call("register_artifact", key=key, name="n")) == "internal"
    assert cloud.waiting_messages() == 0
    again = node.call("register_artifact", key=key, name="n")
    assert (again["status"], again["created"]) == ("profiling", False)
    cloud.run_profiling()
    assert described(node, again)["status"] == "ready"


def test_registering_again_while_somebody_works_sends_no_second_message(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n")
    lay_out = cloud.wired.service.tables.lay_out

    def meanwhile(*arguments: Any) -> Any:
        node.call("register_artifact", key=key, name="n")
        return lay_out(*arguments)

    with patch.object(cloud.wired.service.tables, "lay_out", meanwhile):
        assert cloud.run_profiling() == [DONE]


def test_registering_again_asks_anew_when_nothing_was_heard_for_long(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n")
    fail_tries(cloud, 1, RuntimeError("the machine is gone"))
    with patch("session_datasets.operations.progress.PROFILE_STALLED_SECONDS", 0):
        node.call("register_artifact", key=key, name="n")
    assert cloud.waiting_messages() == 2


def test_a_crash_after_the_derived_objects_leaves_it_profiling_and_the_next_try_completes_it(
    cloud: MotoCloud, node: Session
) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    advance = cloud.wired.service.records.advance

    def dying(artifact: Any, since: Any) -> bool:
        if artifact.status != since:
            raise RuntimeError("the process is gone")
        return advance(artifact, since)

    with patch.object(cloud.wired.service.records, "advance", dying):
        assert cloud.deliver(record)["batchItemFailures"]
    assert described(node, answer)["status"] == "profiling"
    make_visible(cloud, record)
    assert cloud.run_profiling() == [DONE]
    assert node.call("read_rows", reference=answer["reference"], limit=1)["rows"] == [[0, "w0"]]


@pytest.mark.parametrize("tries", range(1, PROFILE_TRIES_MAX + 1))
def test_a_failure_of_ours_is_tried_again(cloud: MotoCloud, node: Session, tries: int) -> None:
    answer = node.register("a.csv", BODY)
    for failed in fail_tries(cloud, tries, RuntimeError("unforeseen")):
        assert len(failed["batchItemFailures"]) == 1
    now = described(node, answer)
    assert (now["status"], "failure" in now) == ("profiling", False)


def test_a_failing_try_comes_again_soon_and_a_dead_one_soon_after_its_time(cloud: MotoCloud, node: Session) -> None:
    node.register("a.csv", BODY)
    hidden: list[int] = []
    with (
        patch.object(cloud.wired.profile_queue, "hide", lambda _handle, seconds: hidden.append(seconds)),
        patch.object(cloud.wired.service.tables, "lay_out", side_effect=RuntimeError("unforeseen")),
    ):
        cloud.run_profiling()
    assert hidden == [930, 30]


def test_after_the_last_try_the_record_says_so_and_the_message_is_a_dead_letter(
    cloud: MotoCloud, node: Session
) -> None:
    answer = node.register("a.csv", BODY)
    answers = fail_tries(cloud, PROFILE_TRIES_MAX + 1, RuntimeError("unforeseen"))
    assert len(answers[-1]["batchItemFailures"]) == 1
    now = described(node, answer)
    assert (now["status"], now["failure"]["code"]) == ("failed", "internal")
    assert "unforeseen" not in json.dumps(now)
    assert cloud.take_message() is None
    assert cloud.waiting_messages(cloud.dead_letters) == 1


def test_a_dead_letter_that_is_sent_once_more_is_tried_anew(cloud: MotoCloud, node: Session) -> None:
    answer = node.register("a.csv", BODY)
    record = cloud.take_message()
    assert record is not None
    make_visible(cloud, record)
    fail_tries(cloud, PROFILE_TRIES_MAX, RuntimeError("unforeseen"))
    assert described(node, answer)["status"] == "failed"
    cloud.sqs.send_message(QueueUrl=cloud.queue, MessageBody=record["body"])
    assert cloud.run_profiling() == [DONE]
    assert described(node, answer)["status"] == "ready"


def test_registering_what_the_service_gave_up_has_it_tried_anew(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n")
    fail_tries(cloud, PROFILE_TRIES_MAX + 1, RuntimeError("unforeseen"))
    again = node.call("register_artifact", key=key, name="n")
    assert (again["status"], "failure" in again) == ("profiling", False)
    cloud.run_profiling()
    assert described(node, again)["status"] == "ready"


# --- who may ask ---------------------------------------------------------------------------------------------


def test_no_token_names_the_verb(opened: Opened, cloud: MotoCloud) -> None:
    assert Verb.PROFILE_ARTIFACT not in NODE_VERBS
    refused = cloud.call("open_session", {"owner": "acme", "run_id": "r", "verbs": ["profile_artifact"]})
    assert problem_code(refused) == "invalid-request"


def test_another_owner_does_not_see_it_while_it_is_profiled(node: Session, opened: Opened) -> None:
    answer = node.register("a.csv", BODY)
    stranger = opened(owner="other", run_id="run-1")
    for verb in ("describe_artifact", "read_rows", "load_artifact"):
        assert problem_code(stranger.call(verb, reference=answer["reference"])) == "not-found"


def test_what_one_run_lays_out_fits_its_disk_three_times() -> None:
    assert 3 * TABLE_BYTES_MAX < 10_240 * 1024 * 1024
