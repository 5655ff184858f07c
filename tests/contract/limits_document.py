"""docs/limits.md, written from the limits themselves: name, value, reason.

``python -m tests.contract.limits_document`` writes it anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from session_datasets.domain import limits

_HEAD = """# Limits

Every number that bounds the service, as `domain/limits.py` holds it. A request beyond one is refused with the allowed
range; a page that reaches one shrinks and says so; a file beyond one registers, lists and loads, and says that it does
not page.
"""
_UNITS = ("KIB", "MIB", "GIB")
_PATH = Path(__file__).parents[2] / "docs" / "limits.md"


def document() -> str:
    lines = [_HEAD]
    for section, rows in _sections():
        lines += [f"## {section}", "", "| limit | value | why |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {getattr(limits, name):,} | {reason} |" for name, reason in rows]
        lines.append("")
    return "\n".join(lines)


def _sections() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Title, and (name, reason) of each constant in it; a reason is the comment above the constant."""
    title, rows, comment = "", [], []
    for line in Path(limits.__file__).read_text().splitlines():
        if found := re.match(r"# --- (.*?) -+$", line):
            if rows:
                yield title, rows
            title, rows, comment = found[1][0].upper() + found[1][1:], [], []
        elif line.startswith("# "):
            comment.append(line[2:])
        elif (found := re.match(r"([A-Z0-9_]+) = ", line)) and found[1] not in _UNITS:
            rows.append((found[1], " ".join(comment)))
            comment = []
    yield title, rows


if __name__ == "__main__":
    _PATH.write_text(document())
