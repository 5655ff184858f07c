"""A profile cut to a budget of JSON bytes, so that no column count or name length breaks a record or a reply."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import asdict

from session_datasets.domain.profile import Profile

# JSON of a column without a name and of its statistics takes more than this.
_COLUMN_BYTES_MIN = 64


def json_bytes(value: object) -> int:
    """Bytes of compact JSON with everything beyond ASCII escaped: an upper bound of what any encoder sends."""
    return len(json.dumps(value, separators=(",", ":")))


def bounded_profile(profile: Profile, max_bytes: int) -> Profile:
    """The profile with as many leading columns as fit ``max_bytes``; itself when all do."""
    # The size grows with the number of columns, so the largest one that fits is found by halving; more than so many
    # fit in no case, and need not be measured.
    most = min(len(profile.columns), max_bytes // _COLUMN_BYTES_MIN)
    count = bisect_right(_Sizes(profile), max_bytes, hi=most + 1) - 1
    return profile if count == len(profile.columns) else profile.first_columns(count)


class _Sizes:
    """``sizes[count]`` is the JSON size with ``count`` columns; measured when asked for."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def __len__(self) -> int:
        return len(self._profile.columns) + 1

    def __getitem__(self, count: int) -> int:
        # With no column at all it always fits: the shape and the count of what was left out are all that is told.
        return json_bytes(asdict(self._profile.first_columns(count))) if count else 0
