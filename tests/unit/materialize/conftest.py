"""A folder to materialize into, and a source that counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from session_datasets.materialize import MaterializedResult, materialize_result

Saving = Callable[..., MaterializedResult]


@pytest.fixture
def save(tmp_path: Path) -> Saving:
    """``materialize_result`` into ``tmp_path / "out"``."""

    def saving(columns: Any, rows: Iterable[Any], **more: Any) -> MaterializedResult:
        return materialize_result(columns, rows, tmp_path / "out", **more)

    return saving
