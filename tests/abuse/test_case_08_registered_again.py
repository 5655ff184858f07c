"""A registration is made again after its answer was lost, or ten times at once.

One record, one id, identical answers: the id follows from what is registered, and one conditional write makes the
record. Who asks again learns that it was known (``created`` is false) and nothing else.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import Again, LostAnswerError
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body, InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from tests.support.contents import items, keys, records_of
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(1_000))
IMPATIENT = Patience(sleep=lambda seconds: None)


class LosesAnswers:
    """A transport whose first ``lost`` registrations are made, and not answered."""

    def __init__(self, call: Any, lost: int) -> None:
        self._call = call
        self.left = lost

    def __call__(self, verb: Verb, body: Body) -> Body:
        answer: Body = self._call(verb, body)
        if verb is Verb.REGISTER_ARTIFACT and self.left:
            self.left -= 1
            raise LostAnswerError("The answer did not arrive.", again=Again.SOON)
        return answer


def workspace_of(call: Any, token: str, directory: Path, lost: int) -> Workspace:
    return Workspace(token, InProcessTransport(LosesAnswers(call, lost)), directory, patience=IMPATIENT)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_bytes(BODY)
    return path


@pytest.mark.parametrize("request_token", [None, "t-1"])
def test_the_sdk_asks_again_after_a_lost_answer_and_gets_the_one_artifact(
    cloud: MotoCloud, node: Session, file: Path, tmp_path: Path, request_token: str | None
) -> None:
    workspace = workspace_of(cloud.call, node.token, tmp_path, lost=2)
    registered = workspace.register_artifact(file, request_token=request_token)
    assert registered.created is False
    assert [item["artifact_id"]["S"] for item in items(cloud, "art_")] == [registered.artifact_id]
    assert registered.profile is not None
    assert registered.profile.shape.rows == 1_000


def ten_at_once(session: Session, key: str, **more: Any) -> list[Answer]:
    with ThreadPoolExecutor(10) as pool:
        calls = [pool.submit(session.call, "register_artifact", key=key, name="n", **more) for _ in range(10)]
    return [call.result() for call in calls]


def require_one(answers: list[Answer]) -> Answer:
    """The one answer that all ten are, but for who was first."""
    assert [answer for answer in answers if "problem" in answer] == []
    assert sum(answer.pop("created") for answer in answers) == 1
    assert all(answer == answers[0] for answer in answers)
    return answers[0]


@pytest.mark.parametrize("more", [{}, {"request_token": "t-1"}], ids=["by content", "by token"])
def test_ten_at_once_are_one(cloud: MotoCloud, node: Session, more: dict[str, str]) -> None:
    one = require_one(ten_at_once(node, node.put("a.csv", BODY), **more))
    assert [item["artifact_id"]["S"] for item in items(cloud, "art_")] == [one["artifact_id"]]
    assert len(items(cloud, "request#")) == len(more)
    assert node.listed() == [one["artifact_id"]]


def test_ten_at_once_of_a_large_file_are_one_profile_to_make(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    node = Session.open(cloud)
    one = require_one(ten_at_once(node, node.put("a.csv", BODY)))
    assert one["status"] == "profiling"
    outcomes = cloud.run_profiling()
    assert all(not outcome["batchItemFailures"] for outcome in outcomes)
    described = node.call("describe_artifact", reference=one["reference"])
    assert (described["status"], described["profile"]["shape"]["rows"]) == ("ready", 1_000)


def test_a_repeat_derives_nothing_anew(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)
    node.call("register_artifact", key=key, name="n")
    before = cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix="_derived/")["Versions"]
    for _ in range(3):
        node.call("register_artifact", key=key, name="n")
    assert cloud.s3.list_object_versions(Bucket=cloud.bucket, Prefix="_derived/")["Versions"] == before


def test_two_sessions_of_a_chat_that_register_one_file_are_two(opened: Opened) -> None:
    """The id tells who registered; that they share a workspace makes them no one session."""
    first, second = opened(), opened()
    key = first.put("a.csv", BODY)
    answers = [each.call("register_artifact", key=key, name="n") for each in (first, second)]
    assert [answer["created"] for answer in answers] == [True, True]
    assert answers[0]["artifact_id"] != answers[1]["artifact_id"]


def test_ten_at_once_on_deployed_functions_and_one_more_after_a_lost_answer(
    deployed: DeployedCloud, node_there: Session, file: Path, tmp_path: Path
) -> None:
    one = require_one(ten_at_once(node_there, node_there.put("a.csv", BODY), request_token="t-1"))
    again = workspace_of(deployed.call, node_there.token, tmp_path, lost=1).register_artifact(file, name="again")
    assert again.created is False
    assert records_of(deployed, node_there.session_id) == sorted([one["artifact_id"], again.artifact_id])
    derived = {key.split("/")[-2] for key in keys(deployed, f"_derived/{node_there.workspace}")}
    assert derived == {one["artifact_id"], again.artifact_id}
