"""The mark of an end, and calls that stop half-way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from unittest.mock import patch

import pytest

from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from session_datasets.operations import ending
from tests.contract.ending.ends import BODY, NOTHING, end_run, items, objects
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code


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
