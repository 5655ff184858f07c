"""Tables whose every cell is known before anybody is asked for it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from random import Random
from typing import Any

COLUMNS = ("number", "word", "amount")
_ROWS_MAX = 2_000
_WORDS = ("plain", "with, comma", 'with "quotes"', "zwölf", "two\nlines")

Row = tuple[int, str, float | None]


@dataclass(frozen=True)
class Table:
    name: str
    rows: tuple[Row, ...]

    @classmethod
    def drawn(cls, random: Random, name: str) -> Table:
        """One to a few thousand rows; gaps only after the first, which says what the columns are."""
        rows = [
            (random.getrandbits(40), f"{random.choice(_WORDS)} {number}", _amount(random, gaps=number > 0))
            for number in range(random.randint(1, _ROWS_MAX))
        ]
        return cls(name, tuple(rows))

    def csv(self) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self.rows)
        return text.getvalue().encode()

    def page(self, offset: int, limit: int) -> list[list[Any]]:
        return [list(row) for row in self.rows[offset : offset + limit]]


def _amount(random: Random, *, gaps: bool) -> float | None:
    return None if gaps and random.random() < 0.1 else random.randint(-(10**9), 10**9) / 1_000 + 0.0005
