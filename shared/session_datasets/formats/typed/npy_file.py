"""NumPy arrays (.npy) as tables; numpy itself reads the header and never runs what is in it.

One dimension is a column ``value``, a structured type its fields, two dimensions are columns ``column_1`` and so on;
an array without dimensions is one row. Complex numbers become two columns, ``.real`` and ``.imag``. NaT is null, NaN
is itself. Texts and bytes lose the zeros at their end, which numpy pads them with and can not tell from others.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from session_datasets.domain.limits import KIB, MIB
from session_datasets.domain.profile import Format
from session_datasets.formats.stream import NoTable, TableStream, damaged
from session_datasets.formats.typed.far_seconds import with_far_seconds
from session_datasets.formats.typed.typed_rows import plain_schema, require_few_columns, too_large
from session_datasets.formats.values.row_sizes import rows_without_columns

_WHAT = "this NumPy file"
# Characters of a header: a structured type of a thousand fields has room in it.
_DIMENSIONS_MAX = 64
_HEADER_CHARACTERS_MAX = 64 * KIB
_BATCH_BYTES = 8 * MIB
_ADVICE = "Write the array again with numpy.save, then upload and register it."
_UNITS = ("s", "ms", "us", "ns")


@dataclass(frozen=True, slots=True)
class _Part:
    """One column: a field of the structured type (None without one), or a place along the second dimension."""

    name: str
    dtype: np.dtype[Any]
    field: str | None = None
    place: int | None = None
    component: str | None = None

    def of(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        values = rows if self.field is None else rows[self.field]
        values = values if self.place is None else values[:, self.place]
        return values if self.component is None else getattr(values, self.component)


def open_npy(file: Path, columns_max: int, decoded_bytes_max: int) -> TableStream:
    """Raises NoTable for what can not be paged, Refusal when damaged."""
    array = _mapped(file)
    parts = _parts(array, columns_max)
    shape, array = array.shape, np.atleast_1d(array)
    if max(array.nbytes, len(array) * max(1, len(parts))) > decoded_bytes_max:
        raise too_large(decoded_bytes_max, _WHAT)
    schema, remarks = plain_schema([part.name for part in parts], [_arrow_type(part.dtype) for part in parts])
    reading = {"shape": list(shape), "dtype": array.dtype.str if array.dtype.names is None else "structured"}
    kept = with_far_seconds(schema, lambda: _batches(array, parts, schema))
    return TableStream(Format.NPY, kept.schema, kept.batches, [*remarks, *kept.remarks], kept.rules, reading)


def _mapped(file: Path) -> np.ndarray[Any, Any]:
    """The array, left in its file."""
    try:
        shape, fortran_order, dtype, start = _header(file)
    except Exception as error:  # numpy hands on whatever parsing a header as Python raises
        raise damaged("The header of this NumPy file can not be read.", _ADVICE) from error
    if dtype.hasobject:
        raise NoTable(
            "This NumPy array holds Python objects, which only running its writer's code could read. It can be listed "
            "and loaded; with a type of numbers, texts or dates it can be paged, too."
        )
    size = dtype.itemsize
    for length in shape:
        size *= length
    held = file.stat().st_size - start
    if size > held:
        raise damaged(f"The NumPy file announces {size:,} bytes of values and holds {held:,}: it is cut off.", _ADVICE)
    if size < held:
        raise damaged(
            f"{held - size:,} bytes follow the values of this NumPy file, perhaps of a second array.",
            "Write each array to a file of its own with numpy.save, then upload and register it.",
        )
    if not size:
        return np.broadcast_to(np.zeros((), dtype), shape)  # which takes no memory either
    return np.memmap(file, dtype=dtype, mode="r", offset=start, shape=shape, order="F" if fortran_order else "C")


def _header(file: Path) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, whether it is in Fortran order, type, and where the values begin."""
    with file.open("rb") as opened, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        version = np.lib.format.read_magic(opened)
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise ValueError("unknown version")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran_order, dtype = read(opened, _HEADER_CHARACTERS_MAX)
        _require_possible(shape, dtype)
        if version == (3, 0) and dtype.names is not None:  # which is 2.0 but for its names, which are UTF-8
            dtype.names = tuple(name.encode("latin-1").decode() for name in dtype.names)
        return shape, fortran_order, dtype, opened.tell()


def _require_possible(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    """numpy lets truth values and negative lengths pass, and does not ask whether there can be such an array."""
    lengths = [length for length in shape if length]
    size = max(dtype.itemsize, 1) * math.prod(lengths)
    if (
        len(shape) > _DIMENSIONS_MAX
        or any(type(length) is not int or length < 0 for length in shape)
        or size > sys.maxsize
    ):
        raise ValueError("no shape of an array")


def _parts(array: np.ndarray[Any, Any], columns_max: int) -> list[_Part]:
    if array.ndim > 2 or (array.dtype.names is not None and array.ndim == 2):
        kind = "records" if array.dtype.names is not None else "values"
        raise NoTable(
            f"This NumPy array of {kind} has {array.ndim} dimensions, and a table has rows and columns. It can be "
            "listed and loaded; saved as arrays of at most two dimensions (of records: one), it can be paged, too."
        )
    if array.dtype.names is not None:
        require_few_columns(len(array.dtype.names), columns_max, _WHAT)
        whole = [_Part(name, array.dtype[name], field=name) for name in array.dtype.names]
    elif array.ndim == 2:
        require_few_columns(array.shape[1], columns_max, _WHAT)
        whole = [_Part(f"column_{place + 1}", array.dtype, place=place) for place in range(array.shape[1])]
    else:
        whole = [_Part("value", array.dtype)]
    parts = [part for each in whole for part in _components(each)]
    require_few_columns(len(parts), columns_max, _WHAT)
    return parts


def _components(part: _Part) -> Sequence[_Part]:
    if part.dtype.kind != "c":
        return [part]
    half = np.dtype(f"f{part.dtype.itemsize // 2}")
    return [
        _Part(f"{part.name}.{component}", half, part.field, part.place, component) for component in ("real", "imag")
    ]


def _arrow_type(dtype: np.dtype[Any]) -> pa.DataType:
    """NoTable for a type whose values no column holds without loss."""
    if dtype.kind == "U":
        return pa.string()
    if dtype.kind == "S":
        return pa.binary()
    if dtype.kind in "biu" or (dtype.kind == "f" and dtype.itemsize <= 8):
        return pa.from_numpy_dtype(dtype.newbyteorder("="))
    if dtype.kind in "mM":
        unit, count = np.datetime_data(dtype)
        if count == 1 and unit in _UNITS:
            return pa.timestamp(unit) if dtype.kind == "M" else pa.duration(unit)
        if count == 1 and unit == "D" and dtype.kind == "M":
            return pa.date32()
    raise NoTable(
        f"This NumPy array has values of type {dtype}, which no column holds without loss. It can be listed and "
        "loaded; saved with another type (dates in days, seconds or finer, floats of 64 bits, flat fields) it can be "
        "paged, too."
    )


def _batches(array: np.ndarray[Any, Any], parts: Sequence[_Part], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    row_bytes = max(1, array.nbytes // max(1, len(array)), len(parts))
    step = max(1, _BATCH_BYTES // row_bytes)
    for first in range(0, len(array), step):
        rows = array[first : first + step]
        if not parts:
            yield rows_without_columns(len(rows))
        else:
            columns = [_column(part.of(rows), field.type) for part, field in zip(parts, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(values: np.ndarray[Any, Any], type_: pa.DataType) -> pa.Array:
    values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind in "US":
        return _texts(values, type_)
    if values.dtype.kind in "mM":
        return _times(values.view(np.int64), type_)
    if values.dtype.kind == "b":  # of which a byte may hold more than two values
        return pa.array(values.view(np.uint8) != 0)
    return pa.array(values, type_)


def _texts(values: np.ndarray[Any, Any], type_: pa.DataType) -> pa.Array:
    """Through Python, since Arrow ends a text at its first zero."""
    try:
        texts = pa.array(values.tolist(), type_)
        texts.validate(full=True)
    except (ValueError, SystemError, pa.ArrowInvalid) as error:
        raise damaged("This NumPy array has a text that is not valid Unicode.", _ADVICE) from error
    return texts


def _times(counts: np.ndarray[Any, Any], type_: pa.DataType) -> pa.Array:
    counted = pa.array(counts, pa.int64(), mask=counts == np.iinfo(np.int64).min)
    try:
        return (counted.cast(pa.int32()) if type_ == pa.date32() else counted).cast(type_)
    except pa.ArrowInvalid as error:
        raise damaged("This NumPy array has a date beyond the year 5,000,000.", _ADVICE) from error
