"""A profile cut to a budget of JSON bytes, so that no column count or name length breaks a record or a reply."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace

from session_datasets.domain.profile import Profile


def json_bytes(value: object) -> int:
    """Bytes of compact JSON with everything beyond ASCII escaped: an upper bound of what any encoder sends."""
    return len(json.dumps(value, separators=(",", ":")))


def bounded_profile(profile: Profile, max_bytes: int) -> Profile:
    """The profile with as many leading columns as fit ``max_bytes``; itself when all do.

    Where not even the shape and ``reading`` fit, ``reading`` is left out with all the columns.
    """
    bare = profile.first_columns(0)
    size = json_bytes(asdict(bare))
    if size > max_bytes:
        return replace(bare, reading={})
    # Every column adds the same bytes whatever stands before it, but for the first, which needs no commas.
    size -= len(str(bare.columns_omitted)) + _commas(profile)
    for count, added in enumerate(_added_bytes(profile), start=1):
        size += added
        if size + len(str(bare.columns_omitted - count)) > max_bytes:
            return profile.first_columns(count - 1)
    return profile


def _commas(profile: Profile) -> int:
    """Commas before a column in the lists of columns and of statistics, and in each row of the preview."""
    return 2 + len(profile.preview.rows)


def _added_bytes(profile: Profile) -> Iterator[int]:
    """What each column adds to the JSON of a profile; measured when asked for."""
    for place, (column, known) in enumerate(zip(profile.columns, profile.statistics, strict=True)):
        cells = sum(json_bytes(row[place]) for row in profile.preview.rows)
        yield json_bytes(asdict(column)) + json_bytes(asdict(known)) + cells + _commas(profile)
