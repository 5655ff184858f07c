"""What reading the rows costs: requests and bytes, counted."""

from __future__ import annotations

import random
from itertools import pairwise

import pyarrow as pa
import pytest

from session_datasets.formats import segments
from session_datasets.formats.directory import Directories
from session_datasets.formats.ranged_file import GAP_BYTES, coalesced
from session_datasets.formats.segments import SEGMENT_BYTES, SEGMENT_ROWS_MAX
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet

ROWS = 120_000


@pytest.fixture(scope="module")
def large() -> LaidOut:
    """Some megabytes of rows that do not compress well."""
    source = random.Random(7)
    table = pa.table(
        {
            "id": range(ROWS),
            "x": [source.random() for _ in range(ROWS)],
            "y": [source.random() for _ in range(ROWS)],
            "word": [f"{source.getrandbits(40):x}" for _ in range(ROWS)],
        }
    )
    return laid_out(parquet(table), "rows.parquet")


def test_the_first_page_costs_the_footer_and_one_request(large: LaidOut) -> None:
    large.tables._directories = Directories()
    large.reader.requests.clear()
    page = large.page(ROWS // 2, 100)
    assert (page.cost.s3_requests, len(large.reader.requests)) == (2, 2)
    assert large.reader.requests[0] == (
        large.layout.parameters["footer_offset"], large.layout.parameters["footer_bytes"],
    )  # fmt: skip


@pytest.mark.parametrize("offset", [0, 1, 54_321, ROWS - 100])
def test_a_page_anywhere_costs_one_request_and_a_small_part_of_the_file(large: LaidOut, offset: int) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    page = large.page(offset, 100)
    assert [row[0] for row in page.rows] == list(range(offset, offset + 100))
    assert page.cost.s3_requests == 1
    assert page.cost.bytes_read < 3 * SEGMENT_BYTES < large.reader.size / 4


def test_an_empty_page_reads_no_rows(large: LaidOut) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    assert large.page(ROWS, 100).cost.s3_requests == 0


def test_one_column_of_a_page_reads_its_own_bytes_only(large: LaidOut) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    narrow = large.page(54_321, 100, columns=["x"]).cost.bytes_read
    large.reader.requests.clear()
    whole = large.page(54_321, 100).cost.bytes_read
    assert 0 < narrow < whole / 2


def test_a_byte_budget_stops_the_fetching(large: LaidOut) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    assert large.page(0, 10_000, max_bytes=2_000).returned < 100
    assert large.reader.cost.bytes_read < segments._FETCH_BYTES


def test_many_row_groups_are_fetched_in_few_requests(large: LaidOut) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    series = large.series(["id", "x", "y"], max_points=1_000)
    assert series.cost.bytes_read < large.reader.size
    assert series.cost.s3_requests <= large.reader.size // segments._FETCH_BYTES + 2


def test_row_groups_are_worth_about_the_aimed_bytes(large: LaidOut) -> None:
    groups = large.tables._directories.of(large.reader, large.layout).metadata.num_row_groups
    assert 0.5 * SEGMENT_BYTES < large.reader.size / groups < 2 * SEGMENT_BYTES


def test_no_row_group_has_more_rows_than_the_bound() -> None:
    dataset = laid_out(parquet({"n": [1] * 100_000}), "rows.parquet")
    begins = dataset.tables._directories.of(dataset.reader, dataset.layout).begins
    assert max(end - begin for begin, end in pairwise(begins)) <= SEGMENT_ROWS_MAX
    assert begins[-1] == 100_000


def test_huge_cells_get_row_groups_of_their_own() -> None:
    dataset = laid_out(parquet({"t": ["x" * 20_000_000, "y", "z" * 20_000_000]}), "rows.parquet")
    footer = dataset.tables._directories.of(dataset.reader, dataset.layout)
    assert footer.metadata.num_row_groups >= 2
    assert [len(row[0]) for row in dataset.page(1, 1).rows] == [1]


def test_directories_beyond_the_bound_are_forgotten_least_recently_used_first() -> None:
    one, two = laid_out("a,b\n1,2\n"), laid_out("a,b\n3,4\n")
    size = one.layout.parameters["footer_bytes"]
    footers = Directories(bytes_max=int(size) + 1)
    object.__setattr__(two.layout, "key", "another")
    for dataset in (one, two, two, one):
        footers.of(dataset.reader, dataset.layout)
    assert (len(one.reader.requests), len(two.reader.requests)) == (2, 1)


def test_another_version_of_an_object_has_a_footer_of_its_own() -> None:
    one, two = laid_out("a,b\n1,2\n"), laid_out("c,b\n3,4\n")
    footers = Directories()
    object.__setattr__(two.layout, "version_id", "2")
    names = [footers.of(dataset.reader, dataset.layout).columns[0].name for dataset in (one, two)]
    assert names == ["a", "c"]


@pytest.mark.parametrize(
    ("ranges", "merged"),
    [
        ([], []),
        ([(0, 10), (10, 20)], [(0, 20)]),
        ([(10, 20), (0, 5)], [(0, 20)]),
        ([(0, 10), (10 + GAP_BYTES, 20 + GAP_BYTES)], [(0, 20 + GAP_BYTES)]),
        ([(0, 10), (11 + GAP_BYTES, 20 + GAP_BYTES)], [(0, 10), (11 + GAP_BYTES, 20 + GAP_BYTES)]),
        ([(0, 100), (10, 20)], [(0, 100)]),
    ],
)
def test_ranges_near_each_other_become_one(ranges: list[tuple[int, int]], merged: list[tuple[int, int]]) -> None:
    assert coalesced(ranges) == merged
