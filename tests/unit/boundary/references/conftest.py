from __future__ import annotations

from pathlib import Path

import pytest

from session_datasets.boundary.references import FolderStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the files of ``store`` lie."""
    return tmp_path / "store"


@pytest.fixture
def store(folder: Path) -> FolderStore:
    return FolderStore(folder)
