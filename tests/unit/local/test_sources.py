"""The fingerprint that decides whether a deployment is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local import sources


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("app.py", "cdk.json", "package-lock.json", "uv.lock"):
        (tmp_path / name).write_text(name)
    for name in ("infra", "lambdas", "shared/session_datasets"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(sources, "ROOT", tmp_path)
    return tmp_path


def test_it_is_the_same_for_the_same_sources(root: Path) -> None:
    assert sources.fingerprint() == sources.fingerprint()


@pytest.mark.parametrize("name", ["app.py", "uv.lock", "infra/x.py", "lambdas/x.py", "shared/session_datasets/x.py"])
def test_it_changes_with(root: Path, name: str) -> None:
    before = sources.fingerprint()
    (root / name).write_text("changed")
    assert sources.fingerprint() != before


def test_it_changes_when_a_file_is_renamed(root: Path) -> None:
    (root / "infra" / "a.py").write_text("1")
    before = sources.fingerprint()
    (root / "infra" / "a.py").rename(root / "infra" / "b.py")
    assert sources.fingerprint() != before


def test_compiled_files_and_tests_do_not_count(root: Path) -> None:
    before = sources.fingerprint()
    (root / "infra" / "__pycache__").mkdir()
    (root / "infra" / "__pycache__" / "x.pyc").write_text("1")
    (root / "tests").mkdir()
    (root / "tests" / "x.py").write_text("1")
    assert sources.fingerprint() == before
