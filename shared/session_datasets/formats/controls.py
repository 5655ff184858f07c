"""Whether the control characters of a text are values of a table, or show that it is binary data."""

from __future__ import annotations

import re

from session_datasets.formats.csv.dialect import header_if_table, without_quoted

# All but tab, line ends, vertical tab, form feed and escape, which are in texts.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_CHARACTERS_PER_CONTROL_MIN = 100


def has_many_controls(text: str) -> bool:
    """Whether a text has a zero, or more control characters than one in a hundred."""
    return "\x00" in text or len(_CONTROL.findall(text)) > len(text) // _CHARACTERS_PER_CONTROL_MIN


def looks_binary(head: str, whole: bool, said_csv: bool, promised_csv: bool) -> bool:
    """Whether a text has a zero, or many control characters that are no part of its values.

    A caller who names the delimiter has said that it is a table. A name that promises CSV is believed where the text
    bears it out: they stand in quoted fields, or below a first line that has none, in lines that agree on their fields.
    """
    if "\x00" in head:
        return True
    if said_csv or not has_many_controls(head):
        return False
    return not (promised_csv and _are_values(head, whole))


def _are_values(head: str, whole: bool) -> bool:
    if not has_many_controls(without_quoted(head)):
        return True
    header = header_if_table(head, whole)
    return header is not None and _CONTROL.search(header) is None
