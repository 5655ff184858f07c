"""Edits of a text as they are made by somebody who has read it with line feeds for all its line ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, repeat

# (text, old, new, everywhere) to the text and how often, or to what is wrong with it.
Replacing = Callable[[str, str, str, bool], tuple[str, int] | str]

_END = re.compile("\r\n|\r|\n")


def edited(text: str, old: str, new: str, everywhere: bool, replacing: Replacing) -> tuple[str, int] | str:
    """What ``replacing`` makes of the text as it was read, with the line ends that the text has.

    Every line that is not replaced keeps its own end. Those that come in take the ends of those that go, and else the
    end that most lines have.
    """
    old, new = _END.sub("\n", old), _END.sub("\n", new)
    replaced = replacing(_END.sub("\n", text), old, new, everywhere)
    if isinstance(replaced, str) or "\r" not in text:
        return replaced
    return _with_its_ends(text, old, new), replaced[1]


def _with_its_ends(text: str, old: str, new: str) -> str:
    ends = _END.findall(text)
    most = Counter(ends).most_common(1)[0][0]
    first, *others = _END.sub("\n", text).split(old)
    ahead = iter(ends)
    made = [_ended(first, ahead)]
    for kept in others:
        going = [next(ahead) for _ in range(old.count("\n"))]
        coming = chain(going, repeat(going[-1] if going else most))
        made += [_ended(new, coming), _ended(kept, ahead)]
    return "".join(made)


def _ended(text: str, ends: Iterable[str]) -> str:
    """The text with these for its line feeds, as many as it has."""
    first, *others = text.split("\n")
    # The lines come first, for zip takes one more of what it looks at first.
    return first + "".join(end + line for line, end in zip(others, ends, strict=False))
