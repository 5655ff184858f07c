"""A text on the disk, read from any line on: a page costs as much as its own bytes, wherever it lies."""

from __future__ import annotations

import os
import tempfile
import weakref
from bisect import bisect_left
from itertools import accumulate
from pathlib import Path

from session_datasets.domain.limits import KIB

# Bytes after which the lines before are counted: so many are looked through to find a line.
_BLOCK_BYTES = 64 * KIB


class PagedText:
    """Lines with their ends, which all become line feeds; other characters that break lines on paper do not here.

    The file has no name, and its room comes back when nobody holds the object any more. Safe to be used by several
    threads.
    """

    def __init__(self, content: bytes, folder: Path) -> None:
        """``content`` is UTF-8."""
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        blocks = range(0, len(content), _BLOCK_BYTES)
        # Line feeds before each block, and in all.
        self._before = [0, *accumulate(content.count(b"\n", at, at + _BLOCK_BYTES) for at in blocks)]
        self._size = len(content)
        self.total = self._before[-1] + (not content.endswith(b"\n") and bool(content))
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  (it lives as long as this object)
        weakref.finalize(self, file.close)
        file.write(content)
        file.flush()
        self._descriptor = file.fileno()

    def page(self, offset: int, limit: int, most: int) -> tuple[str, int]:
        """Lines from ``offset`` (0-indexed) on and their number: at most ``limit``, and as many as ``most`` bytes hold,
        one at least."""
        start, end = self._start_of(offset), self._start_of(offset + limit)
        content = self._bytes(start, min(end, start + most))
        if start + len(content) < end:
            # Half a line is none, unless it is the first.
            whole = content.rfind(b"\n") + 1
            content = content[:whole] if whole else self._bytes(start, self._start_of(offset + 1))
        return content.decode(), content.count(b"\n") + (not content.endswith(b"\n") and bool(content))

    def _start_of(self, line: int) -> int:
        """Where the line begins, in bytes; the end of the text for one behind the last."""
        if line <= 0:
            return 0
        if line > self._before[-1]:
            return self._size
        # It begins behind as many line feeds as there are lines before it.
        block = bisect_left(self._before, line) - 1
        at = block * _BLOCK_BYTES
        content = self._bytes(at, min(at + _BLOCK_BYTES, self._size))
        return at + len(content) - len(content.split(b"\n", line - self._before[block])[-1])

    def _bytes(self, start: int, end: int) -> bytes:
        """All of them: the system may give fewer at once."""
        parts = []
        while start < end and (part := os.pread(self._descriptor, end - start, start)):
            parts.append(part)
            start += len(part)
        return b"".join(parts)
