"""Near names: what a caller may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from session_datasets.domain.limits import NEAR_NAMES_MAX

# Comparing costs the product of two lengths, and an unlucky alphabet defeats every short cut: these many characters
# of these many names are compared in well under a second whatever they are.
_CANDIDATES_MAX = 1_000
_CHARACTERS_MAX = 64


def near_names(wanted: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """Up to three of ``candidates`` that look like ``wanted``, nearest first; case does not count."""
    by_folded: dict[str, str] = {}
    for name in candidates:
        if len(by_folded) == _CANDIDATES_MAX:
            break
        by_folded.setdefault(name[:_CHARACTERS_MAX].casefold(), name)
    close = get_close_matches(wanted[:_CHARACTERS_MAX].casefold(), by_folded, n=NEAR_NAMES_MAX, cutoff=0.6)
    return tuple(by_folded[name] for name in close)
