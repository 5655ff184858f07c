"""What every reader is told of the data set that it is to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

BUCKET = "bench"
# A multiple of the rows that any point of a chart stands for.
_BUCKET_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class DataSet:
    """One file in three forms, below ``store``, the folder that the stand-in serves.

    ``csv`` and ``parquet`` are keys of the stand-in's bucket, None where that form could not be made; ``record`` is
    the key of the record that registration left. ``key`` is a column that holds the row number; ``charted`` a numeric
    one.
    """

    store: str
    name: str
    rows: int
    csv: str | None
    parquet: str | None
    record: str | None
    key: str | None = None
    charted: str | None = None

    def file(self, key: str | None) -> Path:
        if key is None:
            raise LookupError("pyarrow could not convert the file for this reader")
        return Path(self.store) / BUCKET / key


@dataclass(frozen=True, slots=True)
class Given:
    """``options`` are the case's own, such as ``limit``: rows of a page."""

    endpoint: str
    data: DataSet
    options: Mapping[str, Any] = field(default_factory=dict)

    def offset(self, number: int, rows: int) -> int:
        """First row of a window of ``rows``: the one that the case fixes, or a random one, the same for every reader in
        round ``number``."""
        if (fixed := self.options.get("at")) is not None:
            return int(fixed)
        return Random(number).randrange(max(1, self.data.rows - rows))

    def window(self, number: int) -> tuple[int, int]:
        """(first row, rows) of a chart: a tenth or a hundredth of the rows, by turns, at random places; or everything,
        when ``options`` want it ``whole``.

        Both are whole buckets of any reader's making, so that all of them have the same to say.
        """
        if self.options.get("whole"):
            return 0, self.data.rows
        buckets = max(1, self.data.rows // 10 ** (1 + number % 2) // _BUCKET_ROWS)
        last = max(1, self.data.rows // _BUCKET_ROWS - buckets + 1)
        return Random(number).randrange(last) * _BUCKET_ROWS, buckets * _BUCKET_ROWS
