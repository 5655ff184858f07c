"""What a file unpacks to is found out before memory is taken for it. Memory is counted in bytes asked of Arrow."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from session_datasets.boundary import references
from session_datasets.boundary.references import FolderStore
from session_datasets.boundary.references.errors import HydrateBudgetError, UnreadableReferenceError
from tests.unit.boundary.references.files import forged

BUDGET = 1_000_000
# Arrow keeps what was allocated to the end of the process.
POOLS: list[Any] = []


@pytest.fixture
def pool() -> Iterator[Any]:
    """Counts what is asked of Arrow within a test."""
    before = pa.default_memory_pool()
    POOLS.append(pa.proxy_memory_pool(before))
    pa.set_memory_pool(POOLS[-1])
    yield POOLS[-1]
    pa.set_memory_pool(before)


def parquet_of(table: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd", use_compliant_nested_type=False, **options)
    return sink.getvalue()


def arrow_of(table: Any, compression: str | None) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def reference_to(data: bytes, format: str, store: FolderStore, folder: Path) -> Any:
    reference = references.save(pa.table({"a": [1]}), store)
    reference["$dataset"].pop("shape")
    return forged(reference, data, folder, format=format)


TEXT = "x" * 10_000
LIST = ["y" * 1_000] * 50
# Small files of 16 MB and more.
LARGE: dict[str, bytes] = {
    "one text": parquet_of(pa.table({"a": [TEXT] * 2_000})),
    "few texts": parquet_of(pa.table({"a": ["a" + TEXT, "b", "c" + TEXT] * 1_000})),
    "bytes": parquet_of(pa.table({"a": [TEXT.encode()] * 2_000})),
    "lists of texts": parquet_of(pa.table({"a": [LIST] * 400})),
    "texts in structs": parquet_of(pa.table({"a": [{"b": TEXT, "c": [TEXT]}] * 1_000})),
    "one row of texts": parquet_of(pa.table({"a": [LIST * 400]})),
    "spelled texts": parquet_of(pa.table({"a": [TEXT] * 2_000}), use_dictionary=False),
    "one spelled text": parquet_of(pa.table({"a": [TEXT * 2_000]}), use_dictionary=False),
    "texts by prefix": parquet_of(
        pa.table({"a": [TEXT] * 2_000}), use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"}
    ),
    "numbers": parquet_of(pa.table({"a": pa.array([0] * 2_500_000, pa.int64())})),
    "pages of version 2": parquet_of(pa.table({"a": pa.array([0] * 2_500_000, pa.int64())}), data_page_version="2.0"),
    "one row of numbers": parquet_of(pa.table({"a": pa.array([[0] * 5_000_000], pa.list_(pa.int32()))})),
    "fixed width": parquet_of(pa.table({"a": pa.array([TEXT.encode()] * 2_000, pa.binary(10_000))})),
    "truths": parquet_of(pa.table({f"a{at}": [True] * 9_000_000 for at in range(15)})),
    "missing numbers": parquet_of(pa.table({"a": pa.array([None] * 2_500_000, pa.int64())})),
    "columns": parquet_of(pa.table({f"a{at}": [str(at) * 200_000] for at in range(100)})),
    "groups of rows": parquet_of(pa.table({"a": [0] * 2_500_000}), row_group_size=100_000),
}


@pytest.mark.parametrize("data", LARGE.values(), ids=LARGE.keys())
def test_a_small_parquet_file_of_much_takes_no_memory(data: bytes, pool: Any, store: FolderStore, folder: Path) -> None:
    assert len(data) < BUDGET
    reference = reference_to(data, "parquet", store, folder)
    with pytest.raises((HydrateBudgetError, UnreadableReferenceError)):
        references.load(reference, store, max_bytes=BUDGET)
    assert pool.max_memory() < 4 * BUDGET


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("kind", ["plain", "dictionary"])
def test_an_arrow_file_with_compressed_buffers_is_refused_unread(
    compression: str, kind: str, pool: Any, store: FolderStore, folder: Path
) -> None:
    column: Any = pa.array([0] * 2_500_000, pa.int64())
    if kind == "dictionary":
        column = pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array([TEXT * 2_000]))
    data = arrow_of(pa.table({"a": column}), compression)
    asked = pool.bytes_allocated()
    reference = reference_to(data, "arrow", store, folder)
    before = pool.max_memory()
    with pytest.raises(UnreadableReferenceError, match="compressed"):
        references.load(reference, store, max_bytes=BUDGET)
    assert pool.max_memory() == before
    assert asked <= before


def test_cells_that_take_no_bytes_count_as_one_each(store: FolderStore, folder: Path) -> None:
    data = arrow_of(pa.table({"a": pa.nulls(BUDGET + 1)}), None)
    reference = reference_to(data, "arrow", store, folder)
    with pytest.raises(HydrateBudgetError):
        references.load(reference, store, max_bytes=BUDGET)
    assert references.load(reference, store, max_bytes=BUDGET + 1).num_rows == BUDGET + 1


ROWS = 20_000
FITTING: dict[str, Any] = {
    "texts": pa.array([f"text {number}" for number in range(ROWS)]),
    "one long text among short ones": pa.array(["z" * 50_000] + [f"text {number}" for number in range(ROWS)]),
    "a repeated text": pa.array(["north" * 100] * ROWS, pa.large_string()),
    "bytes": pa.array([b"b", b"c" * 9_000] * 200 + [b""] * ROWS, pa.large_binary()),
    "lists": pa.array([["z" * 50_000], [], None] + [["x", str(number)] for number in range(ROWS)]),
    "lists that are empty": pa.array([[] for _ in range(ROWS)], pa.list_(pa.int64())),
    "structs": pa.array([{"a": "z" * 50_000, "b": [TEXT, None]}, None] * 5 + [{"a": "x", "b": []}] * ROWS),
    "small numbers": pa.array([number % 7 for number in range(ROWS)], pa.int8()),
    "numbers": pa.array(range(ROWS), pa.int64()),
    "nothing": pa.nulls(ROWS),
    "missing numbers": pa.array([None, 1] * ROWS, pa.float32()),
    "truths": pa.array([True, None] * ROWS),
    "decimals": pa.array([None, 1] * ROWS, pa.decimal128(30, 2)),
    "halves": pa.array([1.5, None] * ROWS, pa.float16()),
    "fixed width": pa.array([b"x" * 100, None] * ROWS, pa.binary(100)),
}


@pytest.mark.parametrize("column", FITTING.values(), ids=FITTING.keys())
def test_what_just_fits_is_brought_back_whole(column: Any, store: FolderStore) -> None:
    table = pa.table({"a": column, "b": column})
    reference = references.save(table, store)
    assert reference["$dataset"]["format"] == "parquet"
    size = max(references.load(reference, store).nbytes, table.num_rows * 2, reference["$dataset"]["bytes"])
    # A bit for each cell, whether it is there; a column that lacks none may do without.
    assert references.load(reference, store, max_bytes=size + table.num_rows).equals(table)


def test_texts_that_repeat_are_spelled_out_part_by_part(store: FolderStore, monkeypatch: pytest.MonkeyPatch) -> None:
    from session_datasets.boundary.references.frames import parquet_files

    monkeypatch.setattr(parquet_files, "_SPELLED_AT_ONCE", 100_000)
    cells = ["x" * 50_000, *map(str, range(1_000))]
    table = pa.table(
        {
            "text": pa.array(cells),
            "lists": pa.array([[each] for each in cells]),
            "bytes": pa.array(cells, pa.binary()),
            "views": pa.array(cells, pa.string_view()),
            "structs": pa.array([{"a": [each], "b": each} for each in cells]),
        }
    )
    reference = references.save(table, store)
    assert references.load(reference, store, max_bytes=1_000_000).equals(table)


def test_columns_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    from session_datasets.boundary.references.frames import parquet_pages

    data = parquet_of(pa.table({"a": range(100)}))
    metadata = parquet.read_metadata(io.BytesIO(data))

    class Repeated:
        """A footer that has its one group of rows many times."""

        num_columns, schema, num_row_groups = 1, metadata.schema, 1_000

        def row_group(self, _: int) -> Any:
            return metadata.row_group(0)

    (tmp_path / "file").write_bytes(data)
    with (tmp_path / "file").open("rb") as file:
        assert parquet_pages.repeating_columns(metadata, file, 10_000) == []
        with pytest.raises(ValueError, match="more bytes than it has"):
            parquet_pages.repeating_columns(Repeated(), file, 10**9)
