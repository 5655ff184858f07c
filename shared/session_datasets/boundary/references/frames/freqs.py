"""The frequency of an index of times, as the text that makes the same one again."""

from __future__ import annotations

from typing import Any


def freq_text(index: Any) -> str | None:
    """None for an index without a frequency, and for one whose text says less than it does: holidays, business hours
    and the months of a DateOffset are not in it."""
    from pandas.tseries.frequencies import to_offset

    freq = getattr(index, "freq", None)
    if freq is None:
        return None
    try:
        return str(freq.freqstr) if to_offset(freq.freqstr) == freq else None
    except (ValueError, TypeError, AttributeError, NotImplementedError):
        return None


def with_freq(index: Any, text: str | None) -> Any:
    """``index`` itself, whose times alone count: a frequency that does not fit them is none."""
    if text is not None:
        try:
            index.freq = text
        except (ValueError, TypeError, AttributeError):
            index.freq = None
    return index
