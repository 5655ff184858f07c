"""The function that registers is killed between any two of its steps, or before or after any of its requests.

No record without a file and its derived objects, no half record, nothing that a listing would show; and the same call
once more completes it, under the id that it would have had. (``tests/model`` plays random histories with such deaths
against a model; here every single point of one history is visited.)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from session_datasets.domain.names import PARTITION_KEY, SORT_KEY
from tests.support.contents import items, keys
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Session

BODY = b"number,word\n" + b"".join(b"%d,w%d\n" % (n, n) for n in range(300))

Scene = TypeVar("Scene")


class Killed(BaseException):
    """No ``except Exception`` stops it, as none would."""


@contextmanager
def killed_at(cloud: MotoCloud, request: int, sent: bool) -> Iterator[None]:
    """The process dies when it is about to send its request of this number, or when the answer to it has come.

    Whatever it would still ask for on its way down, such as tidying up, is not sent.
    """
    events = [client.meta.events for client in (cloud.s3, cloud.dynamodb, cloud.sqs)]
    seen = {"before": 0, "after": 0}

    def before(**_: Any) -> None:
        seen["before"] += 1
        if seen["before"] > request or (not sent and seen["before"] == request):
            raise Killed

    def after(**_: Any) -> None:
        seen["after"] += 1
        if sent and seen["after"] >= request:
            raise Killed

    for each in events:
        each.register_first("before-send.*.*", before)
        each.register_first("after-call.*.*", after)
    try:
        yield
    finally:
        for each in events:
            each.unregister("before-send.*.*", before)
            each.unregister("after-call.*.*", after)


def deaths(
    cloud: MotoCloud, scene: Callable[[str], Scene], call: Callable[[Scene], object], sent: bool
) -> Iterator[Scene]:
    """Dies in ``call`` at its first request, then in another scene at its second, and so on until it survives.

    Yields the scene after each death, for whoever looks at what is left and calls once more.
    """
    for request in range(1, 100):
        set_ = scene(f"t{request}")
        try:
            with killed_at(cloud, request, sent):
                call(set_)
        except Killed:
            cloud.restart()
            yield set_
            continue
        assert request > 5, "hardly a request was made"
        return
    raise AssertionError("no end of requests")


def require_whole(cloud: MotoCloud) -> None:
    """Every record leads to its file, and to the objects it says were derived from it."""
    for item in items(cloud, "art_"):
        document = json.loads(item["document"]["S"])
        location = document["location"]
        cloud.s3.head_object(Bucket=cloud.bucket, Key=location["key"], VersionId=location["version_id"])
        if document["status"] == "ready":
            for each in document["layout"]["objects"].values():
                cloud.s3.head_object(Bucket=cloud.bucket, Key=each["key"], VersionId=each["version_id"])


each_side = pytest.mark.parametrize("sent", [False, True], ids=["before a request", "after its answer"])


@each_side
def test_a_death_in_register_leaves_nothing_half_and_the_retry_completes_it(
    cloud: MotoCloud, node: Session, sent: bool
) -> None:
    def scene(name: str) -> dict[str, Any]:
        return {"key": node.put(f"{name}.csv", BODY), "name": name, "request_token": name}

    died = deaths(cloud, scene, lambda body: node.call("register_artifact", **body), sent)
    for completed, body in enumerate(died):
        require_whole(cloud)
        listed = node.listed()
        registered = node.call("register_artifact", **body)
        assert registered["status"] == "ready"
        # It was there as a whole, or not at all.
        assert (registered["artifact_id"] in listed) is not registered["created"]
        assert len(node.listed()) == completed + 1
        assert last_row(node, registered["reference"]) == [299, "w299"]
    require_whole(cloud)


@each_side
def test_a_death_that_is_not_followed_by_a_retry_shows_nothing_half(
    cloud: MotoCloud, node: Session, sent: bool
) -> None:
    """Nodes die with their functions, too."""
    for _ in deaths(
        cloud,
        lambda name: node.put(f"{name}.csv", BODY),
        lambda key: node.call("register_artifact", key=key, name="n"),
        sent,
    ):
        require_whole(cloud)
    shown = node.listed()
    assert shown == sorted((item["artifact_id"]["S"] for item in items(cloud, "art_")), reverse=True)
    for known in shown:
        assert last_row(node, known) == [299, "w299"]


@pytest.fixture
def queueing(moto_server: str) -> MotoCloud:
    return MotoCloud(moto_server, profiled_at_once_bytes=0)


@each_side
def test_a_death_before_a_profile_was_asked_for_is_mended_by_the_retry(queueing: MotoCloud, sent: bool) -> None:
    node = Session.open(queueing, run_id="run-1")
    for body in deaths(
        queueing,
        lambda name: {"key": node.put(f"{name}.csv", BODY), "name": name},
        lambda body: node.call("register_artifact", **body),
        sent,
    ):
        require_whole(queueing)
        reference = node.call("register_artifact", **body)["reference"]
        queueing.run_profiling()
        assert last_row(node, reference) == [299, "w299"]


@each_side
def test_a_death_while_a_profile_is_made_is_mended_by_the_next_delivery(queueing: MotoCloud, sent: bool) -> None:
    node = Session.open(queueing, run_id="run-1")

    def waiting(name: str) -> tuple[Answer, dict[str, Any]]:
        reference = node.register(f"{name}.csv", BODY, name=name)["reference"]
        message = queueing.take_message()
        assert message is not None
        return reference, message

    for reference, message in deaths(queueing, waiting, lambda scene: queueing.deliver(scene[1]), sent):
        require_whole(queueing)
        assert queueing.deliver(message) == {"batchItemFailures": []}
        assert last_row(node, reference) == [299, "w299"]


def last_row(node: Session, reference: Any) -> list[Any]:
    row: list[Any]
    (row,) = node.call("read_rows", reference=reference, offset=299)["rows"]
    return row


def test_what_a_dead_registration_left_on_deployed_stores_is_in_nobodys_way(
    deployed: DeployedCloud, node_there: Session
) -> None:
    """Its derived objects, whole and of another content, lie where those of the retry belong."""
    registered = node_there.register("a.csv", BODY, name="first")
    twin = node_there.register("b.csv", BODY, name="second")
    left = [key for key in keys(deployed, "_derived/") if twin["artifact_id"] in key]
    assert left
    deployed.dynamodb.delete_item(
        TableName=deployed.table,
        Key={
            PARTITION_KEY: {"S": f"acme#{node_there.session_id}"},
            SORT_KEY: {"S": twin["artifact_id"]},
        },
    )
    for key in left:
        deployed.s3.put_object(Bucket=deployed.bucket, Key=key, Body=b"half of something")
    assert node_there.listed(scope="session") == [registered["artifact_id"]]
    again = node_there.call("register_artifact", key=twin["reference"]["key"], name="second")
    assert (again["artifact_id"], again["created"]) == (twin["artifact_id"], True)
    assert last_row(node_there, again["reference"]) == [299, "w299"]
