"""What a Parquet file promises of its values and Arrow does not check: texts are UTF-8, times lie within a day.

Checked once, while the rows are laid out, so that nothing can fail when they are read.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kind

from session_datasets.formats.stream import damaged, names_in_words
from session_datasets.formats.values.nested import is_text, leaves

_TIMES_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def require_sound(name: str, values: pa.Array) -> None:
    """``values`` are of the column ``name``. Refusal unreadable-file for a leaf that is not what its type says."""
    for leaf in leaves(values):
        if is_text(leaf.type) and not _is_utf_8(leaf):
            raise damaged(
                f"Column {names_in_words([name])} has a text that is not valid UTF-8.",
                "Write the column as binary, or its texts in UTF-8, and register the file again.",
            )
        if kind.is_time(leaf.type) and not _is_within_a_day(leaf):
            raise damaged(
                f"Column {names_in_words([name])} has a time of day below 00:00 or from 24:00 on.",
                "Write the column as durations or numbers, and register the file again.",
            )


def _is_utf_8(texts: pa.Array) -> bool:
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_within_a_day(times: pa.Array) -> bool:
    counts = times.cast(pa.int32() if kind.is_time32(times.type) else pa.int64())
    found = pc.min_max(counts)
    low, high = found["min"].as_py(), found["max"].as_py()
    return low is None or (low >= 0 and high < _TIMES_PER_DAY[times.type.unit])
