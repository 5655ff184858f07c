"""Files come down whole, checked, resumed where they broke, and nowhere but into the working directory."""

from __future__ import annotations

import errno
import os
import random
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from session_datasets.client.errors import ChecksumError, NotEnoughSpaceError, TransferError, UnsafePathError
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import KIB
from session_datasets.domain.names import Verb
from tests.support.moto_cloud import MotoCloud
from tests.unit.client.flaky import Fault, FlakyStorage

CONTENT = random.Random(7).randbytes(300 * KIB)
CUT = 100 * KIB


@pytest.fixture
def artifact_id(workspace: Workspace, storage: FlakyStorage, tmp_path: Path) -> str:
    path = tmp_path / "noise.tar.gz"
    path.write_bytes(CONTENT)
    registered = workspace.register_artifact(path)
    storage.passed.clear()
    return registered.artifact_id


@pytest.fixture
def hurried(flaky_cloud: MotoCloud, directory: Path) -> Workspace:
    """Another process of the same run in the same directory, which gives up at the first failure."""
    return Workspace(flaky_cloud.token(run_id="run"), flaky_cloud.transport(), directory, patience=Patience(tries=1))


def files_in(directory: Path) -> list[str]:
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir())


class TestBrokenTransfers:
    def test_a_cut_download_goes_on_where_it_stopped(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults.append(Fault(cut_after=CUT))
        path = workspace.load_artifact(artifact_id)
        assert path.read_bytes() == CONTENT
        assert [each.headers["range"] for each in storage.downloads()] == ["bytes=0-", f"bytes={CUT}-"]
        assert sum(each.sent_back for each in storage.downloads()) == len(CONTENT)

    def test_the_rest_must_be_of_the_same_object(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults += [Fault(cut_after=CUT), Fault(cut_after=CUT)]
        workspace.load_artifact(artifact_id)
        first, *later = [each.headers.get("if-match") for each in storage.downloads()]
        assert first is None
        assert len(later) == 2

    def test_a_later_call_goes_on_where_an_earlier_one_broke(
        self, workspace: Workspace, hurried: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults.append(Fault(cut_after=CUT))
        with pytest.raises(TransferError):
            hurried.load_artifact(artifact_id)
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT
        assert sum(each.sent_back for each in storage.downloads()) == len(CONTENT)

    def test_a_broken_load_leaves_a_part_and_no_file_of_the_name(
        self, hurried: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        storage.faults.append(Fault(cut_after=CUT))
        with pytest.raises(TransferError):
            hurried.load_artifact(artifact_id)
        (part,) = files_in(directory)
        assert part.endswith(".part")
        assert (directory / part).stat().st_size == CUT

    def test_a_storage_that_ignores_the_range_costs_bytes_and_nothing_else(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults += [Fault(cut_after=CUT), Fault(without_range=True)]
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT

    def test_a_part_that_is_longer_than_the_file_is_none_of_it(
        self, workspace: Workspace, hurried: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        storage.faults.append(Fault(cut_after=CUT))
        with pytest.raises(TransferError):
            hurried.load_artifact(artifact_id)
        (part,) = directory.iterdir()
        part.write_bytes(CONTENT + b"more")
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT

    def test_a_busy_storage_is_asked_again_a_bounded_number_of_times(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        storage.faults.append(Fault(refuse=(503, "SlowDown", ""), times=99))
        with pytest.raises(TransferError, match="503, SlowDown"):
            workspace.load_artifact(artifact_id)
        assert len(storage.downloads()) == 4

    def test_expired_permission_is_asked_for_anew(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults += [Fault(cut_after=CUT), Fault(refuse=(403, "AccessDenied", "Request has expired"))]
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT

    def test_changed_bytes_leave_no_file_and_no_part(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        storage.faults.append(Fault(change=lambda data: data[:-1] + bytes([data[-1] ^ 1])))
        with pytest.raises(ChecksumError, match="sha256"):
            workspace.load_artifact(artifact_id)
        assert files_in(directory) == []

    def test_more_bytes_than_registered_leave_no_file_and_no_part(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        storage.faults.append(Fault(change=lambda data: data + b"!"))
        with pytest.raises(ChecksumError, match="more bytes"):
            workspace.load_artifact(artifact_id)
        assert files_in(directory) == []

    def test_progress_never_goes_back_and_ends_at_the_whole(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str
    ) -> None:
        storage.faults += [Fault(cut_after=CUT), Fault(without_range=True)]
        told: list[int] = []
        workspace.load_artifact(artifact_id, progress=lambda done, total: told.append(done))
        assert told == sorted(set(told))
        assert (told[0], told[-1]) == (0, len(CONTENT))

    def test_a_disk_without_room_is_told_before_a_byte_is_fetched(
        self,
        workspace: Workspace,
        storage: FlakyStorage,
        artifact_id: str,
        directory: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        usage = shutil.disk_usage(directory)._replace(free=len(CONTENT) - 1)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        with pytest.raises(NotEnoughSpaceError, match=f"{len(CONTENT):,} bytes .* room for {len(CONTENT) - 1:,}"):
            workspace.load_artifact(artifact_id)
        assert storage.downloads() == []

    def test_a_disk_with_just_enough_room_is_enough(
        self, workspace: Workspace, artifact_id: str, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        usage = shutil.disk_usage(directory)._replace(free=len(CONTENT))
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT

    def test_two_loads_at_once_both_give_the_whole_file(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        loaded: list[bytes] = []
        threads = [
            threading.Thread(target=lambda: loaded.append(workspace.load_artifact(artifact_id).read_bytes()))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert loaded == [CONTENT] * 4
        assert not any(name.endswith(".part") for name in files_in(directory))


class TestPoorFileSystems:
    def test_without_hard_links_the_file_gets_its_name_all_the_same(
        self, workspace: Workspace, artifact_id: str, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "link", _not_supported)
        (directory / "noise.tar.gz").write_text("mine")
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT
        assert files_in(directory) == ["noise-2.tar.gz", "noise.tar.gz"]

    def test_without_locks_the_file_comes_all_the_same(
        self, workspace: Workspace, artifact_id: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fcntl.flock", _not_supported)
        assert workspace.load_artifact(artifact_id).read_bytes() == CONTENT


def _not_supported(*_: object) -> None:
    raise OSError(errno.ENOTSUP, "not supported")


class TestNames:
    def test_the_file_keeps_its_name(self, workspace: Workspace, artifact_id: str, directory: Path) -> None:
        assert workspace.load_artifact(artifact_id) == directory / "noise.tar.gz"

    def test_loading_again_finds_the_file_that_is_there(
        self, workspace: Workspace, storage: FlakyStorage, artifact_id: str, directory: Path
    ) -> None:
        first = workspace.load_artifact(artifact_id)
        assert workspace.load_artifact(artifact_id) == first
        assert len(storage.downloads()) == 1
        assert files_in(directory) == ["noise.tar.gz"]

    def test_a_taken_name_leads_to_a_numbered_sibling(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        (directory / "noise.tar.gz").write_text("mine")
        (directory / "noise-2.tar.gz").write_text("mine, too")
        assert workspace.load_artifact(artifact_id) == directory / "noise-3.tar.gz"
        assert (directory / "noise.tar.gz").read_text() == "mine"

    def test_a_sibling_with_the_same_content_is_found(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        (directory / "noise.tar.gz").write_text("mine")
        first = workspace.load_artifact(artifact_id)
        assert workspace.load_artifact(artifact_id) == first

    def test_overwrite_replaces_what_is_there(self, workspace: Workspace, artifact_id: str, directory: Path) -> None:
        (directory / "noise.tar.gz").write_text("old")
        path = workspace.load_artifact(artifact_id, overwrite=True)
        assert (path.name, path.read_bytes()) == ("noise.tar.gz", CONTENT)

    def test_a_changed_copy_is_not_taken_for_the_file(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        path = workspace.load_artifact(artifact_id)
        path.write_bytes(CONTENT[:-1] + b"x")
        assert workspace.load_artifact(artifact_id) == directory / "noise-2.tar.gz"

    def test_folders_on_the_way_are_made(self, workspace: Workspace, artifact_id: str, directory: Path) -> None:
        assert workspace.load_artifact(artifact_id, "in/there/x.bin") == directory / "in/there/x.bin"

    def test_a_folder_takes_the_file_under_its_own_name(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        (directory / "data").mkdir()
        assert workspace.load_artifact(artifact_id, "data") == directory / "data" / "noise.tar.gz"
        assert workspace.load_artifact(artifact_id, "new/") == directory / "new" / "noise.tar.gz"

    def test_an_absolute_path_inside_the_directory_is_inside(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        assert workspace.load_artifact(artifact_id, directory / "x.bin") == directory / "x.bin"

    def test_the_file_has_the_mode_of_any_new_file(
        self, workspace: Workspace, artifact_id: str, directory: Path
    ) -> None:
        (directory / "other").touch()
        assert workspace.load_artifact(artifact_id).stat().st_mode == (directory / "other").stat().st_mode


class TestStayingInside:
    @pytest.mark.parametrize("to", ["../x", "a/../../x", "/etc/x", "..", "a\0b"])
    def test_a_path_that_leads_out_is_refused(
        self, workspace: Workspace, artifact_id: str, storage: FlakyStorage, tmp_path: Path, to: str
    ) -> None:
        before = files_in(tmp_path)
        with pytest.raises(UnsafePathError):
            workspace.load_artifact(artifact_id, to)
        assert files_in(tmp_path) == before
        assert storage.downloads() == []

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_a_link_under_the_target_name_is_refused(
        self, workspace: Workspace, artifact_id: str, directory: Path, tmp_path: Path, overwrite: bool
    ) -> None:
        outside = tmp_path / "outside"
        outside.write_text("theirs")
        (directory / "noise.tar.gz").symlink_to(outside)
        with pytest.raises(UnsafePathError, match="link"):
            workspace.load_artifact(artifact_id, overwrite=overwrite)
        assert outside.read_text() == "theirs"

    def test_a_dangling_link_is_refused(
        self, workspace: Workspace, artifact_id: str, directory: Path, tmp_path: Path
    ) -> None:
        (directory / "noise.tar.gz").symlink_to(tmp_path / "not-yet")
        with pytest.raises(UnsafePathError, match="link"):
            workspace.load_artifact(artifact_id)
        assert not (tmp_path / "not-yet").exists()

    def test_a_link_among_the_folders_is_refused(
        self, workspace: Workspace, artifact_id: str, directory: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        (directory / "folder").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(UnsafePathError, match="link"):
            workspace.load_artifact(artifact_id, "folder/x.bin")
        assert list((tmp_path / "elsewhere").iterdir()) == []

    @pytest.mark.parametrize("name", ["../x", "/etc/x", "..", "", "a/b", "a\\b", "a\0", "x\x1b[31m", ".bashrc"])
    def test_a_hostile_name_from_the_service_is_refused(
        self, flaky_cloud: MotoCloud, artifact_id: str, directory: Path, tmp_path: Path, name: str
    ) -> None:
        before = files_in(tmp_path)
        transport = _Changing(flaky_cloud.transport().call, Verb.LOAD_ARTIFACT, {"file_name": name})
        with pytest.raises(UnsafePathError):
            Workspace(flaky_cloud.token(run_id="run"), transport, directory).load_artifact(artifact_id)
        assert files_in(tmp_path) == before


class _Changing:
    """A transport whose answers of one verb are changed."""

    def __init__(self, call: Callable[[Verb, Body], Body], verb: Verb, changes: Body) -> None:
        self._call, self._verb, self._changes = call, verb, changes

    def call(self, verb: Verb, body: Body) -> Body:
        answered: dict[str, Any] = self._call(verb, body)
        return answered | self._changes if verb is self._verb else answered


def test_a_copy_goes_into_the_loading_sessions_workspace(
    flaky_cloud: MotoCloud, artifact_id: str, directory: Path
) -> None:
    session = flaky_cloud.orchestrator().open_session(owner="acme", run_id="run")
    copy = session.workspace(directory).load_artifact(artifact_id, into="workspace")
    assert (copy.key or "").startswith(session.workspace_prefix)
    body = flaky_cloud.s3.get_object(Bucket=flaky_cloud.bucket, Key=copy.key, VersionId=copy.version_id)["Body"]
    assert body.read() == CONTENT
    assert not os.listdir(directory)
