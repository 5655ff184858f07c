"""A file that is profiled after its registration was answered, from the queue to ready."""

from __future__ import annotations

import errno
from unittest.mock import patch

import pytest

from session_datasets.domain.limits import TABLE_BYTES_MAX
from session_datasets.operations import measuring, register_artifact
from tests.contract.profiling import AT_ONCE_BYTES, BODY, DONE, SHA256, described
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import Session, problem_code


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


def test_what_one_run_lays_out_fits_its_disk_three_times() -> None:
    assert 3 * TABLE_BYTES_MAX < 10_240 * 1024 * 1024
