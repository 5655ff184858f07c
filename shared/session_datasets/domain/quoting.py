"""Names and cells inside a sentence: marked as what somebody else wrote, cut, and on one line whatever they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_CHARACTERS_MAX = 100
# What ends a line or moves a cursor, turns the order of what follows around, or is there and not seen. The two joiners
# that words of several scripts are spelled with, and many an emoji, are not among them.
_UNSEEN = re.compile(
    "[\0-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
# A name that can be told from the words around it without quotes.
_WORD = re.compile(r'[^\s",;:\\]+')


def quoted(text: str, characters_max: int = _CHARACTERS_MAX) -> str:
    """In quotes, with everything that does not print, such as line ends and marks that reorder text, spelled out."""
    return repr(text if len(text) <= characters_max else text[:characters_max] + "…")


def on_one_line(text: str, characters_max: int = _CHARACTERS_MAX) -> str:
    """Likewise without the quotes, for words of ours that may hold a name, as the type of a struct does."""
    return quoted(text, characters_max)[1:-1]


def legible(text: str) -> str:
    """Of any length, and as it is but for what ends a line, reorders text or is not seen: that is spelled as in JSON.

    JSON stays the JSON of the same value.
    """
    return _UNSEEN.sub(_spelled, text)


def in_lines(lines: Iterable[str]) -> str:
    """A text of these lines and of no other, whatever they hold."""
    return "\n".join(map(legible, lines))


def word(name: str) -> str:
    """A name among other words: as it is if it looks like one word, else as JSON, in quotes."""
    is_plain = _WORD.fullmatch(name) and not _UNSEEN.search(name)
    return name if is_plain else legible(json.dumps(name, ensure_ascii=False))


def _spelled(found: re.Match[str]) -> str:
    return json.dumps(found.group())[1:-1]
