"""Rows chosen to draw a long series with few points: LTTB and M4.

LTTB (Largest Triangle Three Buckets) keeps what catches the eye; it is that of the library tsdownsample. M4 keeps the
first, last, least and greatest row of each of equally wide stretches, so that a line drawn through them covers the same
pixels; the library's loses rows where neighbours on the axis are equal or far apart. Rows without a value are left out
before. The axis is the x column if its values ascend, else the row number. Decimals are compared as doubles.
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
    # Imported where it is needed: most charts do without numpy.
    import numpy as np

    x, y = (np.ascontiguousarray(values.to_numpy(zero_copy_only=False)) for values in (axis, heights))
    # One row may be the first and the least of its stretch.
    return np.unique(_m4(x, y, points // _M4_ROWS) if method is Reduction.M4 else _lttb(x, y, points))


def _lttb(x: Any, y: Any, points: int) -> Any:
    import numpy as np
    import tsdownsample

    downsampler: Any = tsdownsample.LTTBDownsampler
    try:
        return downsampler().downsample(x, y, n_out=points).astype(np.int64)
    except BaseException as error:
        # A panic of Rust is none of Python's ordinary exceptions, and would end the process.
        raise error if type(error).__name__ != "PanicException" else RuntimeError(f"panic: {error}") from error


def _m4(x: Any, y: Any, stretches: int) -> Any:
    """The first, last, least and greatest row of each of so many equally wide stretches of ``x``, which ascends."""
    import numpy as np

    # Integers are subtracted as what they are modulo 2^64, which their difference always fits.
    plain = x.view(np.uint64) if x.dtype.kind in "iu" else x.astype(np.float64)
    along = (plain - plain[0]).astype(np.float64)
    stretch = np.minimum((along / along[-1] * stretches).astype(np.int64), stretches - 1)
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    lengths = np.diff(first, append=len(x))
    chosen = [first, first + lengths - 1]
    for extreme in (np.minimum, np.maximum):
        found = np.flatnonzero(y == np.repeat(extreme.reduceat(y, first), lengths))
        # Of equal ones the first.
        chosen.append(found[np.unique(stretch[found], return_index=True)[1]])
    return np.concatenate(chosen)


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
    return ordering.order is Order.ASCENDING and 0 < values[-1].as_py() - values[0].as_py() < float("inf")
