"""Files go up whole or not at all, in parts when they are large, and each failed part alone once more."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from session_datasets.client.errors import ConflictError, NotFoundError, SessionDatasetsError, TransferError
from session_datasets.client.local_file import LocalFile
from session_datasets.client.transport import Body
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import KIB
from session_datasets.domain.names import Verb
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.conftest import IMPATIENT
from tests.unit.client.flaky import Fault, FlakyStorage

PART = 64 * KIB


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 64 KiB, where S3 wants 5 MiB at the least."""
    monkeypatch.setattr("session_datasets.storage.workspace_files.SINGLE_UPLOAD_BYTES_MAX", PART)
    monkeypatch.setattr("session_datasets.storage.workspace_files.UPLOAD_PART_BYTES", PART)
    monkeypatch.setattr("moto.s3.models.S3_UPLOAD_PART_MIN_SIZE", 1)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Five parts, the last one short."""
    path = tmp_path / "large.csv"
    path.write_text("n,text\n" + "".join(f"{n},{n:x}\n" for n in range(27_000)))
    assert 4 * PART < path.stat().st_size < 5 * PART
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.csv"
    path.write_text("a\n1\n")
    return path


def of_part(number: int) -> Fault:
    return Fault(when=lambda method, query: query.get("partNumber") == [str(number)])


def stored(cloud: MotoCloud, key: str | None) -> bytes:
    body: bytes = cloud.s3.get_object(Bucket=cloud.bucket, Key=key)["Body"].read()
    return body


def nothing_is_registered(workspace: Workspace) -> bool:
    return list(workspace.list_artifacts()) == []


@pytest.mark.usefixtures("small_parts")
class TestParts:
    def test_a_large_file_arrives_whole_in_parts(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, large: Path
    ) -> None:
        registered = workspace.register_artifact(large)
        assert sorted(each.part or "" for each in storage.uploads()) == ["1", "2", "3", "4", "5"]
        assert stored(flaky_cloud, registered.reference.key) == large.read_bytes()

    def test_every_part_carries_its_md5(self, workspace: Workspace, storage: FlakyStorage, large: Path) -> None:
        workspace.register_artifact(large)
        for each in storage.uploads():
            assert each.headers["content-md5"] == base64.b64encode(hashlib.md5(each.body).digest()).decode()

    @pytest.mark.parametrize("fault", [{"refuse": (503, "SlowDown", "")}, {"drop": True}, {"lose_answer": True}])
    def test_a_failed_part_alone_is_sent_again(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, large: Path, fault: dict[str, Any]
    ) -> None:
        storage.faults.append(replace(of_part(3), **fault, times=2))
        registered = workspace.register_artifact(large)
        assert Counter(each.part for each in storage.uploads()) == {"1": 1, "2": 1, "3": 3, "4": 1, "5": 1}
        assert stored(flaky_cloud, registered.reference.key) == large.read_bytes()

    def test_a_part_that_fails_for_good_leaves_nothing_registered(
        self, workspace: Workspace, storage: FlakyStorage, large: Path
    ) -> None:
        storage.faults.append(replace(of_part(2), refuse=(500, "InternalError", ""), times=99))
        with pytest.raises(TransferError, match="status 500, InternalError"):
            workspace.register_artifact(large)
        assert sum(each.part == "2" for each in storage.uploads()) == 4
        assert nothing_is_registered(workspace)

    def test_a_completion_whose_answer_is_lost_counts(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, large: Path
    ) -> None:
        storage.faults.append(Fault(when=lambda method, query: method == "POST", lose_answer=True))
        registered = workspace.register_artifact(large)
        assert stored(flaky_cloud, registered.reference.key) == large.read_bytes()

    def test_a_failure_inside_a_200_is_a_failure(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, large: Path
    ) -> None:
        refused = b"<Error><Code>InternalError</Code></Error>"
        storage.faults.append(Fault(when=lambda method, query: method == "POST", change=lambda _: refused, times=99))
        with pytest.raises(TransferError, match="InternalError"):
            workspace.register_artifact(large)
        assert nothing_is_registered(workspace)

    def test_progress_never_goes_back_and_ends_at_the_whole(
        self, workspace: Workspace, storage: FlakyStorage, large: Path
    ) -> None:
        storage.faults += [replace(of_part(1), lose_answer=True), replace(of_part(4), lose_answer=True)]
        told: list[tuple[int, int]] = []
        workspace.register_artifact(large, progress=lambda done, total: told.append((done, total)))
        size = large.stat().st_size
        done = [each for each, _ in told]
        assert done == sorted(set(done))
        assert (done[0], done[-1]) == (0, size)
        assert {total for _, total in told} == {size}

    def test_after_expired_permission_for_a_part_that_part_alone_is_sent_into_the_same_upload(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, large: Path
    ) -> None:
        storage.faults.append(replace(of_part(5), refuse=(403, "AccessDenied", "Request has expired")))
        registered = workspace.register_artifact(large)
        assert Counter(each.part for each in storage.uploads()) == {"1": 1, "2": 1, "3": 1, "4": 1, "5": 2}
        assert len({each.query["uploadId"][0] for each in storage.uploads()}) == 1
        assert stored(flaky_cloud, registered.reference.key) == large.read_bytes()


class TestSinglePut:
    def test_the_registered_version_is_the_uploaded_one(
        self, workspace: Workspace, flaky_cloud: MotoCloud, small: Path
    ) -> None:
        registered = workspace.register_artifact(small)
        head = flaky_cloud.s3.head_object(Bucket=flaky_cloud.bucket, Key=registered.reference.key)
        assert registered.reference.version_id == head["VersionId"]

    def test_expired_permission_is_asked_for_anew(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        storage.faults.append(Fault(refuse=(403, "AccessDenied", "Request has expired"), times=2))
        assert workspace.register_artifact(small).created
        assert len(storage.uploads()) == 3

    def test_permission_that_always_expires_ends_in_an_error(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        storage.faults.append(Fault(refuse=(403, "AccessDenied", "Request has expired"), times=99))
        with pytest.raises(TransferError, match="403"):
            workspace.register_artifact(small)
        assert len(storage.uploads()) == 4

    def test_a_body_that_the_storage_finds_changed_is_told_as_such(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        storage.faults.append(Fault(refuse=(400, "BadDigest", ""), times=99))
        with pytest.raises(TransferError, match="may have changed while it was sent"):
            workspace.register_artifact(small)
        assert len(storage.uploads()) == 4

    def test_a_refusal_that_is_no_expiry_is_not_tried_again(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        storage.faults.append(Fault(refuse=(403, "SignatureDoesNotMatch", ""), times=99))
        with pytest.raises(TransferError, match="SignatureDoesNotMatch"):
            workspace.register_artifact(small)
        assert len(storage.uploads()) == 1

    def test_an_empty_file_is_refused_and_not_registered(self, workspace: Workspace, tmp_path: Path) -> None:
        empty = tmp_path / "empty.csv"
        empty.touch()
        with pytest.raises(SessionDatasetsError, match="0 bytes"):
            workspace.register_artifact(empty)
        assert nothing_is_registered(workspace)


def test_a_file_name_that_is_no_key_is_made_one_and_stays_the_label(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "Übersicht #1?.csv"
    path.write_text("a\n1\n")
    registered = workspace.register_artifact(path)
    assert registered.name == "Übersicht #1?.csv"
    assert (registered.reference.key or "").isascii()
    assert (registered.reference.key or "").endswith(".csv")


def test_the_same_file_name_with_other_content_leaves_the_first_artifact_readable(
    workspace: Workspace, small: Path
) -> None:
    first = workspace.register_artifact(small)
    small.write_text("a\n2\n")
    second = workspace.register_artifact(small)
    assert first.artifact_id != second.artifact_id
    assert [workspace.read_rows(each).rows for each in (first, second)] == [[[1]], [[2]]]


def test_a_repeat_of_the_whole_call_under_a_request_token_finds_the_first(workspace: Workspace, small: Path) -> None:
    first = workspace.register_artifact(small, request_token="step-7")
    again = workspace.register_artifact(small, request_token="step-7")
    assert (again.artifact_id, again.created) == (first.artifact_id, False)


class TestPresent:
    """What is there already is neither sent nor registered twice."""

    def test_the_same_content_and_name_again_is_the_same_artifact(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        first = workspace.register_artifact(small)
        again = workspace.register_artifact(small)
        assert (again.reference, again.created) == (first.reference, False)
        assert [each.artifact_id for each in workspace.list_artifacts()] == [first.artifact_id]
        assert len(storage.uploads()) == 1

    def test_the_same_frame_and_name_again_is_the_same_artifact(
        self, workspace: Workspace, storage: FlakyStorage
    ) -> None:
        answers = [workspace.register_artifact(pa.table({"a": [1, 2]}), name="Numbers") for _ in range(2)]
        assert (answers[1].artifact_id, answers[1].created) == (answers[0].artifact_id, False)
        assert len(storage.uploads()) == 1

    def test_the_same_content_under_another_name_is_another_artifact_of_the_same_version(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        first, second = (workspace.register_artifact(small, name=name) for name in ("first", "second"))
        assert first.artifact_id != second.artifact_id
        assert first.reference.version_id == second.reference.version_id
        assert len(storage.uploads()) == 1

    @pytest.mark.usefixtures("small_parts")
    def test_a_file_in_parts_is_recognised_too(self, workspace: Workspace, storage: FlakyStorage, large: Path) -> None:
        first, again = workspace.register_artifact(large), workspace.register_artifact(large)
        assert again.reference == first.reference
        assert len(storage.uploads()) == 5

    def test_progress_is_told_as_the_whole_at_once(self, workspace: Workspace, small: Path) -> None:
        workspace.register_artifact(small)
        told: list[tuple[int, int]] = []
        workspace.register_artifact(small, progress=lambda done, total: told.append((done, total)))
        assert told == [(0, 4), (4, 4)]

    def test_a_file_that_is_not_what_its_upload_announced_is_replaced(
        self, workspace: Workspace, storage: FlakyStorage, flaky_cloud: MotoCloud, small: Path
    ) -> None:
        key = workspace.register_artifact(small).reference.key
        sha256 = hashlib.sha256(small.read_bytes()).hexdigest()
        flaky_cloud.s3.put_object(Bucket=flaky_cloud.bucket, Key=key, Body=b"a\n9\n", Metadata={"sha256": sha256})
        again = workspace.register_artifact(small)
        assert again.created
        assert workspace.read_rows(again).rows == [[1]]
        assert len(storage.uploads()) == 2

    def test_a_file_that_is_deleted_before_it_is_registered_is_sent_again(
        self, flaky_cloud: MotoCloud, storage: FlakyStorage, directory: Path, small: Path
    ) -> None:
        class DeletingTransport:
            """Deletes what a plan says is present."""

            def call(self, verb: Verb, body: Body) -> Body:
                answered: Body = flaky_cloud.call(verb, body)
                if answered.get("present"):
                    flaky_cloud.s3.delete_object(
                        Bucket=flaky_cloud.bucket, Key=answered["key"], VersionId=answered["version_id"]
                    )
                return answered

        token = flaky_cloud.token(run_id="run")
        workspace = Workspace(token, DeletingTransport(), directory, patience=IMPATIENT)
        first, again = workspace.register_artifact(small), workspace.register_artifact(small)
        assert again.created
        assert again.artifact_id != first.artifact_id
        assert len(storage.uploads()) == 2

    def test_a_refusal_for_another_reason_sends_nothing(
        self, workspace: Workspace, storage: FlakyStorage, small: Path
    ) -> None:
        workspace.register_artifact(small)
        with pytest.raises(NotFoundError):
            workspace.register_artifact(small, name="other", lineage=["art_" + "0" * 26])
        assert len(storage.uploads()) == 1


def test_a_file_that_changes_while_it_is_sent_is_not_registered(
    workspace: Workspace, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = LocalFile.measured

    def measured_before_the_change(path: Path, file_name: str | None = None) -> LocalFile:
        file = measured(path, file_name)
        path.write_text("b\n2\n")
        return file

    monkeypatch.setattr(LocalFile, "measured", measured_before_the_change)
    with pytest.raises(ConflictError, match="sha256"):
        workspace.register_artifact(small)
    assert nothing_is_registered(workspace)


def test_a_file_that_shrinks_while_it_is_sent_is_not_registered(
    workspace: Workspace, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = LocalFile.measured

    def measured_before_the_cut(path: Path, file_name: str | None = None) -> LocalFile:
        file = measured(path, file_name)
        path.write_text("a\n")
        return file

    monkeypatch.setattr(LocalFile, "measured", measured_before_the_cut)
    with pytest.raises(TransferError, match="shorter"):
        workspace.register_artifact(small)
    assert nothing_is_registered(workspace)


def test_a_missing_file_is_the_operating_systems_error(workspace: Workspace, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        workspace.register_artifact(tmp_path / "nowhere.csv")


def test_what_is_neither_path_nor_frame_is_a_type_error(workspace: Workspace) -> None:
    with pytest.raises(TypeError, match="int"):
        workspace.register_artifact(7)  # type: ignore[arg-type]


def test_lineage_takes_references_in_any_form(workspace: Workspace, small: Path) -> None:
    first = workspace.register_artifact(small, name="first")
    second = workspace.register_artifact(small, name="second", lineage=[first])
    third = workspace.register_artifact(small, name="third", lineage=[first.artifact_id, second.reference])
    assert workspace.describe_artifact(third).lineage == [first.artifact_id, second.artifact_id]
