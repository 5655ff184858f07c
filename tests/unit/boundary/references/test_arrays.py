"""Arrays come back with shape, dtype, byte order and memory order; nothing is ever pickled."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import UnreadableReferenceError, UnsupportedFrameError

NAN_WITH_PAYLOAD = np.array([0x7FF8DEADBEEF0001, 0xFFF8000000000001], dtype="u8").view("f8")
ARRAYS: dict[str, Any] = {
    "one-value": np.array(5),
    "none": np.zeros((0, 3)),
    "none-of-one-axis": np.array([], dtype="U5"),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "big-endian": np.array([1, 2], dtype=">i4"),
    "structured": np.array([(1, "a", [1.5, 2])], dtype=[("n", "<i4"), ("t", "U3"), ("v", "<f8", (2,))]),
    "aligned": np.zeros(2, dtype=np.dtype([("a", "i1"), ("b", "i8")], align=True)),
    "nan-payloads": NAN_WITH_PAYLOAD,
    "text-with-nul": np.array(["a\0b", "", "c"]),
    "bytes": np.array([b"a\0b", b"\xff"]),
    "moments": np.array(["2026-01-01", "NaT"], dtype="M8[ns]"),
    "spans": np.array([1, "NaT"], dtype="m8[s]"),
    "half": np.array([1.5], dtype="f2"),
    "complex": np.array([1j, complex("nan")]),
    "bool": np.array([[True], [False]]),
    "not-contiguous": np.arange(10)[::3],
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS.keys())
def test_an_array_comes_back_byte_for_byte(array: Any, store: FolderStore) -> None:
    back = references.load(references.save(array, store), store)
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert back.flags.f_contiguous == array.flags.f_contiguous or not array.flags.contiguous


def test_the_reference_has_shape_and_dtype(store: FolderStore) -> None:
    reference = references.save(np.zeros((2, 3), dtype="<f4"), store)["$dataset"]
    assert (reference["format"], reference["shape"], reference["dtype"]) == ("npy", [2, 3], "float32")


@pytest.mark.parametrize(
    "array",
    [
        np.array([1, "x"], dtype=object),
        np.array([(1, None)], dtype=[("a", "i4"), ("b", "O")]),
        np.array(["a", "b"], dtype=np.dtypes.StringDType()),
    ],
    ids=["object", "object-in-a-record", "variable-text"],
)
def test_an_array_that_needs_a_pickle_is_refused_with_advice(array: Any, store: FolderStore, folder: Path) -> None:
    with pytest.raises(UnsupportedFrameError, match="only a pickle keeps") as caught:
        references.save(array, store)
    assert "astype" in caught.value.advice
    assert not list(folder.iterdir())


@pytest.mark.parametrize(
    "array",
    [np.ma.masked_array([1, 2], mask=[True, False]), np.rec.array([(1,)], dtype=[("a", "i4")])],
    ids=["masked", "recarray"],
)
def test_what_an_npy_file_would_drop_is_refused(array: Any, store: FolderStore) -> None:
    with pytest.raises(UnsupportedFrameError, match="does not keep"):
        references.save(array, store)


class Touch:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


def test_a_file_with_a_pickle_is_refused_and_nothing_in_it_runs(
    store: FolderStore, folder: Path, tmp_path: Path
) -> None:
    reference = references.save(np.zeros(2), store)
    file = tmp_path / "evil.npy"
    np.save(file, np.array([Touch(tmp_path / "ran")], dtype=object), allow_pickle=True)
    data = file.read_bytes()
    (folder / reference["$dataset"]["place"]["key"]).write_bytes(data)
    reference["$dataset"] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with pytest.raises(UnreadableReferenceError):
        references.load(reference, store)
    assert not (tmp_path / "ran").exists()
