"""Moments of a page at the ends of what Arrow holds."""

from __future__ import annotations

import pyarrow as pa
import pytest

from session_datasets.client.times import times


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1677-09-21T00:12:43.145224193", -(2**63) + 1),
        ("1677-09-21T00:12:43.999999999", -9_223_372_036_000_000_001),
        ("2262-04-11T23:47:16.854775807", 2**63 - 1),
    ],
)
def test_the_first_and_the_last_second_that_nanoseconds_hold_are_read(text: str, count: int) -> None:
    assert times([text, None], pa.timestamp("ns")).cast(pa.int64()).to_pylist() == [count, None]
