"""Arrow's compute functions, called by name.

``pyarrow.compute`` makes a documented Python function of each of its 300 kernels when it is imported, which takes
longer than all a process needs for its first page; ``cast`` and other methods of arrays import it as well. What a page
needs goes past it: the same functions and options, from the compiled module below it.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyarrow._compute import CastOptions, ListSliceOptions, SliceOptions, call_function


def call(name: str, *values: Any, options: Any = None) -> Any:
    """The kernel of this name; its options are its own unless given."""
    return call_function(name, list(values), options)


def cast(values: pa.Array, type_: pa.DataType) -> pa.Array:
    """As ``values.cast``: ArrowInvalid where a value would change."""
    return call_function("cast", [values], CastOptions.safe(type_))


def first_bytes(values: pa.Array, count: int) -> pa.Array:
    """Of each binary."""
    return call_function("binary_slice", [values], SliceOptions(0, count))


def first_characters(texts: pa.Array, count: int) -> pa.Array:
    """Of each text."""
    return call_function("utf8_slice_codeunits", [texts], SliceOptions(0, count))


def first_items(lists: pa.Array, count: int) -> pa.Array:
    """Of each list, as lists of any length."""
    return call_function("list_slice", [lists], ListSliceOptions(0, count, return_fixed_size_list=False))


def total(numbers: pa.Array) -> int:
    """The sum of integers without the nulls, 0 of none; ``numbers`` may be narrower than it."""
    return call_function("sum", [cast(numbers, pa.int64())]).as_py() or 0
