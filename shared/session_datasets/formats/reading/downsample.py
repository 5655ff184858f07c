"""Rows chosen to draw a long series with few points: LTTB and M4, by the library tsdownsample.

LTTB (Largest Triangle Three Buckets) keeps what catches the eye; M4 keeps the first, last, least and greatest row of
each of equally wide stretches, so that a line drawn through them covers the same pixels. Rows without a value are left
out before. The axis is the x column if its values ascend, else the row number. Decimals are compared as doubles.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.page import Reduction
from session_datasets.domain.profile import Order
from session_datasets.formats.measure.gaps import present
from session_datasets.formats.measure.measure import comparable
from session_datasets.formats.measure.ordering import Ordering

# Rows that M4 keeps of each stretch.
_M4_ROWS = 4


def chosen_rows(method: Reduction, values: pa.Array, x: pa.Array | None, points: int) -> pa.Array:
    """The places of at most ``points`` of ``values``, ascending; of all that can be drawn if they are no more.

    ``points`` is SERIES_POINTS_MIN at least. ``x`` has one value for each of ``values``; rows where it has none are
    left out as well.
    """
    drawable = present(values)
    if x is not None:
        drawable = pc.and_(drawable, present(x))
    rows = pc.indices_nonzero(drawable)
    if len(rows) <= points:
        return rows
    heights = _numbers(values.take(rows))
    axis = _numbers(rows if x is None else x.take(rows))
    if not _is_axis(axis):
        axis = _numbers(rows)
    return rows.take(pa.array(_chosen(method, axis, heights, points)))


def _chosen(method: Reduction, axis: pa.Array, heights: pa.Array, points: int) -> Any:
    # Imported where it is needed: it brings numpy, and most charts do without.
    import numpy as np
    import tsdownsample

    downsampler: Any = tsdownsample.M4Downsampler if method is Reduction.M4 else tsdownsample.LTTBDownsampler
    x, y = (np.ascontiguousarray(values.to_numpy(zero_copy_only=False)) for values in (axis, heights))
    if method is Reduction.M4:
        points = points // _M4_ROWS * _M4_ROWS
    try:
        found = downsampler().downsample(x, y, n_out=points)
    except BaseException as error:
        # A panic of Rust is none of Python's ordinary exceptions, and would end the process.
        raise error if type(error).__name__ != "PanicException" else RuntimeError(f"panic: {error}") from error
    # One row may be the first and the least of its stretch.
    return np.unique(found.astype(np.int64))


def _numbers(values: pa.Array) -> pa.Array:
    values = comparable(values)
    if kind.is_decimal(values.type):
        return values.cast(pa.float64())
    if kind.is_integer(values.type) and not kind.is_uint64(values.type):
        return values.cast(pa.int64())
    return values


def _is_axis(values: pa.Array) -> bool:
    """Whether stretches of equal width can be made: values that ascend, from a least to a greater finite one."""
    ordering = Ordering()
    ordering.see(values)
    first, last = float(values[0].as_py()), float(values[-1].as_py())
    return ordering.order is Order.ASCENDING and 0 < last - first < float("inf")
