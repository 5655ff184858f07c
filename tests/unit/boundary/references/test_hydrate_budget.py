"""How much one hydrate brings back: bytes, files, levels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import (
    HydrateBudgetError,
)
from tests.unit.boundary.references.files import forged

FRAME = pd.DataFrame({"a": [1, 2]})


def test_the_budget_itself_is_allowed_and_one_byte_less_is_refused(store: FolderStore) -> None:
    saved = [references.save("a" * 98, store), references.save("b" * 98, store)]
    assert references.hydrate(saved, store, max_bytes=200) == ["a" * 98, "b" * 98]
    with pytest.raises(HydrateBudgetError, match="none was brought back"):
        references.hydrate(saved, store, max_bytes=199)


def test_too_much_is_refused_before_anything_is_read(store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = [references.save("a" * 98, store), references.save("b" * 98, store)]
    monkeypatch.setattr(FolderStore, "opened", lambda *_, **__: pytest.fail("a file was opened"))
    with pytest.raises(HydrateBudgetError) as caught:
        references.hydrate(saved, store, max_bytes=150)
    assert caught.value.code == "hydrate_budget"
    assert "read_rows" in caught.value.advice


def test_a_reference_that_occurs_twice_counts_once(store: FolderStore) -> None:
    reference = references.save("a" * 98, store)
    assert references.hydrate([reference] * 5, store, max_bytes=100) == ["a" * 98] * 5


def test_a_small_file_that_unpacks_to_much_counts_as_much(store: FolderStore) -> None:
    frame = pd.DataFrame({"a": np.zeros(1_000_000)})
    reference = references.save(frame, store)
    assert reference["$dataset"]["bytes"] < 100_000
    with pytest.raises(HydrateBudgetError):
        references.load(reference, store, max_bytes=1_000_000)
    assert references.load(reference, store, max_bytes=9_000_000).equals(frame)


def test_unpacking_stops_when_the_budget_is_passed(store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = references.save(pa.table({"text": ["x" * 1_000] * 200_000}), store)
    assert reference["$dataset"]["bytes"] < 1_000_000
    unpacked: list[int] = []
    pieces = parquet.ParquetFile.iter_batches

    def counted(self: Any, *arguments: Any) -> Iterator[Any]:
        for batch in pieces(self, *arguments):
            unpacked.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", counted)
    with pytest.raises(HydrateBudgetError):
        references.load(reference, store, max_bytes=40_000_000)
    assert sum(unpacked) == 65_536


def test_a_frame_inside_a_spilled_value_comes_back_with_it(store: FolderStore) -> None:
    value = {"rows": [{"f": FRAME}] * 2, "text": "x" * 100}
    hydrated = references.load(references.save(value, store), store)
    assert hydrated["rows"][0]["f"].equals(FRAME)


def chain(files: int, store: FolderStore, folder: Path) -> Any:
    """A reference to a file with a reference to a file ..."""
    reference = references.save(1, store)
    for _ in range(files - 1):
        import json

        reference = forged(references.save([1], store), json.dumps([reference]).encode(), folder)
    return reference


def test_files_that_lead_to_files_are_followed_for_eight_levels(store: FolderStore, folder: Path) -> None:
    assert references.load(chain(8, store, folder), store) == [[[[[[[1]]]]]]]
    with pytest.raises(HydrateBudgetError, match="more than 8 files"):
        references.load(chain(9, store, folder), store)


def test_files_behind_files_count_into_the_budget(store: FolderStore, folder: Path) -> None:
    reference = chain(3, store, folder)
    with pytest.raises(HydrateBudgetError):
        references.load(reference, store, max_bytes=reference["$dataset"]["bytes"])
