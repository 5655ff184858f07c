"""How a CSV is written: its delimiter and whether fields are quoted, found in its first lines.

What is found here is a proposal: reading the whole file verifies it, and ``reading`` of the profile records it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from session_datasets.formats.stream import damaged

# What tables are usually written with, and what is taken only if every line agrees. Colons divide the lines of so
# many texts that are no tables that the file's name must promise one.
_USUAL = (",", ";", "\t", "|")
_RARE = ("^", "~")
_RARE_IN_CSV = (":", *_RARE)
# Lines of the head that must have the header's number of fields when the name promises no table.
_AGREEING_SHARE = 0.8
_LINES_COMPARED = 1_000
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|nan|NaN")
_QUOTED = re.compile(r'(?:(?<=[,;|\t:^~\r\n])|^)"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True)
class Dialect:
    """``quote`` is None where quotes are characters like any other."""

    delimiter: str = ","
    quote: str | None = '"'


def hinted_dialect(delimiter: str) -> Dialect:
    """Refusal for a delimiter that no reader could tell from the rest of the text."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\x00':
        raise damaged(
            f"The hint names {delimiter[:20]!r} as delimiter.",
            "Name one ASCII character that is neither a quote nor a line end, or leave the delimiter to be found.",
        )
    return Dialect(delimiter)


def find_dialect(head: str, whole: bool, promised: bool) -> Dialect | None:
    """The dialect of a text's first lines, None if they make no table.

    ``whole`` says that ``head`` is all of the text; else its last line may be cut off. ``promised`` says that the
    file's name announces CSV: then one column is a table, too, and lines that disagree are left to be counted.
    Refusal when the text is blank.
    """
    lines = _lines(head, whole)
    if not lines:
        raise damaged("The file's content is blank text.")
    best = max((_Agreement.of(lines, each) for each in _USUAL), key=lambda found: (found.fields > 1, found.share))
    if best.fields > 1 and (promised or (best.share >= _AGREEING_SHARE and len(lines) > 1)):
        return Dialect(best.delimiter)
    for delimiter in _RARE_IN_CSV if promised else _RARE:
        found = _Agreement.of(lines, delimiter)
        if found.fields > 1 and found.share == 1 and len(lines) > 1:
            return Dialect(delimiter)
    if promised:
        return Dialect(" ") if _spaced_numbers(lines) else Dialect()
    return None


def without_quoted(text: str) -> str:
    """The text with quoted fields as mere quotes."""
    return _QUOTED.sub('""', text)


def header_if_table(head: str, whole: bool) -> str | None:
    """The first line, its quoted fields as mere quotes, of a text that shows by itself that it is a table of several
    columns: one of the usual delimiters divides most of its lines into as many fields. None of any other text."""
    lines = _lines(head, whole)
    if len(lines) < 2:
        return None
    found = [_Agreement.of(lines, each) for each in _USUAL]
    return lines[0] if any(each.fields > 1 and each.share >= _AGREEING_SHARE for each in found) else None


def divided_below(head: str, whole: bool) -> tuple[str, int] | None:
    """The delimiter that divides most lines below the first one, which has none, and the number of their fields."""
    first, *below = _lines(head, whole) or [""]
    if len(below) < 2 or any(delimiter in first for delimiter in _USUAL):
        return None
    found = max((_Agreement.of(below, each) for each in _USUAL), key=lambda each: (each.fields > 1, each.share))
    return (found.delimiter, found.fields) if found.fields > 1 and found.share >= _AGREEING_SHARE else None


def _spaced_numbers(lines: list[str]) -> bool:
    """Whether single spaces divide the same number of fields on every line, all numbers below the names."""
    rows = [line.split(" ") for line in lines]
    width = len(rows[0])
    return (
        width > 1
        and len(rows) > 1
        and all(rows[0])
        and all(len(row) == width and all(map(_NUMBER.fullmatch, row)) for row in rows[1:])
    )


@dataclass(frozen=True, slots=True)
class _Agreement:
    """``share``: of the lines that have as many fields as the first one has."""

    delimiter: str
    share: float
    fields: int

    @classmethod
    def of(cls, lines: list[str], delimiter: str) -> _Agreement:
        counts = Counter(line.count(delimiter) for line in lines)
        header = lines[0].count(delimiter)
        return cls(delimiter, counts[header] / len(lines), header + 1)


def _lines(head: str, whole: bool) -> list[str]:
    """Records of the head with quoted fields as mere quotes, blank ones left out, none of them cut off."""
    lines = re.split(r"\r\n|\r|\n", without_quoted(head))
    if not whole and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line][:_LINES_COMPARED]
