"""Pages of a text are those of its lines, wherever the blocks end by which they are found."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from session_datasets.tools import paged_text
from session_datasets.tools.paged_text import PagedText

PIECES = st.sampled_from(["", "a", "é", "\U0001f600", "\n", "\r", "\r\n", "\n\n", "\u2028", "\x0b", "words and words"])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def lines_of(text: str) -> list[str]:
    """The slow way: every line with its end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def page_of(lines: list[str], offset: int, limit: int, most: int) -> list[str]:
    """One line at least, and as many as ``most`` bytes hold."""
    shown: list[str] = []
    for line in lines[offset : offset + limit]:
        if shown and len("".join([*shown, line]).encode()) > most:
            break
        shown.append(line)
    return shown


@given(TEXTS, st.integers(0, 40), st.integers(1, 40), st.integers(1, 60), st.integers(1, 20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_page_is_the_lines_from_its_first_on_as_many_as_fit(
    tmp_path: Path, text: str, offset: int, limit: int, most: int, block: int
) -> None:
    with patch.object(paged_text, "_BLOCK_BYTES", block):
        paged = PagedText(text.encode(), tmp_path)
        lines = lines_of(text)
        expected = page_of(lines, offset, limit, most)
        assert paged.total == len(lines)
        assert paged.page(offset, limit, most) == ("".join(expected), len(expected))


@given(TEXTS, st.integers(1, 5), st.integers(1, 30))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pages_join_to_the_text(tmp_path: Path, text: str, limit: int, most: int) -> None:
    paged, joined, offset = PagedText(text.encode(), tmp_path), "", 0
    while offset < paged.total:
        content, count = paged.page(offset, limit, most)
        joined, offset = joined + content, offset + count
    assert joined == "".join(lines_of(text))


def test_a_page_reads_no_more_than_itself_and_the_blocks_of_its_ends(tmp_path: Path) -> None:
    paged = PagedText(b"x" * 99 + b"\n" + (b"x" * 99 + b"\n") * 99_999, tmp_path)
    read: list[int] = []
    pread = os.pread

    def counted(descriptor: int, count: int, at: int) -> bytes:
        read.append(count)
        return pread(descriptor, count, at)

    with patch.object(os, "pread", counted):
        content, count = paged.page(70_000, 100, 128 * 1024)
    assert (len(content), count) == (10_000, 100)
    assert sum(read) <= 10_000 + 2 * paged_text._BLOCK_BYTES


def test_its_file_has_no_name_and_is_closed_when_nobody_holds_it(tmp_path: Path) -> None:
    paged = PagedText(b"a\nb\n", tmp_path)
    descriptor = paged._descriptor
    assert list(tmp_path.iterdir()) == []
    assert os.fstat(descriptor).st_size == 4
    del paged
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(descriptor)
