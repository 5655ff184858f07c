"""What reading the rows costs: requests and bytes, counted."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pyarrow as pa
import pytest

from session_datasets.domain.profile import Layout, Role
from session_datasets.formats import segments
from session_datasets.formats.directory import Directories, Directory
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


def directory_of(dataset: LaidOut) -> Directory:
    return Directories().of(dataset.reader, dataset.layout)


def behind_the_rows(dataset: LaidOut) -> None:
    """As if the directory had been too large for the record."""
    directory = directory_of(dataset)
    packed, rows = directory.packed(), dataset.reader.bodies[Role.ROWS]
    dataset.reader.bodies = {**dataset.reader.bodies, Role.ROWS: rows + packed}
    place = {"rows": dataset.layout.parameters["rows"], "directory_offset": len(rows), "directory_bytes": len(packed)}
    dataset.layout = Layout(dataset.layout.name, dataset.layout.objects, place)


def test_the_first_page_needs_no_request_for_a_directory_in_the_record(large: LaidOut) -> None:
    large.tables._directories = Directories()
    large.reader.requests.clear()
    assert large.page(ROWS // 2, 100).cost.s3_requests == 1


def test_a_directory_behind_the_rows_costs_one_request_per_process() -> None:
    dataset = laid_out("a,b\n1,2\n")
    behind_the_rows(dataset)
    parameters = dataset.layout.parameters
    dataset.page()
    dataset.page()
    assert [offset for _, offset, _ in dataset.reader.requests] == [parameters["directory_offset"], 0, 0]
    assert dataset.reader.requests[0][2] == parameters["directory_bytes"]


@pytest.mark.parametrize("offset", [0, 1, 54_321, ROWS - 100])
def test_a_page_anywhere_costs_one_request_and_a_small_part_of_the_file(large: LaidOut, offset: int) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    page = large.page(offset, 100)
    assert [row[0] for row in page.rows] == list(range(offset, offset + 100))
    assert page.cost.s3_requests == 1
    assert page.cost.bytes_read < 3 * SEGMENT_BYTES


def test_an_empty_page_reads_no_rows(large: LaidOut) -> None:
    large.page(0, 1)
    large.reader.requests.clear()
    assert large.page(ROWS, 100).cost.s3_requests == 0


def test_a_byte_budget_stops_the_fetching(large: LaidOut) -> None:
    large.reader.requests.clear()
    assert large.page(0, 10_000, max_bytes=2_000).returned < 100
    assert large.reader.cost.bytes_read < segments._FETCH_BYTES


def test_many_segments_are_fetched_in_few_requests(large: LaidOut) -> None:
    size = len(large.reader.bodies[Role.ROWS])
    large.reader.requests.clear()
    series = large.series(["id", "x", "y"], max_points=1_000)
    assert series.cost.bytes_read <= size
    assert series.cost.s3_requests <= size // segments._FETCH_BYTES + 2


def test_segments_are_worth_about_the_aimed_bytes(large: LaidOut) -> None:
    size = len(large.reader.bodies[Role.ROWS])
    assert 0.5 * SEGMENT_BYTES < size / len(directory_of(large).row_ends) < 2 * SEGMENT_BYTES


def test_no_segment_has_more_rows_than_the_bound() -> None:
    ends = directory_of(laid_out(parquet({"n": [1] * 100_000}), "rows.parquet")).row_ends
    assert max(end - begin for begin, end in pairwise([0, *ends])) <= SEGMENT_ROWS_MAX
    assert ends[-1] == 100_000


def test_huge_cells_get_segments_of_their_own() -> None:
    dataset = laid_out(parquet({"t": ["x" * 20_000_000, "y", "z" * 20_000_000]}), "rows.parquet")
    assert len(directory_of(dataset).row_ends) >= 2
    assert [len(row[0]) for row in dataset.page(1, 1).rows] == [1]


def test_directories_beyond_the_bound_are_forgotten_least_recently_used_first() -> None:
    one, two = laid_out("a,b\n1,2\n"), laid_out("a,b\n3,4\n")
    behind_the_rows(one)
    behind_the_rows(two)
    another = replace(two.layout.objects[Role.ROWS], key="another")
    two.layout = replace(two.layout, objects={Role.ROWS: another})
    held = Directories(bytes_max=int(one.layout.parameters["directory_bytes"]) + 1)
    for dataset in (one, two, two, one):
        held.of(dataset.reader, dataset.layout)
    assert (len(one.reader.requests), len(two.reader.requests)) == (2, 1)


def test_another_version_of_an_object_has_a_directory_of_its_own() -> None:
    one, two = laid_out("a,b\n1,2\n"), laid_out("c,b\n3,4\n")
    newer = replace(two.layout.objects[Role.ROWS], version_id="2")
    two.layout = replace(two.layout, objects={Role.ROWS: newer})
    held = Directories()
    assert [held.of(dataset.reader, dataset.layout).columns[0].name for dataset in (one, two)] == ["a", "c"]


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
