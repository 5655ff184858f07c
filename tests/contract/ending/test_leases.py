"""Whom an end waits for."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import CALL_SECONDS_MAX, CLOCK_LEEWAY_SECONDS
from tests.contract.ending.ends import BODY, end_run, items
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Opened, problem_code


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
