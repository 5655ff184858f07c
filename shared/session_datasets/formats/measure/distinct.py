"""How many different values a column has: exactly while they are few, estimated beyond.

Of the hashes of all values the smallest ``KEPT`` are kept (K minimum values). While fewer were seen, their number is
the answer. Beyond, the hashes kept are spread as densely as all of them are: ``KEPT`` of them below ``t``, of a range
of 2^64, stand for ``KEPT * 2^64 / t`` values. The standard error is 1 / sqrt(KEPT), 2.2 %: two of three estimates
lie within it, all but a few in a thousand within three times as much. The order of the rows and the borders of the
batches change nothing, so the same file always gives the same answer.
"""

from __future__ import annotations

import numpy as np

from session_datasets.formats.measure.hashing import Hashes

# 16 KiB a column, and 2.2 %; a table of 10,000 columns keeps 160 MB at the most.
KEPT = 2_048
_PENDING_MAX = KEPT // 4
_RANGE = 2**64


class DistinctCount:
    """``add`` the hashes of all values, or of the different ones of each batch."""

    def __init__(self) -> None:
        self._kept: Hashes = np.empty(0, np.uint64)
        self._pending: list[Hashes] = []
        self._pending_count = 0
        # The hashes kept are below; None while all that were seen are kept.
        self._below: np.uint64 | None = None

    @property
    def crowded(self) -> bool:
        """Whether most hashes are not kept: looking for equal values before hashing them saves nothing then."""
        return self._below is not None and int(self._below) < _RANGE // 2

    @property
    def estimated(self) -> bool:
        self._settle()
        return self._below is not None

    @property
    def count(self) -> int:
        self._settle()
        return len(self._kept) if self._below is None else round(KEPT * _RANGE / int(self._below))

    def add(self, hashes: Hashes) -> None:
        if self._below is not None:
            hashes = hashes[hashes < self._below]
        self._pending.append(hashes)
        self._pending_count += len(hashes)
        if self._pending_count > _PENDING_MAX:
            self._settle()

    def _settle(self) -> None:
        if not self._pending:
            return
        merged = np.sort(np.concatenate([self._kept, *self._pending]))
        self._pending, self._pending_count = [], 0
        # The first of every run of equal ones; sorting is quicker here than numpy.unique.
        merged = merged[np.concatenate([[True], merged[1:] != merged[:-1]])[: len(merged)]]
        if len(merged) > KEPT:
            self._below = merged[KEPT]
        self._kept = merged[:KEPT].copy()
