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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import HydrateBudgetError
from session_datasets.boundary.references.limits import HYDRATE_FILES_MAX
from session_datasets.boundary.typed_json import TooManyValuesError
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


# --- files ----------------------------------------------------------------------------------------------------


def test_more_arrays_than_one_hydrate_brings_back_are_refused_before_a_file_is_written(
    store: FolderStore, folder: Path
) -> None:
    arrays = {f"k{at}": np.array([at]) for at in range(HYDRATE_FILES_MAX + 1)}
    for call in (references.externalize, references.save):
        with pytest.raises(TooManyValuesError, match="it was not saved") as caught:
            call(arrays, store)
        assert "into one array" in caught.value.advice
    assert list(folder.iterdir()) == []


def test_a_saved_value_counts_the_file_that_holds_it(store: FolderStore, folder: Path) -> None:
    with pytest.raises(TooManyValuesError, match="take 3 files"):
        references.save([np.zeros(1), np.ones(1)], store, max_files=2)
    assert list(folder.iterdir()) == []
    assert len(references.externalize([np.zeros(1), np.ones(1)], store, max_files=2)) == 2


def test_references_that_pass_count_among_the_files(store: FolderStore) -> None:
    one, two = references.save(1, store), references.save(2, store)
    assert references.externalize([one, two, one], store, max_files=2) == [one, two, one]
    with pytest.raises(TooManyValuesError):
        references.externalize([one, two, FRAME], store, max_files=2)


def test_more_files_than_asked_for_are_refused_with_the_number_to_raise(store: FolderStore) -> None:
    saved = [references.save(at, store) for at in range(3)]
    assert references.hydrate(saved, store, max_files=3) == [0, 1, 2]
    with pytest.raises(HydrateBudgetError, match="more than 2 files") as caught:
        references.hydrate(saved, store, max_files=2)
    assert "max_files" in caught.value.advice


TREES = st.recursive(
    st.integers(0, 9).map(lambda at: np.full(2, at)) | st.text("ab", max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(TREES, st.integers(0, 60), st.integers(1, 6))
def test_what_is_externalized_is_hydrated_with_as_many_files(
    store: FolderStore, value: Any, threshold: int, max_files: int
) -> None:
    try:
        dumped = references.externalize(value, store, threshold=threshold, max_files=max_files)
    except TooManyValuesError:
        return
    assert repr(references.hydrate(dumped, store, max_files=max_files)) == repr(value)
