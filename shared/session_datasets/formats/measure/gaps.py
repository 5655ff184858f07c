"""What of a column can not be drawn: nulls and NaN, counted as its rows pass by."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind


class Gaps:
    """``see`` every batch of one column."""

    def __init__(self) -> None:
        self.nulls = 0
        self.nans = 0

    @property
    def missing(self) -> int:
        return self.nulls + self.nans

    def see(self, values: pa.Array) -> None:
        self.nulls += values.null_count
        if kind.is_floating(values.type):
            self.nans += pc.sum(pc.is_nan(values)).as_py() or 0


def present(values: pa.Array) -> pa.Array:
    """True for each value that can be drawn."""
    if kind.is_floating(values.type):
        return pc.fill_null(pc.invert(pc.is_nan(values)), False)
    return values.is_valid()
