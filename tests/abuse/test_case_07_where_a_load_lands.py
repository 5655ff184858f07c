"""A load is given, by the service or by its caller, a name that leads elsewhere; or something is in its way.

It lands inside the working directory under a plain name, or not at all: no ``../../.bashrc``, no absolute path, no
way through a link, also not through one that appears while the bytes arrive. It is written beside its name and gets the
name in one step, over nothing that is there unless that was asked for.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from session_datasets.client.errors import SessionDatasetsError, UnsafePathError
from session_datasets.client.transport import Body, InProcessTransport
from session_datasets.client.workspace import Workspace
from session_datasets.domain.limits import MIB
from session_datasets.domain.names import Verb
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud

BODY = random.Random(7).randbytes(3 * MIB)
THEIRS = "what was there before"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder around the working directory, with a file that nobody may touch."""
    (tmp_path / "node").mkdir()
    (tmp_path / ".bashrc").write_text(THEIRS)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


@pytest.fixture
def directory(home: Path) -> Path:
    return home / "node"


@pytest.fixture
def workspace(cloud: MotoCloud, directory: Path) -> Workspace:
    return cloud.open(run_id="run", directory=directory)


@pytest.fixture
def artifact_id(workspace: Workspace, home: Path) -> str:
    source = home / "elsewhere" / "noise.tar.gz"
    source.write_bytes(BODY)
    known = workspace.register_artifact(source).artifact_id
    source.unlink()
    return known


def everything(folder: Path) -> dict[str, str]:
    """Paths below, with what is there: the way of a link, ``folder``, or the bytes."""
    found = {}
    for path in sorted(folder.rglob("*")):
        kind = f"link to {os.readlink(path)}" if path.is_symlink() else "folder" if path.is_dir() else ""
        found[str(path.relative_to(folder))] = kind or path.read_bytes().hex()[:200]
    return found


def told(cloud: MotoCloud, directory: Path, **changes: str) -> Workspace:
    """A workspace whose service answers a load so."""

    def call(verb: Verb, body: Body) -> Body:
        answer = cloud.call(verb, body)
        return {**answer, **changes} if verb is Verb.LOAD_ARTIFACT else answer

    return Workspace(cloud.token(run_id="run"), InProcessTransport(call), directory)


@pytest.mark.parametrize(
    "name",
    [
        "../../.bashrc",
        "../.bashrc",
        "/etc/passwd",
        "a/../../.bashrc",
        "..\\..\\.bashrc",
        "C:\\x\\y",
        ".",
        "..",
        "",
        ".bashrc",
        "a\0b",
        "a\nb",
        "a\x1b[2Jb",
        "\u202egnp.exe",
        "a\u2028b",
        "~/.bashrc/",
        "x" * 256,
        "ü" * 200,
    ],
)
def test_a_name_of_the_service_leads_nowhere_else(
    cloud: MotoCloud, artifact_id: str, home: Path, directory: Path, name: str
) -> None:
    before = everything(home)
    with pytest.raises((UnsafePathError, OSError)):
        told(cloud, directory, file_name=name).load_artifact(artifact_id)
    assert everything(home) == before


@pytest.mark.parametrize(
    "to", ["../.bashrc", "x/../../.bashrc", "..", "../node-2/x", "/etc/x", "{}/.bashrc", "{}/node/../.bashrc", "x\0"]
)
def test_a_wish_of_the_caller_leads_nowhere_else(workspace: Workspace, artifact_id: str, home: Path, to: str) -> None:
    before = everything(home)
    with pytest.raises(UnsafePathError):
        workspace.load_artifact(artifact_id, to.replace("{}", str(home)), overwrite=True)
    assert everything(home) == before


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("place", ["noise.tar.gz", "sub/noise.tar.gz"])
def test_a_link_on_the_way_is_not_followed(
    workspace: Workspace, artifact_id: str, home: Path, directory: Path, place: str, overwrite: bool
) -> None:
    link = directory / place.split("/")[0]
    link.symlink_to(home / ("elsewhere" if "/" in place else ".bashrc"))
    before = everything(home)
    with pytest.raises(UnsafePathError):
        workspace.load_artifact(artifact_id, place, overwrite=overwrite)
    assert everything(home) == before


def test_a_working_directory_that_is_a_link_itself_is_its_owners_choice(
    cloud: MotoCloud, artifact_id: str, home: Path
) -> None:
    (home / "link").symlink_to(home / "elsewhere")
    cloud.open(run_id="run", directory=home / "link").load_artifact(artifact_id)
    assert (home / "elsewhere" / "noise.tar.gz").read_bytes() == BODY


def while_it_arrives(do: Callable[[], None]) -> Callable[[int, int], None]:
    """A progress callback that does it once, when some of the bytes are there and others are not."""
    done: list[int] = []

    def progress(have: int, whole: int) -> None:
        if 0 < have < whole and not done:
            done.append(have)
            do()

    return progress


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_link_that_appears_under_the_name_meanwhile_is_not_written_through(
    workspace: Workspace, artifact_id: str, home: Path, directory: Path, overwrite: bool
) -> None:
    swap = while_it_arrives(lambda: (directory / "noise.tar.gz").symlink_to(home / ".bashrc"))
    path = workspace.load_artifact(artifact_id, overwrite=overwrite, progress=swap)
    assert (home / ".bashrc").read_text() == THEIRS
    assert (path.is_symlink(), path.read_bytes()) == (False, BODY)
    # Without the wish to overwrite, even the link stays as it was put there.
    assert path.name == ("noise.tar.gz" if overwrite else "noise-2.tar.gz")


def test_a_folder_that_becomes_a_link_meanwhile_brings_nothing_elsewhere(
    workspace: Workspace, artifact_id: str, home: Path, directory: Path
) -> None:
    (directory / "sub").mkdir()

    def swap() -> None:
        (directory / "sub").rename(directory / "old")
        (directory / "sub").symlink_to(home / "elsewhere")

    with pytest.raises((SessionDatasetsError, OSError)):
        workspace.load_artifact(artifact_id, "sub/x", progress=while_it_arrives(swap))
    assert list((home / "elsewhere").iterdir()) == []


def test_a_file_that_appears_meanwhile_is_kept(workspace: Workspace, artifact_id: str, directory: Path) -> None:
    appear = while_it_arrives(lambda: (directory / "noise.tar.gz").write_text(THEIRS) and None)
    path = workspace.load_artifact(artifact_id, progress=appear)
    assert ((directory / "noise.tar.gz").read_text(), path.name) == (THEIRS, "noise-2.tar.gz")


def part_of(directory: Path) -> Path:
    (part,) = directory.glob(".*.part")
    return part


@pytest.fixture
def part_name(workspace: Workspace, artifact_id: str, directory: Path) -> str:
    """The name that the unfinished file of this artifact has."""

    class Enough(Exception):
        pass

    def stop() -> None:
        raise Enough

    with pytest.raises(Enough):
        workspace.load_artifact(artifact_id, progress=while_it_arrives(stop))
    part = part_of(directory)
    part.unlink()
    return part.name


@pytest.mark.parametrize("plant", [os.link, os.symlink], ids=["hard", "symbolic"])
def test_a_link_in_place_of_the_unfinished_file_is_not_written_to(
    workspace: Workspace,
    artifact_id: str,
    home: Path,
    directory: Path,
    part_name: str,
    plant: Callable[[Path, Path], None],
) -> None:
    """An archive that was unpacked here can hold either."""
    plant(home / ".bashrc", directory / part_name)
    assert workspace.load_artifact(artifact_id).read_bytes() == BODY
    assert (home / ".bashrc").read_text() == THEIRS


def test_a_pipe_in_place_of_the_unfinished_file_is_not_waited_for(
    workspace: Workspace, artifact_id: str, directory: Path, part_name: str
) -> None:
    os.mkfifo(directory / part_name)
    assert workspace.load_artifact(artifact_id).read_bytes() == BODY


def test_what_somebody_left_as_the_unfinished_file_never_passes_for_the_file(
    workspace: Workspace, artifact_id: str, directory: Path, part_name: str
) -> None:
    (directory / part_name).write_bytes(b"forged" + BODY[6:])
    with pytest.raises(SessionDatasetsError, match="sha256"):
        workspace.load_artifact(artifact_id)
    assert everything(directory) == {}
    assert workspace.load_artifact(artifact_id).read_bytes() == BODY


@pytest.mark.parametrize("kind", ["folder", "pipe", "other content"])
def test_whatever_has_the_name_is_kept(workspace: Workspace, artifact_id: str, directory: Path, kind: str) -> None:
    taken = directory / "noise.tar.gz"
    {"folder": taken.mkdir, "pipe": lambda: os.mkfifo(taken), "other content": lambda: taken.write_text(THEIRS)}[kind]()
    before = taken.stat()
    assert workspace.load_artifact(artifact_id).name == "noise-2.tar.gz"
    assert (taken.stat().st_ino, taken.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_folder_is_not_overwritten_even_if_that_was_asked_for(
    workspace: Workspace, artifact_id: str, directory: Path
) -> None:
    (directory / "noise.tar.gz").mkdir()
    (directory / "noise.tar.gz" / "mine").write_text(THEIRS)
    with pytest.raises(UnsafePathError, match="folder"):
        workspace.load_artifact(artifact_id, overwrite=True)
    assert (directory / "noise.tar.gz" / "mine").read_text() == THEIRS


def test_where_capitals_do_not_count_a_name_that_differs_in_them_is_taken(
    workspace: Workspace, artifact_id: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on the disks of most laptops."""
    (directory / "NOISE.TAR.GZ").write_text(THEIRS)
    there, link = os.path.lexists, os.link

    def known(path: object) -> bool:
        wanted = Path(str(path))
        return there(path) or (
            wanted.parent.is_dir()
            and wanted.name.casefold() in {each.name.casefold() for each in wanted.parent.iterdir()}
        )

    def linked(source: object, target: object) -> None:
        if known(target):
            raise FileExistsError(str(target))
        link(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(os.path, "lexists", known)
    monkeypatch.setattr(os, "link", linked)
    assert workspace.load_artifact(artifact_id).name == "noise-2.tar.gz"
    assert (directory / "NOISE.TAR.GZ").read_text() == THEIRS


def test_from_deployed_functions_it_lands_in_the_working_directory_beside_what_is_there(
    deployed: DeployedCloud, home: Path, directory: Path
) -> None:
    workspace = deployed.open(directory, run_id="landing")
    source = home / "elsewhere" / "noise.bin"
    source.write_bytes(BODY)
    known = workspace.register_artifact(source).reference
    (directory / "noise.bin").write_text(THEIRS)
    with pytest.raises(UnsafePathError):
        workspace.load_artifact(known, "../.bashrc")
    path = workspace.load_artifact(known)
    assert (path, path.read_bytes()) == (directory / "noise-2.bin", BODY)
    assert sorted(each.name for each in directory.iterdir()) == ["noise-2.bin", "noise.bin"]
