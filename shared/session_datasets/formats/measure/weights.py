"""What a column adds to a page: the mean bytes of JSON of its cells, so that a reader can choose columns by cost."""

from __future__ import annotations

import json

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.domain.limits import KIB
from session_datasets.formats.values.cells import CellRules, is_wide_integer
from session_datasets.formats.values.nested import decoded_bytes, is_binary, is_text

# Cells spelled of the first batch, and of each later one that is looked at.
_FIRST_CELLS = 512
_LATER_CELLS = 32
# Decoded bytes of the cells spelled of one batch; one cell is spelled at least.
_SAMPLE_BYTES_MAX = 256 * KIB
# After so many batches only every second is looked at, after as many again only every fourth …
_BATCHES_BEFORE_THINNING = 32
_NULL_BYTES = len("null")
_QUOTES_BYTES = 2
_COMMA_BYTES = 1


class CellWeight:
    """``see`` every batch of one column. Texts and binaries are weighed whole, of all else a sample is.

    Marks that JSON escapes inside texts are not counted. The sample depends on nothing but the batches.
    """

    def __init__(self, type_: pa.DataType) -> None:
        self._type = type_
        self._bytes = 0.0
        self._rows = 0
        self._batches = 0
        self._step = 1

    def see(self, values: pa.Array) -> None:
        if not len(values):
            return
        if is_text(self._type) or is_binary(self._type):
            self._bytes += _whole_bytes(values)
            self._rows += len(values)
        else:
            self._see_sample(values)

    def _see_sample(self, values: pa.Array) -> None:
        """A batch that is looked at stands for as many as the step is wide."""
        if self._batches % self._step == 0:
            cells = _spread(values, _LATER_CELLS if self._batches else _FIRST_CELLS)
            stands_for = self._step * len(values)
            self._bytes += stands_for * _spelled_bytes(cells) / len(cells)
            self._rows += stands_for
        self._batches += 1
        if self._batches == self._step * _BATCHES_BEFORE_THINNING * 2:
            self._step *= 2

    def mean(self, rules: CellRules, null_share: float) -> float | None:
        """Bytes a row, the comma after a cell among them; None without a row."""
        if not self._rows:
            return None
        quoted = is_wide_integer(self._type) and not rules.exact
        return round(self._bytes / self._rows + (_QUOTES_BYTES * (1 - null_share) if quoted else 0), 1)


def _whole_bytes(values: pa.Array) -> int:
    lengths = pc.binary_length(values)
    if is_binary(values.type):  # base64: four characters for every three bytes begun
        lengths = pc.multiply(pc.divide(pc.add(lengths.cast(pa.int64()), 2), 3), 4)
    spelled: int = pc.sum(lengths).as_py() or 0
    nulls: int = values.null_count
    return spelled + (len(values) - nulls) * _QUOTES_BYTES + nulls * _NULL_BYTES + len(values) * _COMMA_BYTES


def _spread(values: pa.Array, most: int) -> pa.Array:
    """Up to ``most`` of the values, evenly spread over them."""
    affordable = max(1, _SAMPLE_BYTES_MAX * len(values) // max(1, decoded_bytes(values)))
    step = -(-len(values) // min(most, affordable))
    if step == 1:
        return values
    return values.take(pa.array(range(0, len(values), step), pa.int64()))


def _spelled_bytes(values: pa.Array) -> int:
    """Of all the cells and the commas behind them."""
    if kind.is_integer(values.type) or kind.is_float64(values.type):
        data = orjson.dumps(CellRules(values.type).encode(values))
        # It spells exponents and small numbers in another way, and NaN and the infinities as null.
        alike = b"e" not in data and b"0.0000" not in data
        if alike and data.count(b"null") == values.null_count:
            return len(data) - _COMMA_BYTES
    cells = CellRules(values.type, finite=False).encode(values)
    text = json.dumps(cells, separators=(",", ":"), ensure_ascii=False)
    return len(text.encode("utf-8", "surrogatepass")) - _COMMA_BYTES
