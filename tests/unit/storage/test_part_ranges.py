from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from session_datasets.domain.limits import UPLOAD_BYTES_MAX, UPLOAD_PART_BYTES, UPLOAD_PART_BYTES_MAX, UPLOAD_PARTS_MAX
from session_datasets.storage.workspace_files import part_ranges


@given(st.integers(min_value=1, max_value=UPLOAD_BYTES_MAX))
def test_the_parts_cover_the_file_once_in_order(size: int) -> None:
    end = 0
    for number, (part, offset, length) in enumerate(part_ranges(size), start=1):
        assert (part, offset) == (number, end)
        end = offset + length
    assert end == size


@given(st.integers(min_value=1, max_value=UPLOAD_BYTES_MAX))
def test_the_parts_keep_s3s_bounds(size: int) -> None:
    ranges = part_ranges(size)
    assert len(ranges) <= UPLOAD_PARTS_MAX
    assert all(length <= UPLOAD_PART_BYTES_MAX for _, _, length in ranges)


def test_one_byte_above_a_part_makes_two() -> None:
    assert part_ranges(UPLOAD_PART_BYTES + 1)[-1] == (2, UPLOAD_PART_BYTES, 1)
