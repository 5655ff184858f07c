"""A run of the demo leaves nothing, and removes what a run before it could not."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from infra.local.demo import cloud
from infra.local.sources import fingerprint


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo works, with a deployed state in it."""
    pristine = tmp_path / "pristine"
    pristine.mkdir()
    (pristine / "deployed-from").write_text(fingerprint())
    (pristine / "state").write_text("deployed")
    monkeypatch.setattr(cloud, "HOME", tmp_path)
    monkeypatch.setattr(cloud, "_PRISTINE", pristine)
    return tmp_path


def runs(home: Path) -> list[str]:
    return sorted(folder.name for folder in home.glob("run-*"))


def test_a_run_works_in_a_copy_that_is_removed(home: Path) -> None:
    with cloud.copied_state(nullcontext()) as state:
        assert (state / "state").read_text() == "deployed"
    assert runs(home) == []


def test_an_interrupted_run_removes_its_copy(home: Path) -> None:
    with pytest.raises(KeyboardInterrupt), cloud.copied_state(nullcontext()):
        raise KeyboardInterrupt
    assert runs(home) == []


def test_what_a_killed_run_left_is_removed_by_the_next(home: Path) -> None:
    if (child := os.fork()) == 0:
        with cloud.copied_state(nullcontext()):
            os._exit(9)
    os.waitpid(child, 0)
    left = runs(home)
    assert len(left) == 1
    with cloud.copied_state(nullcontext()):
        assert set(runs(home)).isdisjoint(left)


def test_what_was_left_without_a_lock_is_removed(home: Path) -> None:
    (home / "run-old" / "cloud").mkdir(parents=True)
    with cloud.copied_state(nullcontext()):
        assert "run-old" not in runs(home)


def test_a_run_beside_another_leaves_it_alone(home: Path) -> None:
    with cloud.copied_state(nullcontext()) as first:
        with cloud.copied_state(nullcontext()) as second:
            assert len(runs(home)) == 2
            assert second != first
        assert (first / "state").read_text() == "deployed"
