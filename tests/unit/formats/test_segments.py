"""What reading the rows costs: requests and bytes, counted."""

from __future__ import annotations

import random
import threading
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from session_datasets.domain.profile import Format, Layout, Role, Shape
from session_datasets.formats.layout import segments
from session_datasets.formats.layout.directory import Directories, Directory, stored
from session_datasets.formats.layout.in_order import InOrder
from session_datasets.formats.layout.laying_out import lay_out
from session_datasets.formats.layout.ranged_file import GAP_BYTES, coalesced
from session_datasets.formats.layout.segments import SEGMENT_BYTES, SEGMENT_ROWS_MAX, Segments, SegmentWriter
from session_datasets.formats.stream import NoTable, TableStream
from session_datasets.formats.values.cells import CellRules
from session_datasets.formats.values.row_sizes import rows_without_columns
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet
from tests.support.ranges import MemoryWriter

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
    assert [row[0] for row in page.rows or ()] == list(range(offset, offset + 100))
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


def test_many_segments_are_fetched_in_few_requests(large: LaidOut, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "_FETCH_BYTES", 1_000_000)
    size = directory_of(large).byte_ends[-1]
    large.reader.requests.clear()
    rows = Segments(large.reader, large.layout, Directories()).read([3, 0], 0, ROWS)
    assert next(rows).schema.names == ["word", "id"]
    assert len(large.reader.requests) == 1
    list(rows)
    assert large.reader.cost.bytes_read == size
    assert len(large.reader.requests) <= size // (1_000_000 - SEGMENT_BYTES * 2) + 1


@pytest.mark.parametrize("rows", [10_000, 100_000, 1_000_000])
def test_the_cost_of_a_page_does_not_grow_with_the_rows(rows: int) -> None:
    source = np.random.default_rng(rows)
    dataset = laid_out(parquet({"n": np.arange(rows), "x": source.random(rows), "k": source.integers(0, 999, rows)}))
    for offset in (0, rows // 2 + 7, rows - 100):
        dataset.page(0, 1)
        dataset.reader.requests.clear()
        page = dataset.page(offset, 100)
        assert [cells[0] for cells in page.rows or ()] == [*range(offset, offset + 100)]
        assert page.cost.s3_requests == 1
        assert page.cost.bytes_read < 256_000


def test_all_segments_but_the_last_have_as_many_rows(large: LaidOut) -> None:
    ends = directory_of(large).row_ends
    assert len({end - begin for begin, end in pairwise([0, *ends[:-1]])}) == 1


def test_a_segment_that_would_be_much_larger_than_aimed_at_is_halved() -> None:
    source = random.Random(3)
    texts = ["x"] * 60_000 + [source.randbytes(1_000).hex() for _ in range(600)]
    directory = directory_of(laid_out(parquet({"t": texts}), "rows.parquet"))
    sizes = [end - begin for begin, end in pairwise([0, *directory.byte_ends])]
    assert directory.row_ends[0] == SEGMENT_ROWS_MAX
    assert max(sizes) <= 2 * SEGMENT_BYTES
    assert directory.row_ends[-1] == 60_600


def test_one_huge_row_among_many_small_ones_is_paged() -> None:
    texts = [str(n) for n in range(1_000)]
    texts[700] = random.Random(3).randbytes(3_000_000).hex()
    dataset = laid_out(parquet({"n": range(1_000), "t": texts}), "rows.parquet")
    assert [cells[0] for cells in dataset.page(690, 10).rows or ()] == [*range(690, 700)]
    assert dataset.page(700, 1).clipped[0].characters == 6_000_000
    assert dataset.page(999, 1).rows == [[999, "999"]]


def test_a_table_without_rows_has_columns_and_an_empty_page() -> None:
    dataset = laid_out(parquet({"n": pa.array([], pa.int64()), "t": pa.array([], pa.string())}), "rows.parquet")
    assert dataset.types == {"n": "int64", "t": "string"}
    assert (dataset.page().rows, dataset.page().total) == ([], 0)
    assert dict(dataset.layout.objects).keys() == {Role.ROWS}


def test_a_table_without_columns_has_its_rows() -> None:
    writer = MemoryWriter()
    batches = iter([rows_without_columns(3), rows_without_columns(4)])
    table = lay_out(TableStream(Format.ARROW, pa.schema([]), batches), writer)
    assert table.profile is not None
    assert (table.profile.shape, table.layout_parameters["rows"]) == (Shape(rows=7, columns=0), 7)


def test_a_few_of_ten_thousand_columns_are_read() -> None:
    wide = pa.table({f"c{place}": [place, place + 1] for place in range(10_000)})
    writer = MemoryWriter()
    sink = writer.sink(Role.ROWS)
    with InOrder() as encoder:
        segment_writer = SegmentWriter(sink, wide.schema, encoder)
        segment_writer.write(wide.to_batches()[0])
        segment_writer.close()
    rules = [CellRules(pa.int64())] * 10_000
    directory = Directory.of(wide.schema, rules, segment_writer.segment_rows, segment_writer.segment_bytes, {})
    layout = Layout("segments", writer.commit(), {"rows": 2, **stored(directory, sink)})
    read = Segments(writer.reader(), layout, Directories()).read([9_999, 0], 1, 2)
    assert [batch.to_pydict() for batch in read] == [{"c9999": [10_000], "c0": [1]}]


def test_a_type_that_has_no_form_in_parquet_is_told_by_its_column() -> None:
    schema = pa.schema([("n", pa.int64()), ("gap", pa.month_day_nano_interval())])
    with pytest.raises(NoTable) as told:
        lay_out(TableStream(Format.ARROW, schema, iter([])), MemoryWriter())
    assert told.value.note == (
        "Column 'gap' is month_day_nano_interval, which can not be laid out as pages. "
        "The file can be listed and loaded."
    )


def test_types_that_parquet_lacks_come_back_as_they_were() -> None:
    table = pa.table(
        {
            "t": pa.array(["a", None], pa.large_string()),
            "s": pa.array([1, None], pa.timestamp("s")),
            "z": pa.array([1, None], pa.timestamp("us", "Asia/Tokyo")),
            "d": pa.array([1, None], pa.duration("ns")),
            "f": pa.array([[1, 2], None], pa.list_(pa.int8(), 2)),
            "l": pa.array([[1, 2], None], pa.large_list(pa.int8())),
            "h": pa.array([1.5, None], pa.float16()),
            "m": pa.array([1, None], pa.time32("s")),
            "e": pa.array([86_400_000, None], pa.date64()),
        }
    )
    writer = MemoryWriter()
    laid = lay_out(TableStream(Format.ARROW, table.schema, iter(table.to_batches())), writer)
    layout = Layout("segments", writer.commit(), laid.layout_parameters)
    read = Segments(writer.reader(), layout, Directories()).read(range(table.num_columns), 0, 2)
    assert pa.Table.from_batches(read).equals(table)


def test_a_failing_sink_fails_the_laying_out_and_leaves_no_thread() -> None:
    class Full:
        def write(self, data: bytes | memoryview) -> int:
            raise OSError("full")

        def tell(self) -> int:
            return 0

    class FullWriter:
        def sink(self, role: Role) -> Full:
            return Full()

    table = pa.table({"x": [random.Random(3).random()] * 200_000})
    before = threading.active_count()
    with pytest.raises(OSError, match="full"):
        lay_out(TableStream(Format.ARROW, table.schema, iter(table.to_batches())), FullWriter())
    assert threading.active_count() == before


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
    assert [len(row[0]) for row in dataset.page(1, 1).rows or ()] == [1]


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
