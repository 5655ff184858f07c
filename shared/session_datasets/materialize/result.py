"""What an agent gets instead of its rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from session_datasets.domain.limits import KIB
from session_datasets.domain.quoting import in_lines, legible, word
from session_datasets.materialize.cells import CUT_MARK, cut, digits, preview_cell
from session_datasets.wire.reference import ReferenceModel

# Bytes of UTF-8 that a summary takes of a context, at the most.
SUMMARY_BYTES_MAX = 8 * KIB
# Each of columns, statistics and preview gets this share at the most, and what the path leaves of it.
_PART_BYTES_MAX = 2 * KIB
# Bytes of what is told besides these three and the path.
_REST_BYTES_MAX = 3 * KIB // 2
_PATH_BYTES_MAX = 4 * KIB
_NAME_CHARACTERS = 100
_NOTES_MAX = 5


@dataclass(frozen=True)
class MaterializedResult:
    """Where the rows are and what they are like, never the rows.

    ``path`` is the key in the workspace, the path in a local folder, or the agent's path. ``stats`` has min, max, mean,
    count, nans and nulls of each column with numbers. ``truncated`` says that rows are missing because of the budget.
    ``files_update`` is what a deepagents backend wants applied to the graph's state, if anything. ``reference`` is
    there when the file was registered. ``bytes`` is the file's size; ``notes`` tell what was changed on the way.
    """

    path: str
    fmt: str
    row_count: int
    columns: list[str]
    preview: list[dict[str, Any]]
    stats: dict[str, dict[str, Any]]
    files_update: dict[str, Any] | None = None
    truncated: bool = False
    reference: ReferenceModel | None = None
    bytes: int = 0
    notes: list[str] = field(default_factory=list)

    def to_summary(self) -> str:
        """The text for the agent, at most 8 KiB: what lies where, columns, numbers, the first rows, what to do next.

        No line of it is what somebody else wrote: a name that does not look like one word stands in quotes, as JSON.
        """
        return in_lines(line for line in self._lines() if line)

    def _lines(self) -> Iterable[str]:
        path = within(legible(self.path), _PATH_BYTES_MAX)
        part = min(_PART_BYTES_MAX, (SUMMARY_BYTES_MAX - _REST_BYTES_MAX - len(path.encode())) // 3)
        registered = f" Registered as {self.reference.artifact_id}." if self.reference else ""
        yield f"{self.row_count:,} rows saved to {path} ({self.fmt}, {self.bytes:,} bytes).{registered}"
        if self.truncated:
            yield "WARNING: the file is INCOMPLETE: its budget of bytes was used up and rows are missing."
        yield "Columns: " + listed([_named(name) for name in self.columns], ", ", part)
        if self.stats:
            numbers = [_numbers(name, stats) for name, stats in self.stats.items()]
            yield "Numbers: " + listed(numbers, "; ", part)
        if self.preview:
            yield from self._shown(part)
        yield listed([legible(note) for note in self.notes[:_NOTES_MAX]], " ", KIB)
        yield self._next()

    def _shown(self, max_bytes: int) -> Iterable[str]:
        rows = [legible(json.dumps(row, ensure_ascii=False)) for row in self.preview]
        fitting: list[str] = []
        for row in rows:
            if sum(len(each.encode()) + 1 for each in [*fitting, row]) > max_bytes:
                break
            fitting.append(row)
        if fitting:
            yield f"First {len(fitting)} of {self.row_count:,} rows:"
            yield from fitting
        else:
            yield "The rows are too wide to show one here."

    def _next(self) -> str:
        if self.truncated:
            return "Next: refine or aggregate the query so that all of it fits, or raise the budget, and save it again."
        if self.reference:
            return "Next: read pages or columns of it by its id, or pass the reference on; do not fetch the rows again."
        return "Next: open the file at its path, or refine or aggregate the query if you need less of it."

    def to_json(self) -> dict[str, Any]:
        """The same facts as JSON, with ``reference`` as its own and numbers that JSON lacks as texts."""
        stats = {
            name: {key: preview_cell(value) for key, value in numbers.items()} for name, numbers in self.stats.items()
        }
        return {
            "path": self.path,
            "fmt": self.fmt,
            "row_count": self.row_count,
            "columns": list(self.columns),
            "preview": self.preview,
            "stats": stats,
            "truncated": self.truncated,
            "bytes": self.bytes,
            "notes": list(self.notes),
            **({"reference": self.reference.model_dump(exclude_none=True)} if self.reference else {}),
        }


def listed(items: Sequence[str], separator: str, max_bytes: int) -> str:
    """As many as fit, and how many more there are."""
    kept: list[str] = []
    size = 0
    for item in items:
        size += len((item + separator).encode())
        if size > max_bytes:
            break
        kept.append(item)
    more = len(items) - len(kept)
    return separator.join([*kept, f"… and {more:,} more"] if more else kept)


def within(text: str, max_bytes: int) -> str:
    """The text, or its beginning and a mark."""
    data = text.encode()
    if len(data) <= max_bytes:
        return text
    return data[: max_bytes - len(CUT_MARK.encode())].decode(errors="ignore") + CUT_MARK


def _named(name: str) -> str:
    return word(cut(name, _NAME_CHARACTERS))


def _numbers(name: str, stats: Mapping[str, Any]) -> str:
    parts = [f"{key}={_number(stats[key])}" for key in ("min", "max", "mean")]
    missing = [f"{stats[key]:,} {key}" for key in ("nans", "nulls") if stats[key]]
    return f"{_named(name)}: {', '.join([*parts, *missing])}"


def _number(value: int | float | Decimal | None) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, float):
        return f"{value:.6g}"
    return cut(digits(value) if isinstance(value, int) else str(value), 40)
