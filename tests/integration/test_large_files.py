"""Files beyond what a call profiles, on deployed functions: queue, mapping and worker are those of the template."""

from __future__ import annotations

import hashlib
import random
import time
from pathlib import Path
from uuid import uuid4

import pytest

from infra.environments import Local
from session_datasets.client.errors import UnreadableFileError
from tests.support.deployed_cloud import DeployedCloud
from tests.support.sessions import Answer, Session, problem_code

# A worker's first start and one run, on a machine that does other things as well.
PATIENCE_SECONDS = 240
ROWS = 40_000
WORDS = b"word " * 200
BODY = b"number,words\n" + b"".join(b"%d,%s\n" % (number, WORDS) for number in range(ROWS))
POISONED = b"PAR1" + random.Random(7).randbytes(len(BODY)) + b"PAR1"


@pytest.fixture
def run_id() -> str:
    return f"run-{uuid4().hex}"


@pytest.fixture
def node(cloud: DeployedCloud, run_id: str) -> Session:
    return Session.open(cloud, run_id=run_id, node="extract")


def when_done(node: Session, reference: Answer) -> Answer:
    """The artifact, once it is profiling no more."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while (described := node.call("describe_artifact", reference=reference))["status"] == "profiling":
        assert time.monotonic() < ends, described
        time.sleep(0.5)
    return described


def test_the_file_of_these_tests_is_one_that_no_call_profiles_here() -> None:
    assert len(BODY) > Local().profiled_at_once_bytes


def test_it_is_answered_at_once_profiled_off_the_queue_and_pages(node: Session) -> None:
    registered = node.register("a.csv", BODY, sha256=hashlib.sha256(BODY).hexdigest())
    assert (registered["status"], registered["created"]) == ("profiling", True)
    described = when_done(node, registered["reference"])
    assert (described["status"], described["format"]) == ("ready", "csv")
    assert described["profile"]["shape"] == {"rows": ROWS, "columns": 2}
    page = node.call("read_rows", reference=registered["reference"], offset=ROWS - 1, columns=["number"])
    assert page["rows"] == [[ROWS - 1]]


def test_a_damaged_one_fails_with_its_reason_and_still_loads(node: Session) -> None:
    registered = node.register("a.parquet", POISONED)
    described = when_done(node, registered["reference"])
    assert (described["status"], described["failure"]["code"]) == ("failed", "unreadable-file")
    assert problem_code(node.call("read_rows", reference=registered["reference"])) == "not-a-dataset"
    assert "download" in node.call("load_artifact", reference=registered["reference"])


def test_the_sdk_waits_for_it(cloud: DeployedCloud, run_id: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(BODY)
    answer = cloud.open(tmp_path, run_id=run_id).register_artifact(file, name="Words", timeout=PATIENCE_SECONDS)
    assert (answer.status, answer.profile and answer.profile.shape.rows) == ("ready", ROWS)


def test_the_sdk_raises_what_is_wrong_with_a_damaged_one(cloud: DeployedCloud, run_id: str, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_bytes(POISONED)
    with pytest.raises(UnreadableFileError):
        cloud.open(tmp_path, run_id=run_id).register_artifact(file, timeout=PATIENCE_SECONDS)
