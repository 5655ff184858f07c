"""A registered file is written over, or deleted and written anew; before a page, between two, or while it is loaded.

Pages and loads come from the version that was registered, as long as it is there, and never from two: what is pinned
is a version and not a name. When that version is gone and another lies in its place, a load says file-changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from session_datasets.client.patience import Patience
from session_datasets.client.workspace import Workspace
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Answer, Opened, Session, problem_code
from tests.unit.client.flaky import Fault, FlakyStorage, flaky_storage

ROWS = 5_000
BODY = b"n,word\n" + b"".join(b"%d,old%d\n" % (n, n) for n in range(ROWS))
# As long as it, so that nothing tells them apart but the bytes.
OTHER = BODY.replace(b"old", b"new")
IMPATIENT = Patience(sleep=lambda seconds: None)


def page(session: Session, reference: Answer, offset: int) -> list[str]:
    answer = session.call("read_rows", reference=reference, offset=offset, limit=1_000, columns=["word"])
    return [word for (word,) in answer["rows"]]


def pages_with_overwrites_between(session: Session, reference: Answer) -> list[str]:
    words: list[str] = []
    for offset in range(0, ROWS, 1_000):
        words += page(session, reference, offset)
        session.put("a.csv", OTHER)
    return words


def test_pages_with_overwrites_between_them_are_of_one_version(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    assert pages_with_overwrites_between(node, reference) == [f"old{n}" for n in range(ROWS)]
    cloud.restart()
    assert page(node, reference, 0)[0] == "old0"


def test_pages_of_two_registrations_of_one_name_do_not_mix(node: Session) -> None:
    first = node.register("a.csv", BODY, name="n")["reference"]
    second = node.register("a.csv", OTHER, name="n")["reference"]
    for offset in (0, 4_000):
        assert page(node, first, offset)[0] == f"old{offset}"
        assert page(node, second, offset)[0] == f"new{offset}"


def test_the_reference_of_one_version_is_not_taken_for_another(node: Session) -> None:
    first = node.register("a.csv", BODY, name="n")["reference"]
    second = node.register("a.csv", OTHER, name="n")["reference"]
    mixed = {**first, "version_id": second["version_id"]}
    assert problem_code(node.call("read_rows", reference=mixed)) == "reference-mismatch"


def test_a_file_that_changes_while_it_is_registered_is_one_version_throughout(cloud: MotoCloud, node: Session) -> None:
    key = node.put("a.csv", BODY)

    def overwrite(**_: object) -> None:
        cloud.s3.meta.events.unregister("before-send.s3.GetObject", overwrite)
        node.put("a.csv", OTHER)

    cloud.s3.meta.events.register("before-send.s3.GetObject", overwrite)
    registered = node.call("register_artifact", key=key, name="n")
    assert page(node, registered["reference"], 0)[0] == "old0"
    loaded = node.call("load_artifact", reference=registered["reference"])
    assert urllib3.request("GET", loaded["download"]["url"]).data == BODY


def test_a_profile_made_later_is_of_the_registered_version(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    node = Session.open(cloud)
    reference = node.register("a.csv", BODY)["reference"]
    node.put("a.csv", OTHER)
    cloud.run_profiling()
    assert page(node, reference, 0)[0] == "old0"


@pytest.fixture(scope="module")
def flaky_server(moto_server: str) -> Iterator[FlakyStorage]:
    with flaky_storage(moto_server) as storage:
        yield storage


def test_a_load_that_breaks_and_goes_on_after_an_overwrite_brings_the_registered_bytes(
    flaky_server: FlakyStorage, tmp_path: Path
) -> None:
    cloud = MotoCloud(flaky_server.endpoint)
    node = Session.open(cloud, run_id="run-1")
    reference = node.register("a.csv", BODY)["reference"]
    flaky_server.faults.append(Fault(when=lambda method, query: method == "GET", cut_after=20_000))
    written: list[int] = []

    def overwrite(done: int, total: int) -> None:
        if done and not written:
            written.append(done)
            node.put("a.csv", OTHER)

    workspace = Workspace(node.token, cloud.transport(), tmp_path, patience=IMPATIENT)
    assert workspace.load_artifact(reference, progress=overwrite).read_bytes() == BODY
    assert written


def test_when_the_version_is_gone_and_another_is_there_a_load_says_so(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    node.put("a.csv", OTHER)
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"], VersionId=reference["version_id"])
    for into in ("working_directory", "workspace"):
        refused = node.call("load_artifact", reference=reference, into=into)
        assert problem_code(refused) == "file-changed"
        assert "Register the present version" in refused["problem"]["advice"]


def test_a_deletion_that_only_marks_leaves_the_registered_version(cloud: MotoCloud, node: Session) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    cloud.s3.delete_object(Bucket=cloud.bucket, Key=reference["key"])
    loaded = node.call("load_artifact", reference=reference)
    assert urllib3.request("GET", loaded["download"]["url"]).data == BODY
    assert page(node, reference, 0)[0] == "old0"


def test_a_copy_is_of_the_registered_version(cloud: MotoCloud, node: Session, opened: Opened) -> None:
    reference = node.register("a.csv", BODY)["reference"]
    node.put("a.csv", OTHER)
    copy = opened(run_id="run-1").call("load_artifact", reference=reference, into="workspace")
    stored = cloud.s3.get_object(Bucket=cloud.bucket, Key=copy["key"], VersionId=copy["version_id"])
    assert stored["Body"].read() == BODY


def test_deployed_functions_page_and_load_the_registered_version_through_overwrites(node_there: Session) -> None:
    reference = node_there.register("a.csv", BODY)["reference"]
    assert pages_with_overwrites_between(node_there, reference) == [f"old{n}" for n in range(ROWS)]
    loaded = node_there.call("load_artifact", reference=reference)
    assert urllib3.request("GET", loaded["download"]["url"]).data == BODY
