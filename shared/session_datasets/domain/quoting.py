"""Names and cells inside a sentence: marked as what somebody else wrote, cut, and on one line whatever they hold."""

from __future__ import annotations

_CHARACTERS_MAX = 100


def quoted(text: str, characters_max: int = _CHARACTERS_MAX) -> str:
    """In quotes, with everything that does not print, such as line ends and marks that reorder text, spelled out."""
    return repr(text if len(text) <= characters_max else text[:characters_max] + "…")


def on_one_line(text: str, characters_max: int = _CHARACTERS_MAX) -> str:
    """Likewise without the quotes, for words of ours that may hold a name, as the type of a struct does."""
    return quoted(text, characters_max)[1:-1]
