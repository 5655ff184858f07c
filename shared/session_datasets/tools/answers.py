"""What a model gets to read of a call, and what it may cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from session_datasets.domain.quoting import legible

# Bytes of UTF-8 that one token stands for: what tokenizers make of English prose and of JSON alike, near enough to
# promise a ceiling by, and the same for every model.
BYTES_OF_A_TOKEN = 4
# The least budget: an artifact's id, a file's name of the greatest length and a sentence around them.
BUDGET_TOKENS_MIN = 150


def tokens_of(text: str) -> int:
    """Tokens that a text costs: its UTF-8 bytes by four, rounded up."""
    return -(-len(text.encode()) // BYTES_OF_A_TOKEN)


def json_text(value: Any) -> str:
    """One line without blanks, letters as they are: the cheapest JSON that shows all that it holds."""
    return legible(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class Budgets:
    """Tokens (``tokens_of``) that an answer takes at most, as text and, apart from that, as structured JSON."""

    register: int = 400
    listing: int = 1_500
    describe: int = 1_500
    load: int = 150
    rows: int = 2_000
    columns: int = 1_500
    error: int = 200

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) < BUDGET_TOKENS_MIN:
                raise ValueError(f"the budget {each.name!r} takes at least {BUDGET_TOKENS_MIN} tokens")


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """One answer, told twice for two readers: a host shows a model one of the two.

    ``text`` is all that a model needs; its first line sums it up. It is made by ``domain.quoting.in_lines``, so that
    nothing that somebody else wrote, as the name of a column, is a line of it. ``structured`` holds the same as JSON
    values for a program. Neither says anything twice. ``bulky``: it carries data (rows, a listing) and not only facts
    about it.
    ``is_error``: nothing was done unless the text says so, and it says how to go on.
    """

    text: str
    structured: dict[str, Any] = field(default_factory=dict)
    is_error: bool = False
    bulky: bool = False

    @property
    def summary(self) -> str:
        return self.text.partition("\n")[0]

    @property
    def tokens(self) -> int:
        """What the dearer of the two costs."""
        return max(tokens_of(self.text), tokens_of(json_text(self.structured)))


def most_that_fits(most: int, make: Callable[[int], ToolAnswer], budget: int, *, least: int = 0) -> ToolAnswer:
    """The answer of the greatest size from ``least`` to ``most`` within the budget; that of ``least`` if none is.

    ``make`` must not cost less for a greater size; it is called some log2(most) times.
    """
    fitting, low, high = make(least), least, most
    if fitting.tokens > budget:
        return fitting
    while low < high:
        middle = (low + high + 1) // 2
        answer = make(middle)
        if answer.tokens <= budget:
            fitting, low = answer, middle
        else:
            high = middle - 1
    return fitting
