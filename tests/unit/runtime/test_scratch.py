from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from session_datasets.runtime.scratch import swept_scratch


def a_dead_process() -> int:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def leave_behind(root: Path, owner: object) -> Path:
    left = root / "session-datasets" / str(owner) / "work"
    left.mkdir(parents=True)
    (left / "rows").write_bytes(b"x")
    return left


def test_a_process_gets_an_empty_folder_of_its_own(tmp_path: Path) -> None:
    assert list(swept_scratch(tmp_path).iterdir()) == []


def test_what_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    left = leave_behind(tmp_path, a_dead_process())
    swept_scratch(tmp_path)
    assert not left.exists()


def test_what_a_dead_process_of_the_same_id_left_is_removed(tmp_path: Path) -> None:
    left = leave_behind(tmp_path, os.getpid())
    swept_scratch(tmp_path)
    assert not left.exists()


def test_the_folder_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    left = leave_behind(tmp_path, os.getppid())
    swept_scratch(tmp_path)
    assert left.exists()


def test_what_is_no_process_is_removed(tmp_path: Path) -> None:
    left = leave_behind(tmp_path, "stray")
    swept_scratch(tmp_path)
    assert not left.exists()
