"""One column of everything costs one request per million rows and its own bytes."""

from __future__ import annotations

import gc
import io
import threading
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from session_datasets.domain.profile import DerivedObject, Layout, Role
from session_datasets.formats.layout import columns
from session_datasets.formats.layout.columns import COLUMNS_ROWS_MIN, GROUP_ROWS_MAX, Columns, ColumnsWriter, Footers
from session_datasets.formats.layout.directory import Directory
from session_datasets.formats.layout.encodings import chosen
from session_datasets.formats.layout.in_order import InOrder
from session_datasets.formats.values.cells import CellRules
from tests.support.laid_out import laid_out
from tests.support.odd_files import parquet
from tests.support.ranges import MemoryReader


class Written:
    """The columns object of ``table``, written in batches of ``batch_rows``."""

    def __init__(self, table: pa.Table, batch_rows: int = 65_536) -> None:
        self.table = table
        sink = io.BytesIO()
        encodings = chosen(table.slice(0, 10_000), 10_000)
        with InOrder() as encoder, ColumnsWriter(lambda: sink, table.schema, encoder) as writer:
            for batch in table.to_batches(max_chunksize=batch_rows):
                writer.write(batch, encodings)
            more = writer.close(encodings)
        self.body = sink.getvalue()
        rules = [CellRules(type_) for type_ in table.schema.types]
        self.directory = Directory.of(table.schema, rules, [table.num_rows], [1], more)
        self.reader = MemoryReader({Role.COLUMNS: self.body})
        self.layout = Layout("segments", {Role.COLUMNS: DerivedObject("columns", "1", len(self.body))}, {})
        self.footers = Footers()

    def columns(self) -> Columns:
        return Columns(self.reader, self.layout, self.directory, self.footers)

    def read(self, places: list[int], begin: int, end: int) -> pa.Table:
        return pa.Table.from_batches(self.columns().read(places, begin, end), self.directory.schema_of(places))


@pytest.fixture
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "GROUP_ROWS_MAX", 100)
    monkeypatch.setattr(columns, "COLUMNS_ROWS_MIN", 10)


NESTED = [{"x": n, "y": [str(n)] * (n % 3), "m": [(str(n), n % 9)]} for n in range(1_000)]
NESTED_TYPE = pa.struct({"x": pa.int64(), "y": pa.list_(pa.string()), "m": pa.map_(pa.string(), pa.int8())})
ODD = pa.table(
    [
        pa.array(range(1_000)),
        pa.array([{"b": n, "c": "x"} for n in range(1_000)]),
        pa.array([f"t{n % 7}" for n in range(1_000)]),
        pa.array(NESTED, NESTED_TYPE),
        pa.array([None if n % 3 else n / 7 for n in range(1_000)]),
        pa.array(range(1_000), pa.duration("ms")),
    ],
    names=["a.b", "a", "a.c", "list.element", "", "d"],
)  # fmt: skip


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize(
    ("begin", "end"), [(0, 1_000), (0, 1), (99, 101), (100, 200), (150, 151), (250, 777), (999, 1_000), (5, 5)]
)
@pytest.mark.parametrize("places", [[0], [3], [1, 0], [5, 3, 4, 2]], ids=str)
def test_any_window_of_any_columns_is_read_as_it_was(places: list[int], begin: int, end: int) -> None:
    written = Written(ODD, 70)
    expected = ODD.select(places).slice(begin, end - begin)
    found = written.read(places, begin, end)
    assert found.schema.types == expected.schema.types
    assert [column.to_pylist() for column in found.columns] == [column.to_pylist() for column in expected.columns]


@pytest.mark.usefixtures("small_groups")
def test_any_tool_reads_the_object_under_the_real_names() -> None:
    read = pq.ParquetFile(io.BytesIO(Written(ODD).body)).read()
    assert read.equals(ODD)


def test_one_column_costs_the_footer_once_and_a_request_per_million_rows_for_its_own_bytes() -> None:
    source = np.random.default_rng(5)
    rows = 2 * GROUP_ROWS_MAX
    written = Written(pa.table({"a": source.random(rows), "b": source.integers(0, 99, rows), "c": np.arange(rows)}))
    for place in (0, 1, 2):
        assert written.read([place], 0, rows).num_rows == rows
    footer, *chunks = written.reader.requests
    assert footer[1] + footer[2] == len(written.body)
    assert len(chunks) == 3 * 2
    metadata = pq.ParquetFile(io.BytesIO(written.body)).metadata
    sizes = [metadata.row_group(group).column(leaf).total_compressed_size for leaf in range(3) for group in range(2)]
    assert sum(length for _, _, length in chunks) <= 1.05 * sum(sizes)


def test_a_window_inside_one_row_group_costs_one_request() -> None:
    written = Written(pa.table({"a": np.arange(200_000), "b": np.random.default_rng(5).random(200_000)}))
    assert written.read([1], 150_000, 150_010).num_rows == 10
    assert len(written.reader.requests) == 2


def test_many_row_groups_are_fetched_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "GROUP_ROWS_MAX", 10_000)
    monkeypatch.setattr(columns, "_FETCH_BYTES", 200_000)
    source = np.random.default_rng(5)
    written = Written(pa.table({"a": source.random(100_000), "b": [source.bytes(40) for _ in range(100_000)]}))
    rows = written.columns().read([0], 0, 100_000)
    first = next(rows).num_rows
    assert 1 <= len(written.reader.requests) - 1 <= 3
    assert first + sum(batch.num_rows for batch in rows) == 100_000
    assert len(written.reader.requests) - 1 == 10


@pytest.mark.parametrize(("rows", "there"), [(COLUMNS_ROWS_MIN, False), (COLUMNS_ROWS_MIN + 1, True)])
def test_a_dataset_has_columns_beyond_the_bound(rows: int, there: bool) -> None:
    dataset = laid_out(parquet({"n": np.arange(rows)}), "rows.parquet")
    assert (Role.COLUMNS in dataset.layout.objects) is there
    directory = dataset.tables._directories.of(dataset.reader, dataset.layout)
    assert Columns.there(directory) is there


def test_the_columns_of_a_laid_out_dataset_are_read_by_its_layout() -> None:
    dataset = laid_out(parquet({"n": np.arange(70_000), "t": ["x", "y"] * 35_000}), "rows.parquet")
    directory = dataset.tables._directories.of(dataset.reader, dataset.layout)
    found = Columns(dataset.reader, dataset.layout, directory, Footers()).read([1, 0], 69_997, 70_000)
    assert [batch.to_pydict() for batch in found] == [{"t": ["y", "x", "y"], "n": [69_997, 69_998, 69_999]}]


def test_wide_rows_fill_a_row_group_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "_GROUP_BYTES_MAX_OF_WIDE_ROWS", 1_000_000)
    written = Written(pa.table({"t": [f"{n:04}" * 1_000 for n in range(1_000)]}), 10)
    metadata = pq.ParquetFile(io.BytesIO(written.body)).metadata
    assert metadata.num_row_groups == 4
    assert written.read([0], 0, 1_000).equals(written.table)


def test_a_sink_that_fails_fails_the_writing_and_leaves_no_thread() -> None:
    class Full:
        def write(self, data: Any) -> int:
            raise OSError("full")

        def tell(self) -> int:
            return 0

    table = pa.table({"n": np.arange(COLUMNS_ROWS_MIN + 1)})
    before = threading.active_count()

    def write() -> None:
        encodings = chosen(table.slice(0, 100), 100)
        with InOrder() as encoder, ColumnsWriter(Full, table.schema, encoder) as writer:
            writer.write(table.to_batches()[0], encodings)
            writer.close(encodings)

    with pytest.raises(OSError, match="full"):
        write()
    assert threading.active_count() == before


def test_a_file_that_was_not_finished_writes_nothing_once_it_is_given_up() -> None:
    table = pa.table({"n": np.arange(2 * COLUMNS_ROWS_MIN)})
    sink = io.BytesIO()

    def write() -> None:
        encodings = chosen(table.slice(0, 100), 100)
        with InOrder() as encoder, ColumnsWriter(lambda: sink, table.schema, encoder) as writer:
            writer._gather(table.to_batches()[0])
            writer._flush(encodings)
            writer._wait()
            raise KeyError

    with pytest.raises(KeyError):
        write()
    gc.collect()
    assert sink.getvalue()[:4] == b"PAR1"
    assert sink.getvalue()[-4:] != b"PAR1"
