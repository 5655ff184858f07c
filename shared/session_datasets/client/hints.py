"""What a caller knows of a file's form, as it travels."""

from __future__ import annotations

from typing import Any

from session_datasets.domain.profile import ReadingHints


def hints_body(hints: ReadingHints | None) -> dict[str, Any] | None:
    """The hints that are given, as JSON; None for none. Whether they are good ones, the service says."""
    if hints is None:
        return None
    if isinstance(hints.nulls, str):
        # A text is a sequence, too: of its letters, each of which would mean no value.
        raise TypeError(f"nulls takes several texts: write ({hints.nulls!r},)")
    given = {
        "types": dict(hints.types),
        "nulls": list(hints.nulls),
        "delimiter": hints.delimiter,
        "encoding": hints.encoding,
        "sheet": hints.sheet,
    }
    return {name: value for name, value in given.items() if value not in (None, {}, [])} or None
