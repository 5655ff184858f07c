"""Whether values only grow, or only fall, from the first to the last, across all batches."""

from __future__ import annotations

from itertools import pairwise
from math import isnan
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.profile import Order
from session_datasets.formats.values.nested import decoded_bytes

# Values compared one by one before a batch: most columns that have no order show it here, and asking Arrow takes
# longer.
_PEEKED = 6
_PEEKED_BYTES_MAX = 4096
# Rows compared before the rest of a batch.
_FIRST_ROWS = 256


class Ordering:
    """``see`` every batch; the values are of one type, which Arrow compares. Neighbours may be equal."""

    def __init__(self) -> None:
        self._grows = True
        self._falls = True
        self._moves = True
        self._last: pa.Scalar | None = None

    @property
    def order(self) -> Order:
        """A column without a row, or with equal values only, is ascending."""
        if self._grows:
            return Order.ASCENDING
        return Order.DESCENDING if self._falls else Order.UNSORTED

    @property
    def all_differ(self) -> bool:
        """Whether order alone tells that no two values are equal; false where it does not tell."""
        return self._moves and (self._grows or self._falls)

    def see(self, values: pa.Array) -> None:
        if not len(values) or not (self._grows or self._falls):
            return
        # A NaN that has a neighbour shows in the comparison; the first value may have none.
        if values.null_count or (kind.is_floating(values.type) and isnan(values[0].as_py())):
            self.break_off()
            return
        peeked = values[:_PEEKED]
        # A text may take megabytes, and is compared where it lies.
        if decoded_bytes(peeked) <= _PEEKED_BYTES_MAX and _turns(peeked.to_pylist()):
            self.break_off()
            return
        if self._last is not None:
            self._compare(pa.array([self._last], values.type), values[:1])
        before, after = values[:-1], values[1:]
        self._compare(before[:_FIRST_ROWS], after[:_FIRST_ROWS])
        if len(values) > _FIRST_ROWS:
            self._compare(before[_FIRST_ROWS:], after[_FIRST_ROWS:])
        # A text would hold the whole batch that it lies in.
        self._last = values[-1] if self._grows or self._falls else None

    def break_off(self) -> None:
        """There is a value that has no place in any order."""
        self._grows = self._falls = False
        self._last = None

    def _compare(self, before: pa.Array, after: pa.Array) -> None:
        if not self._grows and not self._falls:
            return
        self._grows = self._grows and _all(pc.less_equal(before, after))
        self._falls = self._falls and _all(pc.greater_equal(before, after))
        self._moves = self.all_differ and _all(pc.not_equal(before, after))


def _turns(values: list[Any]) -> bool:
    """Whether they both grow and fall; code points of texts are in the order of their bytes."""
    pairs = list(pairwise(values))
    return any(before < after for before, after in pairs) and any(before > after for before, after in pairs)


def _all(truths: pa.Array) -> bool:
    return bool(pc.all(truths, min_count=0).as_py())
