"""Where a loaded file can not land."""

from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.client import landing
from session_datasets.client.errors import UnsafePathError


def _land(directory: Path, to: str) -> Path:
    target = landing.target_in(directory, to, "a.csv")
    landing.make_parents(directory, target)
    return target


@pytest.mark.parametrize("to", ["a.csv/sub.csv", "a.csv/deep/sub.csv", "a.csv/", "folder/b.csv/sub.csv"])
def test_a_path_that_goes_through_a_file_is_refused_and_nothing_is_made(tmp_path: Path, to: str) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("a.csv", "folder/b.csv"):
        (tmp_path / name).write_text("x")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UnsafePathError, match="a part of its path is a file; nothing was loaded"):
        _land(tmp_path, to)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("part", ["x" * 256, "\N{EURO SIGN}" * 86], ids=["letters", "bytes"])
def test_a_part_that_no_file_system_takes_is_refused(tmp_path: Path, part: str) -> None:
    for to in (part, f"{part}/a.csv", f"folder/{part}"):
        with pytest.raises(UnsafePathError, match="is longer than 255 bytes; nothing was loaded"):
            _land(tmp_path, to)
    assert list(tmp_path.iterdir()) == []


def test_folders_that_do_not_exist_are_made(tmp_path: Path) -> None:
    assert _land(tmp_path, "new/deep/a.csv").parent.is_dir()
