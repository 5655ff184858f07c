"""NumPy's arrays as npy files, which never hold a pickle: shape, dtype, byte order and memory order come back."""

from __future__ import annotations

from io import SEEK_END, BufferedReader
from math import prod
from pathlib import Path
from typing import Any

from session_datasets.boundary.references.errors import UnreadableReferenceError, UnsupportedFrameError
from session_datasets.boundary.typed.numpy_scalars import required_numpy

Facts = dict[str, Any]
_DTYPE_CHARACTERS_MAX = 200


def write_array(value: Any, folder: Path) -> tuple[Path, Facts]:
    """The file in ``folder``, and what the pointer tells of it. UnsupportedFrameError for what needs a pickle."""
    numpy = required_numpy()
    if type(value) is not numpy.ndarray:
        raise UnsupportedFrameError(
            f"An npy file does not keep what a {type(value).__name__} has beside its numbers; nothing was saved.",
            "Pass numpy.asarray(value), and a mask as an array of its own.",
        )
    if value.dtype.hasobject or value.dtype.kind not in "biufcmMSUV":
        raise UnsupportedFrameError(
            f"An array of dtype {value.dtype} holds Python's objects, which only a pickle keeps; nothing was saved.",
            "Convert it with astype to numbers or fixed-width text, or pass value.tolist().",
        )
    path = folder / "value.npy"
    numpy.save(path, value, allow_pickle=False)
    facts: Facts = {"shape": list(value.shape), "dtype": str(value.dtype)[:_DTYPE_CHARACTERS_MAX]}
    if dropped := sorted(_not_kept(value.dtype)):
        facts["dropped"] = dropped
    return path, facts


def _not_kept(dtype: Any) -> set[str]:
    """What an npy file does not say of a type, at any depth; two types that differ in it alone are equal."""
    inner = [dtype.base] if dtype.subdtype else [field[0] for field in (dtype.fields or {}).values()]
    lost = {"align"} if dtype.isalignedstruct else set()
    return lost.union({"metadata"} if dtype.metadata else (), *map(_not_kept, inner))


def read_array(file: BufferedReader) -> Any:
    """UnreadableReferenceError for a file that is no npy file, or one that holds a pickle."""
    numpy = required_numpy()
    try:
        _check_size(numpy, file)
        return numpy.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:
        # NumPy reads a header as Python, and lets out whatever its tokens, its types or its memory raise.
        raise UnreadableReferenceError(
            f"The file is no npy file that can be read: {str(error)[:200]}",
            "Run the node that produced it again, and pass its new reference.",
        ) from error


def _check_size(numpy: Any, file: BufferedReader) -> None:
    """ValueError unless the file has the bytes that its header says, before memory is taken for them; then the file
    stands at its start again."""
    start = file.tell()
    version = numpy.lib.format.read_magic(file)
    # Version 3 is version 2 with names of fields in UTF-8: what it says of shape and size is read the same way.
    read = numpy.lib.format.read_array_header_1_0 if version == (1, 0) else numpy.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    if dtype.hasobject:
        raise ValueError("it holds a pickle")
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError("its shape is none")
    wanted = prod(shape) * dtype.itemsize
    begins = file.tell()
    found = file.seek(0, SEEK_END) - begins
    file.seek(start)
    if found != wanted or prod(shape) > numpy.iinfo(numpy.intp).max:
        raise ValueError(f"its header says {wanted:,} bytes, and {found:,} follow"[:200])
