"""pandas, polars, NumPy and pyarrow are used where their values appear, and named where they are missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from session_datasets.boundary import references, typed_json
from session_datasets.boundary.references import FolderStore
from session_datasets.client.errors import MissingExtraError

VALUES: dict[str, Any] = {
    "pandas": pd.DataFrame({"a": [1]}),
    "polars": pl.DataFrame({"a": [1]}),
    "numpy": np.zeros(1),
}


@pytest.mark.parametrize(
    ("missing", "kind", "extra"),
    [
        ("pyarrow", "pandas", "arrow"),
        ("pandas", "pandas", "pandas"),
        ("polars", "polars", "polars"),
        ("pyarrow", "polars", "arrow"),
        ("numpy", "numpy", "numpy"),
    ],
)
def test_a_missing_library_is_named_with_how_to_get_it(
    missing: str, kind: str, extra: str, store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = references.save(VALUES[kind], store)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'session-datasets\[{extra}\]'"):
        references.load(reference, store)


def test_a_number_of_numpy_without_numpy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    text = typed_json.dumps(np.float64(1))
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match="numpy"):
        typed_json.loads(text)


def test_saving_a_frame_without_pyarrow_is_named_and_nothing_is_saved(
    store: FolderStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"session-datasets\[arrow\]"):
        references.save(VALUES["pandas"], store)
    assert not list(folder.iterdir())


def test_values_without_frames_import_none_of_them(tmp_path: Path) -> None:
    program = (
        "import sys, json\n"
        "from session_datasets.boundary import references\n"
        f"store = references.FolderStore({str(tmp_path)!r})\n"
        "value = references.externalize({'a': (1, 2), 'b': ['x' * 50000]}, store)\n"
        "assert references.hydrate(value, store)['a'] == (1, 2)\n"
        "references.describe(value)\n"
        "libraries = {'numpy', 'pandas', 'pyarrow', 'polars', 'langchain_core', 'temporalio'}\n"
        "print(json.dumps(sorted(libraries & set(sys.modules))))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    answer = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    assert json.loads(answer.stdout) == []
