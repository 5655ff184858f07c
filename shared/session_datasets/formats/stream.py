"""What every reader of a format hands on: a schema, batches of rows, and what a person should be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import KIB
from session_datasets.domain.profile import Format, JsonValue
from session_datasets.domain.quoting import quoted

# Names quoted in one sentence of a note; the schema shows the others.
_NAMES_TOLD = 3
_NAME_CHARACTERS_TOLD = 40
# Names of columns are shown in every schema and every page: beyond this a name is data that lost its header.
COLUMN_NAME_BYTES_MAX = 4 * KIB


# A name as the file has it, and the one it is addressed by.
Renamed = tuple[str, str]


class NoTable(Exception):
    """The file is sound for all we know, but has no rows we can page. ``note`` is for a person."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note


@dataclass(frozen=True, slots=True)
class TableStream:
    """Rows of one file. ``batches`` follow ``schema``, are read once and may raise Refusal unreadable-file.

    ``remarks``, ``rules`` and ``reading`` may grow until the last batch was read: ``rules`` names, for each column,
    the rule of docs/typing.md that decided its type; ``reading`` is ``Profile.reading``.
    """

    format: Format
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    remarks: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    reading: dict[str, JsonValue] = field(default_factory=dict)


def damaged(detail: str, advice: str | None = None) -> Refusal:
    """The file claims to be a table and can not be read as one."""
    return Refusal(ProblemCode.UNREADABLE_FILE, detail, advice=advice)


def distinct_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that address one column each, and remarks on those that had to change; see ``told_apart``."""
    result, renamed = told_apart(names, "column")
    if not renamed:
        return result, []
    return result, [f"Columns without a name of their own were renamed: {pairs_in_words(renamed)}."]


def title_told(names: Sequence[str], where: str) -> list[str]:
    """A remark if ``where`` names one of several columns that all have values: it may be a title above the names.

    Where the last one alone has a name, the others may be an index, whose columns many writers leave without one.
    """
    named = [place for place, name in enumerate(names) if name.strip()]
    if len(named) != 1 or len(names) <= 1 + named[0]:
        return []
    return [
        f"{where} names one of {len(names):,} columns, {_quoted(names[named[0]])}: if that is a title above the names, "
        "remove it and register again."
    ]


def told_apart(names: Sequence[str], what: str) -> tuple[list[str], list[Renamed]]:
    """Names that address one ``what`` each, and those that had to change.

    An empty name becomes ``column_3`` (what it names, and its place, from 1); the second ``a`` becomes ``a_2``; a
    name that is there already is never taken. Refusal unreadable-file for a name that is too long.
    """
    taken = set(names)
    used: Counter[str] = Counter()
    result, renamed = [], []
    for place, name in enumerate(names, start=1):
        if name and not used[name]:
            new = name
        else:
            new = _free_name(f"{what}_{place}" if not name else f"{name}_{used[name] + 1}", taken)
            renamed.append((name, new))
        used[name] += 1
        taken.add(new)
        result.append(new)
        if len(new.encode()) > COLUMN_NAME_BYTES_MAX:
            raise damaged(f"The name of {what} {place} is longer than {COLUMN_NAME_BYTES_MAX:,} bytes.")
    return result, renamed


def _free_name(wanted: str, taken: set[str]) -> str:
    name, attempt = wanted, 2
    while name in taken:
        name, attempt = f"{wanted}_{attempt}", attempt + 1
    return name


def names_in_words(names: Iterable[str]) -> str:
    """A few of the names, quoted, for a sentence."""
    listed = list(names)
    told = ", ".join(_quoted(name) for name in listed[:_NAMES_TOLD])
    return told + (f" and {len(listed) - _NAMES_TOLD} more" if len(listed) > _NAMES_TOLD else "")


def pairs_in_words(renamed: Sequence[Renamed]) -> str:
    """A few of the old names with their new ones, for a sentence."""
    told = ", ".join(" is ".join(_quoted(name) for name in pair) for pair in renamed[:_NAMES_TOLD])
    return told + (f" and {len(renamed) - _NAMES_TOLD} more" if len(renamed) > _NAMES_TOLD else "")


def _quoted(name: str) -> str:
    return quoted(name, _NAME_CHARACTERS_TOLD)
