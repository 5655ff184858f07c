"""The one form of the Range header that clients of S3 send."""

from __future__ import annotations

import re

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def range_of(header: str | None, size: int) -> tuple[int, int] | None:
    """(first byte, number of bytes), all of them without a header; None when the range lies outside the object."""
    if header is None:
        return 0, size
    match = _RANGE.fullmatch(header)
    if match is None or match.groups() == ("", ""):
        return 0, size
    first, last = match.groups()
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    return (begin, end - begin) if begin < end else None
