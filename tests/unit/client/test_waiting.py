"""Waiting for a profile that is made after the registration was answered."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from session_datasets.client.errors import (
    ChecksumError,
    ConflictError,
    ProblemError,
    StillProfilingError,
    UnreadableFileError,
    WaitedTooLongError,
)
from session_datasets.client.patience import Patience
from session_datasets.client.workspace import Workspace
from session_datasets.domain.names import Verb
from session_datasets.domain.profile import ReadingHints
from session_datasets.wire.answers import DescribeArtifactAnswer
from tests.support.moto_cloud import MotoCloud


@pytest.fixture
def cloud(moto_server: str) -> MotoCloud:
    """Nothing is profiled at once."""
    return MotoCloud(moto_server, profiled_at_once_bytes=0)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "numbers.csv"
    path.write_text("n,name\n1,x\n2,y\n")
    return path


def a_workspace(cloud: MotoCloud, directory: Path, while_waiting: Callable[[float], object]) -> Workspace:
    """``while_waiting`` is what happens instead of sleeping."""
    patience = Patience(sleep=lambda seconds: while_waiting(seconds) and None, draw=lambda: 1.0)
    return Workspace(cloud.token(run_id="run"), cloud.transport(), directory, patience=patience)


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    """The service comes to the file while it is waited for."""
    return a_workspace(cloud, tmp_path, lambda _: cloud.run_profiling())


def test_registering_waits_and_answers_like_that_of_a_small_file(workspace: Workspace, csv: Path) -> None:
    answer = workspace.register_artifact(csv)
    assert (answer.status, answer.created, answer.format, answer.progress) == ("ready", True, "csv", None)
    assert answer.profile is not None
    assert answer.profile.shape.rows == 2


def test_the_profile_is_as_short_as_that_of_a_small_file(moto_server: str, workspace: Workspace, csv: Path) -> None:
    small = MotoCloud(moto_server).open().register_artifact(csv)
    assert workspace.register_artifact(csv).profile == small.profile


def test_registering_again_finds_it_ready_and_waits_for_nothing(workspace: Workspace, csv: Path) -> None:
    first = workspace.register_artifact(csv)
    told: list[DescribeArtifactAnswer] = []
    again = workspace.register_artifact(csv, profiling=told.append)
    assert (again.artifact_id, again.created, told) == (first.artifact_id, False, [])


def test_the_caller_is_told_how_far_it_has_come(workspace: Workspace, csv: Path) -> None:
    told: list[DescribeArtifactAnswer] = []
    workspace.register_artifact(csv, profiling=told.append)
    (artifact,) = told
    assert artifact.progress is not None
    assert (artifact.status, artifact.progress.stage) == ("profiling", "queued")


def test_who_does_not_wait_gets_the_reference_at_once_and_may_wait_later(workspace: Workspace, csv: Path) -> None:
    answer = workspace.register_artifact(csv, wait=False)
    assert (answer.status, answer.profile) == ("profiling", None)
    with pytest.raises(StillProfilingError):
        workspace.read_rows(answer)
    ready = workspace.wait(answer)
    assert (ready.status, workspace.read_rows(answer).rows) == ("ready", [[1, "x"], [2, "y"]])


def test_another_session_of_the_run_may_wait_by_the_id_alone(cloud: MotoCloud, workspace: Workspace, csv: Path) -> None:
    answer = workspace.register_artifact(csv, wait=False)
    other = a_workspace(cloud, csv.parent, lambda _: cloud.run_profiling())
    assert other.wait(answer.artifact_id).status == "ready"


def test_waiting_ends_with_the_timeout_and_says_that_the_service_goes_on(cloud: MotoCloud, csv: Path) -> None:
    workspace = a_workspace(cloud, csv.parent, lambda _: None)
    seconds = itertools.count(step=10)
    workspace._waiting._now = lambda: float(next(seconds))
    with pytest.raises(WaitedTooLongError, match=r"after 60 seconds \(queued\)") as caught:
        workspace.register_artifact(csv, timeout=60)
    assert "goes on" in caught.value.advice
    cloud.run_profiling()
    assert workspace.register_artifact(csv).status == "ready"


def test_questions_become_fewer(cloud: MotoCloud, csv: Path) -> None:
    slept: list[float] = []
    workspace = a_workspace(cloud, csv.parent, slept.append)
    seconds = itertools.count()
    workspace._waiting._now = lambda: float(next(seconds))
    with pytest.raises(WaitedTooLongError):
        workspace.register_artifact(csv, timeout=30)
    assert slept[:6] == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


@pytest.mark.parametrize(
    ("timeout", "expected"),
    [(0.0, []), (0.5, [0.5]), (25.0, [1.0, 2.0, 4.0, 8.0, 10.0]), (26.5, [1.0, 2.0, 4.0, 8.0, 10.0, 1.5])],
)
def test_no_wait_reaches_beyond_the_timeout(cloud: MotoCloud, csv: Path, timeout: float, expected: list[float]) -> None:
    """Time passes while it is slept, and at no other."""
    slept: list[float] = []
    workspace = a_workspace(cloud, csv.parent, slept.append)
    workspace._waiting._now = lambda: sum(slept)
    with pytest.raises(WaitedTooLongError):
        workspace.register_artifact(csv, timeout=timeout)
    assert slept == expected


def test_what_is_ready_when_the_time_is_up_is_answered(cloud: MotoCloud, csv: Path) -> None:
    slept: list[float] = []

    def while_waiting(seconds: float) -> None:
        slept.append(seconds)
        if sum(slept) >= 5:
            cloud.run_profiling()

    workspace = a_workspace(cloud, csv.parent, while_waiting)
    workspace._waiting._now = lambda: sum(slept)
    assert workspace.register_artifact(csv, timeout=5).status == "ready"
    assert slept == [1.0, 2.0, 2.0]


def test_a_damaged_file_raises_what_a_small_one_would(workspace: Workspace, tmp_path: Path) -> None:
    damaged = tmp_path / "rows.parquet"
    damaged.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    with pytest.raises(UnreadableFileError) as caught:
        workspace.register_artifact(damaged)
    assert caught.value.problem.code == "unreadable-file"
    (item,) = workspace.list_artifacts()
    assert item.status == "failed"


def test_bytes_that_are_not_what_their_upload_announced_are_sent_again(
    cloud: MotoCloud, workspace: Workspace, csv: Path
) -> None:
    """The store has a version that claims to be this file, and is another one of the same size."""
    body = csv.read_bytes()
    workspace.register_artifact(csv, wait=False)
    (stored,) = cloud.s3.list_objects_v2(Bucket=cloud.bucket)["Contents"]
    sha256 = cloud.s3.head_object(Bucket=cloud.bucket, Key=stored["Key"])["Metadata"]["sha256"]
    cloud.s3.put_object(Bucket=cloud.bucket, Key=stored["Key"], Body=body[::-1], Metadata={"sha256": sha256})
    answer = workspace.register_artifact(csv, name="again")
    assert answer.status == "ready"
    assert workspace.read_rows(answer).rows == [[1, "x"], [2, "y"]]


def test_a_false_announcement_of_an_upload_fails_the_load_of_whoever_trusted_it(
    cloud: MotoCloud, workspace: Workspace, csv: Path
) -> None:
    workspace.register_artifact(csv, wait=False)
    (stored,) = cloud.s3.list_objects_v2(Bucket=cloud.bucket)["Contents"]
    cloud.s3.put_object(Bucket=cloud.bucket, Key=stored["Key"], Body=b"another", Metadata={"sha256": "0" * 64})
    body = {"token": workspace.token, "key": stored["Key"], "name": "forged"}
    forged = cloud.call(Verb.REGISTER_ARTIFACT, body)["reference"]
    with pytest.raises(ChecksumError):
        workspace.load_artifact(forged)
    with pytest.raises(ConflictError):
        workspace.wait(forged)


def test_hints_reach_the_profile_through_the_queue(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("code;amount\n7;-\n8;1\n")
    hints = ReadingHints(types={"code": "string"}, nulls=("-",), delimiter=";", encoding="utf-8")
    answer = workspace.register_artifact(file, hints=hints)
    assert workspace.to_arrow(answer).to_pydict() == {"code": ["7", "8"], "amount": [None, 1]}


def test_the_same_file_is_not_read_anew_with_other_hints(workspace: Workspace, csv: Path) -> None:
    workspace.register_artifact(csv)
    with pytest.raises(ConflictError, match="read with other hints"):
        workspace.register_artifact(csv, hints=ReadingHints(types={"n": "string"}))


def test_a_file_that_does_not_fit_its_hint_fails(workspace: Workspace, csv: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        workspace.register_artifact(csv, hints=ReadingHints(types={"name": "int64"}))
    assert "name" in caught.value.detail


def test_one_text_for_several_nulls_is_a_mistake(workspace: Workspace, csv: Path) -> None:
    with pytest.raises(TypeError, match="nulls"):
        workspace.register_artifact(csv, hints=ReadingHints(nulls="NA"))  # type: ignore[arg-type]


def test_a_type_that_no_hint_names_is_refused_with_those_there_are(workspace: Workspace, csv: Path) -> None:
    with pytest.raises(ProblemError) as caught:
        workspace.register_artifact(csv, hints=ReadingHints(types={"n": "int65"}))
    assert caught.value.detail == (
        "hints.types.n: a type is string, bool, int64, double, decimal(p,s), date or timestamp."
    )
