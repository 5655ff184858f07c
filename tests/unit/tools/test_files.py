from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.client.errors import UnsafePathError
from session_datasets.tools.files import NoSuchFileError, file_inside


def test_a_file_is_named_relative_to_the_working_directory_or_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "out" / "a.csv"
    file.parent.mkdir()
    file.write_text("x")
    assert file_inside(tmp_path, "out/a.csv") == file_inside(tmp_path, str(file)) == file.resolve()


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "out/../../secret.txt", "link.txt"])
def test_no_file_outside_of_the_working_directory_is_taken(tmp_path: Path, path: str) -> None:
    (tmp_path / "secret.txt").write_text("x")
    directory = tmp_path / "work"
    (directory / "out").mkdir(parents=True)
    (directory / "link.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(UnsafePathError, match="not inside the working directory; nothing was registered"):
        file_inside(directory, path)


def test_near_names_are_offered_for_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "flights.csv").write_text("x")
    with pytest.raises(NoSuchFileError) as raised:
        file_inside(tmp_path, "flight.csv")
    assert raised.value.advice == "Did you mean 'flights.csv'? Write the file first, then register it."


def test_a_file_of_the_same_suffix_is_not_near(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("x")
    with pytest.raises(NoSuchFileError) as raised:
        file_inside(tmp_path, "missing.csv")
    assert raised.value.advice == "Write the file first, then register it."


@pytest.mark.parametrize("path", [".", "nul\0", "a" * 5_000], ids=["a folder", "a zero", "too long"])
def test_what_can_be_no_file_is_told_as_one_that_is_not_there(tmp_path: Path, path: str) -> None:
    with pytest.raises(NoSuchFileError):
        file_inside(tmp_path, path)


def test_hidden_folders_are_not_offered(tmp_path: Path) -> None:
    (tmp_path / ".private").mkdir()
    (tmp_path / ".private" / "flights.csv").write_text("x")
    with pytest.raises(NoSuchFileError) as raised:
        file_inside(tmp_path, "flights.csv")
    assert ".private" not in str(raised.value)
