"""Names for the columns of the file: the labels themselves where a file can have them, else names like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_datasets.boundary.references.pointer import told_name


def field_names(labels: Sequence[Any], more: Sequence[str] = ()) -> list[str]:
    """One name each, none twice; ``more`` come last. A label that is a name of its own keeps it."""
    taken = {label for label in labels if _is_name(label)}
    used: set[str] = set()
    # By stem the last number that was tried for it: those below are taken, and stay so.
    tried: dict[str, int] = {}
    return [_free(label, taken, used, tried) for label in [*labels, *more]]


def _free(label: Any, taken: set[str], used: set[str], tried: dict[str, int]) -> str:
    if _is_name(label) and label not in used:
        used.add(label)
        return str(label)
    stem = told_name(label).replace("\0", "") or "column"
    number = tried.get(stem, 1)
    name = _numbered(stem, number)
    while name in used or name in taken:
        number += 1
        name = _numbered(stem, number)
    tried[stem] = number
    used.add(name)
    return name


def _numbered(stem: str, number: int) -> str:
    return stem if number == 1 else f"{stem}_{number}"


def _is_name(label: Any) -> bool:
    return type(label) is str and label != "" and "\0" not in label and label.isprintable()
