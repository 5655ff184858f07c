"""Every point at which a profile can break off, and what heals it."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import PROFILE_TRIES_MAX
from tests.contract.profiling import BODY, DONE, described, fail_tries, make_visible
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session, problem_code


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
