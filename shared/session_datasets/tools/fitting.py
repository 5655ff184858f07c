"""Shortening: texts, cells and lists, always with a mark of what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_datasets.domain.quoting import legible
from session_datasets.tools.answers import json_text

ELLIPSIS = "…"
# Bytes kept of a column's name: whoever needs a longer one is told a near name when it is asked for.
COLUMN_NAME_BYTES = 120
# Bytes kept of an artifact's name where it is not the point.
NAME_BYTES = 120
# Bytes of JSON that one character takes at most: one that is not seen, as two of \u0000.
_CHARACTER_BYTES_MAX = 12
# Bytes kept of a note or a failure's detail.
NOTE_BYTES = 240


def clipped(text: str, most: int) -> str:
    """At most ``most`` bytes of UTF-8 (and of JSON, quotes aside), whole characters, with a mark where it was cut."""
    if _cost(text) <= most:
        return text
    room = max(most - len(ELLIPSIS.encode()), 0)
    # A character is a byte at least, so no more of them than bytes are looked at.
    kept = text[:room]
    while (over := _cost(kept) - room) > 0:
        kept = kept[: -max(1, over // _CHARACTER_BYTES_MAX)]
    return kept.rstrip() + ELLIPSIS


def _cost(text: str) -> int:
    return len(json_text(text).encode()) - 2


def one_line(text: str, most: int) -> str:
    """Clipped, with line ends and runs of blanks as one blank, and what is not seen spelled out."""
    # Beyond these there is nothing that could be kept.
    return clipped(legible(" ".join(text[: most * 2].split())), most)


def clipped_cell(value: Any, most: int) -> Any:
    """A JSON cell of at most ``most`` bytes of JSON: a longer text is cut, anything longer becomes cut JSON text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return clipped(value, most)
    text = json_text(value)
    return value if len(text.encode()) <= most else clipped(text, most)


def some_of(items: Sequence[str], most: int) -> str:
    """The first ``most``, and how many more there are."""
    more = len(items) - most
    return ", ".join(items[:most]) + (f" and {more:,} more" if more > 0 else "")


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
