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
    "names-beyond-latin-1": np.array([(1,)], dtype=[("\u4e2d", "<i4")]),
    "text-of-no-width": np.zeros(3, dtype="U0"),
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


@pytest.mark.parametrize(
    ("dtype", "dropped"),
    [
        (np.dtype([("a", "i1"), ("b", "i8")], align=True), ["align"]),
        (np.dtype([("x", np.dtype([("a", "i1"), ("b", "i8")], align=True), (2,))]), ["align"]),
        (np.dtype("f8", metadata={"unit": "m"}), ["metadata"]),
        (np.dtype([("a", "i1"), ("b", "i8")]), None),
        (np.dtype("f8"), None),
    ],
    ids=["aligned", "aligned-within", "metadata", "record", "plain"],
)
@pytest.mark.filterwarnings("ignore:metadata on a dtype")
def test_what_an_npy_file_does_not_say_of_a_type_is_declared_as_dropped(
    dtype: Any, dropped: Any, store: FolderStore
) -> None:
    assert references.save(np.zeros(2, dtype=dtype), store)["$dataset"].get("dropped") == dropped


def replaced(reference: Any, data: bytes, folder: Path) -> Any:
    """The reference to other bytes, which has their size and hash."""
    (folder / reference["$dataset"]["place"]["key"]).write_bytes(data)
    reference["$dataset"] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return reference


def forged(header: str, version: bytes = b"\x01\x00") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2 if version[0] == 1 else 4, "little") + text + b"\0" * 16


FORGED = {
    "huge": "(4611686018427387904,)",
    "beyond-64-bits": "(10**40,)".replace("10**40", "1" + "0" * 40),
    "product-beyond-64-bits": "(4294967296, 4294967296, 2)",
    "terabytes": "(1099511627776,)",
    "one-more": "(3,)",
    "one-less": "(1,)",
    "negative": "(-1,)",
    "negative-twice": "(-1, -2)",
    "none-of-huge": "(0, 99999999999999999999)",
    "text": "('2',)",
    "float": "(2.0,)",
    "bool": "(True, 2)",
    "number": "2",
}


@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"], ids=["1", "2", "3", "9"])
@pytest.mark.parametrize("shape", FORGED.values(), ids=FORGED.keys())
def test_a_file_whose_shape_is_not_its_size_is_refused(
    shape: str, version: bytes, store: FolderStore, folder: Path
) -> None:
    data = forged(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}", version)
    with pytest.raises(UnreadableReferenceError, match="no npy file that can be read"):
        references.load(replaced(references.save(np.zeros(2), store), data, folder), store)


@pytest.mark.parametrize("descr", ["'|V0'", "'<U0'", "'<f99'", "5", "[('a', 5)]", "{}", "'O'", "('<f8', (10,))"])
def test_a_file_of_a_type_that_does_not_fit_is_refused(descr: str, store: FolderStore, folder: Path) -> None:
    data = forged(f"{{'descr': {descr}, 'fortran_order': False, 'shape': (9223372036854775807,), }}")
    with pytest.raises(UnreadableReferenceError):
        references.load(replaced(references.save(np.zeros(2), store), data, folder), store)


@pytest.mark.parametrize("data", [b"", b"\x93NUMPY", forged("{"), forged("x" * 60_000), b"PK\x03\x04" + b"x" * 99])
def test_a_file_without_a_header_is_refused(data: bytes, store: FolderStore, folder: Path) -> None:
    with pytest.raises(UnreadableReferenceError):
        references.load(replaced(references.save(np.zeros(2), store), data, folder), store)
