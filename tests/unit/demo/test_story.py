"""The demo refuses what it could not hand over, before it starts anything."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

from infra.local.demo import cloud, story


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: object) -> NoReturn:
        raise AssertionError("something was started")

    monkeypatch.setattr(cloud, "copied_state", start)
    monkeypatch.setattr(story, "forget_aws", lambda: None)
    monkeypatch.setattr(story.signal, "signal", lambda *_: None)


def test_a_directory_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert story.main(tmp_path) == 1
    assert "is not a file" in capsys.readouterr().out


def test_an_empty_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.csv").touch()
    assert story.main(tmp_path / "empty.csv") == 1
    assert "empty.csv is empty" in capsys.readouterr().out


def test_a_missing_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert story.main(tmp_path / "nowhere.csv") == 1
    told = capsys.readouterr().out.replace("\n", "")
    assert told == f"There is no file '{tmp_path / 'nowhere.csv'}'."


def test_a_file_with_something_in_it_is_taken_by_its_full_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.csv").write_text("a\n")
    monkeypatch.chdir(tmp_path)
    assert story.handed_over(Path("one.csv")) == tmp_path / "one.csv"
