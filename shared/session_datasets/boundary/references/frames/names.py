"""Names for the columns of the file: the labels themselves where a file can have them, else names like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_datasets.boundary.references.pointer import told_name
from session_datasets.domain.numbered_names import NumberedNames


def field_names(labels: Sequence[Any], more: Sequence[str] = ()) -> list[str]:
    """One name each, none twice; ``more`` come last. A label that is a name of its own keeps it."""
    taken = {label for label in labels if _is_name(label)}
    used: set[str] = set()
    numbered = NumberedNames()
    return [_free(label, taken, used, numbered) for label in [*labels, *more]]


def _free(label: Any, taken: set[str], used: set[str], numbered: NumberedNames) -> str:
    if _is_name(label) and label not in used:
        name = str(label)
    else:
        stem = told_name(label).replace("\0", "") or "column"
        name = numbered.free(stem, lambda each: each in used or each in taken)
    used.add(name)
    return name


def _is_name(label: Any) -> bool:
    return type(label) is str and label != "" and "\0" not in label and label.isprintable()
