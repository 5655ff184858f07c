"""Near names: what a caller may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

from session_datasets.domain.limits import NEAR_NAMES_MAX

# Comparing costs the product of two lengths, and an unlucky alphabet defeats every short cut: these many characters
# of these many names are compared in well under a second whatever they are.
_CANDIDATES_MAX = 1_000
_CHARACTERS_MAX = 64
_LIKENESS_MIN = 0.6


def near_names(wanted: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Up to three of ``candidates`` that look like ``wanted``, nearest first; case does not count.

    Nor do the folders and the suffix that both have: they make no two files alike.
    """
    by_folded: dict[str, str] = {}
    for name in candidates:
        if len(by_folded) == _CANDIDATES_MAX:
            break
        by_folded.setdefault(name[:_CHARACTERS_MAX].casefold(), name)
    folded = wanted[:_CHARACTERS_MAX].casefold()
    close = get_close_matches(folded, by_folded, n=_CANDIDATES_MAX, cutoff=_LIKENESS_MIN)
    likeness = {name: _likeness(folded, name) for name in close}
    alike = [name for name in close if likeness[name] >= _LIKENESS_MIN]
    # Sorting keeps the order of those that are as like as each other.
    nearest = sorted(alike, key=lambda name: -likeness[name])[:NEAR_NAMES_MAX]
    return tuple(by_folded[name] for name in nearest)


def _likeness(one: str, other: str) -> float:
    """From 0 to 1, of what is left without the folders and the suffix that are the same in both."""
    *folders, one = one.split("/")
    *other_folders, other = other.split("/")
    if folders != other_folders:
        one, other = "/".join([*folders, one]), "/".join([*other_folders, other])
    (first, _, suffix), (second, _, other_suffix) = one.rpartition("."), other.rpartition(".")
    if suffix == other_suffix and first and second:
        one, other = first, second
    return SequenceMatcher(None, one, other).ratio()
