"""Nothing that a library lets out leaves save or load as it is: of no value, and of no file with a fitting hash."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.exceptions import PanicException

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import (
    DatasetReferenceError,
    UnreadableReferenceError,
    UnsupportedFrameError,
)
from session_datasets.boundary.references.frames import arrow_files, frame_files, pandas_frames, parquet_files
from session_datasets.boundary.references.guards import OverBudget, told_as
from session_datasets.client.errors import MissingExtraError
from tests.unit.boundary.references.files import file_of, forged

RAISED = [
    OSError("Invalid flatbuffers message."),
    pa.ArrowNotImplementedError("no such cast"),
    pa.ArrowInvalid("bad"),
    NotImplementedError("no such cast"),
    ZeroDivisionError("by zero"),
    RecursionError("too deep"),
    OverflowError("too large"),
    pd.errors.InvalidIndexError("twice"),
    pl.exceptions.ShapeError("rows"),
    PanicException("index out of bounds"),
    StopIteration("none"),
]


def raising(error: BaseException) -> Any:
    def fails(*_: Any, **__: Any) -> None:
        raise error

    return fails


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_what_comes_out_of_making_a_frame_is_an_unreadable_file(
    error: BaseException, store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = references.save(pd.DataFrame({"a": [1]}), store)
    for module, name in ((pandas_frames, "from_table"), (parquet_files, "unpacked")):
        with monkeypatch.context() as broken:
            broken.setattr(module, name, raising(error))
            with pytest.raises(UnreadableReferenceError, match=type(error).__name__) as caught:
                references.load(reference, store)
        assert caught.value.__cause__ is error


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
def test_what_comes_out_of_writing_a_value_is_an_unsupported_one(
    error: BaseException, store: FolderStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_files, "_table_of", raising(error))
    monkeypatch.setattr(np, "save", raising(error))
    for value in (pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]}), np.zeros(1)):
        with pytest.raises(UnsupportedFrameError, match=type(error).__name__) as caught:
            references.save(value, store)
        assert caught.value.__cause__ is error
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "error",
    [KeyboardInterrupt(), SystemExit(1), OSError(28, "No space left on device"), OverBudget(), MissingExtraError("x")],
    ids=lambda error: type(error).__name__,
)
def test_what_no_file_is_to_blame_for_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, told_as(UnreadableReferenceError):
        raise error
    assert caught.value is error


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 0]}),
        np.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [4, 0]}),
    ],
    ids=["overlapping", "out-of-order"],
)
def test_fields_that_an_npy_file_has_no_words_for_are_refused(dtype: Any, store: FolderStore) -> None:
    with pytest.raises(UnsupportedFrameError, match=r"The numpy\.ndarray was not saved"):
        references.save(np.zeros(1, dtype), store)


VALUES: dict[str, Any] = {
    "pandas": pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": pd.Categorical(["k", "l"])}, index=[3, 4]),
    "pandas as arrow": pd.DataFrame({"a": pd.Categorical([(1,), (2,)])}, index=pd.RangeIndex(2)),
    "polars": pl.DataFrame({"a": [1, 2], "b": ["x", None], "c": [[1], None]}),
    "arrow": pa.table({"d": pa.array(["x", "y", "x"]).dictionary_encode(), "m": [[1], None, [2, 3]]}),
    "array": np.arange(20.0).reshape(4, 5),
    "fields": np.zeros(3, dtype=[("a", "<i4"), ("b", "U3")]),
    "json": {"a": (1, {2: b"x"}), "b": [1.5, None]},
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_damaged_file_with_a_fitting_hash_is_refused_or_read(value: Any, store: FolderStore, folder: Path) -> None:
    reference = references.save(value, store)
    data = file_of(reference, folder).read_bytes()
    chance = random.Random(type(value).__name__)
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        if chance.random() < 0.2:
            del damaged[chance.randrange(1, len(damaged)) :]
        try:
            references.load(forged(reference, bytes(damaged), folder), store, max_bytes=10_000_000)
        except DatasetReferenceError:
            continue


def test_an_arrow_file_whose_offsets_lead_astray_is_refused(store: FolderStore, folder: Path) -> None:
    reference = references.save(pa.table({"a": pa.array([["x"], ["y"]], pa.list_view(pa.string()))}), store)
    data = file_of(reference, folder).read_bytes()
    offsets = np.array([0, 1], "<i4").tobytes()
    assert data.count(offsets) > 0
    astray = data.replace(offsets, np.array([0, 2**30], "<i4").tobytes())
    with pytest.raises(UnreadableReferenceError):
        references.load(forged(reference, astray, folder), store)


@pytest.mark.parametrize("body_bytes", [-1, -(2**40)])
def test_messages_of_an_arrow_file_that_lead_backwards_end(
    body_bytes: int, store: FolderStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = references.save(pa.table({"d": pa.array(["x"]).dictionary_encode()}), store)
    number = arrow_files._Table.number
    monkeypatch.setattr(
        arrow_files._Table,
        "number",
        lambda self, field, form: body_bytes if form == "<q" else number(self, field, form),
    )
    with pytest.raises(UnreadableReferenceError, match="less than no bytes"):
        references.load(reference, store)


@pytest.mark.parametrize("size", [2**40, 2**63 - 1])
def test_an_arrow_file_whose_message_says_that_it_is_longer_than_the_file_is_refused(
    size: int, store: FolderStore, folder: Path
) -> None:
    reference = references.save(VALUES["arrow"], store)
    data = file_of(reference, folder).read_bytes()
    with file_of(reference, folder).open("rb") as file:
        file.seek(len(arrow_files._MARK))
        while length := arrow_files._length_of_next(file):
            place = file.tell()
            message = arrow_files._Table.root(file.read(length))
            if body := message.number(arrow_files._BODY_BYTES, "<q"):
                break
    at = place + message.at(arrow_files._BODY_BYTES)
    assert data[at : at + 8] == body.to_bytes(8, "little")
    damaged = data[:at] + size.to_bytes(8, "little", signed=True) + data[at + 8 :]
    with pytest.raises(UnreadableReferenceError, match="does not end within it"):
        references.load(forged(reference, damaged, folder), store)


def test_an_arrow_file_whose_names_are_no_utf_8_is_refused(store: FolderStore, folder: Path) -> None:
    reference = references.save(pa.table({"name-of-a-column": pa.array(["x"]).dictionary_encode()}), store)
    data = file_of(reference, folder).read_bytes()
    assert b"name-of-a-column" in data
    damaged = data.replace(b"name-of-a-column", b"\xff\xfe\xfd\xfc-of-a-column")
    with pytest.raises(UnreadableReferenceError, match="UnicodeDecodeError"):
        references.load(forged(reference, damaged, folder), store)
