"""A dataset in memory has exactly the types and values that were registered."""

from __future__ import annotations

import base64
import datetime as dt
import json
import random
import threading
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from session_datasets.client import tables
from session_datasets.client import workspace as workspace_module
from session_datasets.client.arrow_types import type_of
from session_datasets.client.cells import decoded
from session_datasets.client.errors import (
    IncompleteRowError,
    InvalidRequestError,
    UnexpectedAnswerError,
    UnwritableTableError,
)
from session_datasets.client.workspace import Workspace
from session_datasets.domain.page import PageFormat
from session_datasets.formats.values.cells import CellRules
from session_datasets.wire.answers import ReadRowsAnswer
from tests.support.moto_cloud import MotoCloud

TYPES: Sequence[pa.DataType] = (
    *(pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.bool_(), pa.null()),
    *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.binary(16)),
    *(pa.date32(), pa.date64(), pa.time32("ms"), pa.time64("ns"), pa.duration("us")),
    *(pa.timestamp("us"), pa.timestamp("ns", "UTC"), pa.timestamp("s", "Europe/Berlin")),
    *(pa.decimal128(38, 0), pa.decimal256(60, 3), pa.decimal64(12, 2), pa.decimal32(5, -1)),
    *(pa.list_(pa.int64()), pa.large_list(pa.string()), pa.list_(pa.float32(), 3), pa.map_(pa.string(), pa.int64())),
    pa.struct([]),
    pa.struct([pa.field("a, b: c", pa.int64(), nullable=False), pa.field("<d>", pa.list_(pa.string()))]),
    pa.list_(pa.struct([("x", pa.timestamp("us", "UTC")), ("y", pa.struct([("z", pa.decimal128(5, 2))]))])),
)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_the_spelling_of_a_type_reads_back_as_the_type(type_: pa.DataType) -> None:
    assert type_of(str(type_)) == type_


def test_an_unknown_type_is_an_error_that_names_the_way_out() -> None:
    with pytest.raises(UnexpectedAnswerError, match="load_artifact"):
        type_of("quaternion[float]")


VALUES = [
    pa.array([1, None, -(2**63), 2**63 - 1], pa.int64()),
    pa.array([0, 2**64 - 1, None], pa.uint64()),
    pa.array([1.0, None, 0.1, float("inf"), -0.0, 5e-324], pa.float64()),
    pa.array([0.1, None, -float("inf")], pa.float32()),
    pa.array([True, None, False]),
    pa.array(["", None, 'quote " and \n line', "\u0000", "é😀"]),
    pa.array([b"", None, b"\x00\xff"]),
    pa.array([Decimal("123456789012345678901234567890"), None], pa.decimal128(38, 0)),
    pa.array([Decimal("-0.10"), None], pa.decimal128(10, 2)),
    pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    pa.array([dt.datetime(1969, 12, 31, 23, 59, 59, 999999), None], pa.timestamp("us")),
    pa.array([1, None, -1], pa.int64()).cast(pa.timestamp("ns", "UTC")),
    pa.array([1_700_000_000, None]).cast(pa.timestamp("s", "Europe/Berlin")),
    pa.array([[1, None], None, []], pa.list_(pa.int64())),
    pa.array([[2**60], [1]], pa.large_list(pa.int64())),
    pa.array(
        [{"a": [{"b": "x"}], "c": None}, None],
        pa.struct([("a", pa.list_(pa.struct([("b", pa.string())]))), ("c", pa.date32())]),
    ),
    pa.array([None, None], pa.null()),
]


@pytest.mark.parametrize("values", VALUES, ids=lambda values: str(values.type))
def test_cells_of_a_page_decode_to_the_values_they_were_made_of(values: pa.Array) -> None:
    cells = json.loads(json.dumps(CellRules(values.type, exact=False, finite=False).encode(values), allow_nan=False))
    assert decoded(cells, values.type).equals(values)


def test_a_nan_decodes_to_a_nan() -> None:
    assert str(decoded(["NaN"], pa.float64())[0].as_py()) == "nan"


@pytest.fixture
def workspace(cloud: MotoCloud, tmp_path: Path) -> Workspace:
    return cloud.open(directory=tmp_path / "node")


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_csv_has_the_registered_types_also_where_a_late_row_decides(workspace: Workspace, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.csv", "zip,when,share\n" + "1,2024-02-29,0.5\n" * 300 + "007,2024-03-01,\n")
    registered = workspace.register_artifact(path)
    assert registered.profile is not None
    table = workspace.to_arrow(registered)
    assert [str(field.type) for field in table.schema] == [column.type for column in registered.profile.columns]
    assert table.slice(300).to_pylist() == [{"zip": "007", "when": dt.date(2024, 3, 1), "share": None}]


def test_integers_beyond_a_double_survive(workspace: Workspace, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.csv", "n,m\n9007199254740993,\n,x\n-1,\n")
    assert workspace.to_arrow(workspace.register_artifact(path))["n"].to_pylist() == [9007199254740993, None, -1]


def test_nested_json_lines_keep_their_structure(workspace: Workspace, tmp_path: Path) -> None:
    rows = [{"id": 1, "tags": ["a", None], "at": {"x": 0.5, "n": 2**63}}, {"id": 2, "tags": [], "at": None}]
    path = _written(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert workspace.to_arrow(workspace.register_artifact(path)).to_pylist() == rows


def test_a_dataset_without_rows_has_its_columns(workspace: Workspace, tmp_path: Path) -> None:
    path = _written(tmp_path / "a.csv", "a,b\n")
    table = workspace.to_arrow(workspace.register_artifact(path))
    assert (table.num_rows, table.column_names) == (0, ["a", "b"])


@pytest.mark.parametrize("format", ["json", "arrow"])
def test_rows_without_columns_are_counted_in_a_page(workspace: Workspace, tmp_path: Path, format: str) -> None:
    registered = workspace.register_artifact(_written(tmp_path / "a.json", "[{}, {}, {}]"))
    page = workspace.read_rows(registered, limit=2, format=PageFormat(format))
    assert tables.of_page(page).num_rows == 2


def test_rows_without_columns_are_counted_in_a_dataset(workspace: Workspace, tmp_path: Path) -> None:
    registered = workspace.register_artifact(_written(tmp_path / "a.json", "[{}, {}, {}]"))
    assert (workspace.to_arrow(registered).num_rows, workspace.to_pandas(registered).shape) == (3, (3, 0))


def test_a_name_with_a_nul_stays_whole(workspace: Workspace) -> None:
    table = pa.table({"a\0b": [1], "a\0c": [2]})
    assert workspace.to_arrow(workspace.register_artifact(table, name="t")).equals(table)


def test_columns_come_in_the_order_asked_for(workspace: Workspace) -> None:
    table = pa.table({"a": [1], "b": ["x"], "c": [None]})
    registered = workspace.register_artifact(table, name="t")
    assert workspace.to_arrow(registered, columns=["c", "a"]).column_names == ["c", "a"]


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes a page, so that a small dataset takes many."""
    monkeypatch.setattr(workspace_module, "PAGE_BYTES_MAX", 4_096)


def of_many_pages(rows: int) -> pa.Table:
    draw = random.Random(5)
    texts = [draw.randbytes(draw.choice([4, 4, 4, 400])).hex() for _ in range(rows)]
    return pa.table({"n": pa.array(range(rows), pa.int64()), "t": texts})


@pytest.mark.usefixtures("small_pages")
def test_a_dataset_of_many_pages_is_whole_and_in_order(workspace: Workspace) -> None:
    table = of_many_pages(3_000)
    registered = workspace.register_artifact(table, name="t")
    assert workspace.read_rows(registered, limit=3_000, max_bytes=4_096, format="arrow").returned < 300
    assert workspace.to_arrow(registered).equals(table)
    assert workspace.to_arrow(registered, columns=["t", "n"]).equals(table.select(["t", "n"]))


@pytest.mark.usefixtures("small_pages")
def test_progress_tells_the_rows_and_never_falls(workspace: Workspace) -> None:
    told: list[tuple[int, int]] = []
    registered = workspace.register_artifact(of_many_pages(1_000), name="t")
    workspace.to_arrow(registered, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (1_000, 1_000)
    assert len(told) > 3


@pytest.mark.usefixtures("small_pages")
def test_a_row_that_no_page_holds_is_an_error_that_names_the_way_out(workspace: Workspace) -> None:
    table = pa.table({"n": list(range(500)), "t": ["x"] * 400 + [random.Random(2).randbytes(9_000).hex()] + ["x"] * 99})
    registered = workspace.register_artifact(table, name="t")
    with pytest.raises(IncompleteRowError, match=r"Row 400 .*load_artifact"):
        workspace.to_arrow(registered)
    assert workspace.to_arrow(registered, columns=["n"]).num_rows == 500


def answered(offset: int, returned: int, total: int) -> ReadRowsAnswer:
    sink = pa.BufferOutputStream()
    table = pa.table({"n": list(range(offset, offset + returned))})
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    arrow = base64.b64encode(sink.getvalue()).decode()
    page = {"artifact_id": "a", "columns": [], "offset": offset, "arrow": arrow, "returned": returned, "total": total}
    return ReadRowsAnswer.model_validate({**page, "s3_requests": 1, "bytes_read": 1})


def test_no_more_pages_than_a_few_are_under_way_at_a_time() -> None:
    under_way, most, lock = 0, 0, threading.Lock()

    def read(offset: int, limit: int) -> ReadRowsAnswer:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.001)
        with lock:
            under_way -= 1
        return answered(offset, min(limit, 10), 1_000)

    assert tables.of_pages(read, 10**6)["n"].to_pylist() == list(range(1_000))
    assert 2 <= most <= tables.PAGES_AT_ONCE


def test_the_first_error_ends_the_whole() -> None:
    asked: list[int] = []

    def read(offset: int, limit: int) -> ReadRowsAnswer:
        asked.append(offset)
        if offset:
            raise ConnectionError(f"at {offset}")
        return answered(offset, 10, 100_000)

    with pytest.raises(ConnectionError, match="at "):
        tables.of_pages(read, 10**6)
    assert len(asked) < 5_000


def test_a_range_whose_rows_are_larger_takes_several_pages() -> None:
    def read(offset: int, limit: int) -> ReadRowsAnswer:
        return answered(offset, min(limit, 10 if offset < 50 else 3), 100)

    assert tables.of_pages(read, 10**6)["n"].to_pylist() == list(range(100))


def test_a_page_without_rows_before_the_end_is_an_error() -> None:
    with pytest.raises(UnexpectedAnswerError):
        tables.of_pages(lambda offset, limit: answered(offset, 0 if offset else 10, 100), 10**6)


def test_a_page_of_either_format_is_a_table(workspace: Workspace) -> None:
    table = pa.table({str(number): values for number, values in enumerate(VALUES) if len(values) == 3})
    registered = workspace.register_artifact(table, name="t")
    for format in ("json", "arrow"):
        assert tables.of_page(workspace.read_rows(registered, format=format)).equals(table)


def test_a_clipped_page_is_no_table(workspace: Workspace) -> None:
    registered = workspace.register_artifact(pa.table({"t": ["x" * 9_000]}), name="t")
    with pytest.raises(IncompleteRowError, match="Row 0"):
        tables.of_page(workspace.read_rows(registered, max_bytes=1_024))


def test_an_unknown_column_of_a_parquet_file_is_refused_with_near_names(workspace: Workspace) -> None:
    registered = workspace.register_artifact(pa.table({"price": [1]}), name="t")
    with pytest.raises(InvalidRequestError, match="Did you mean 'price'"):
        workspace.to_arrow(registered, columns=["prize"])


def test_an_arrow_table_returns_as_it_was_registered(workspace: Workspace) -> None:
    table = pa.table({str(number): values for number, values in enumerate(VALUES) if len(values) == 3})
    assert workspace.to_arrow(workspace.register_artifact(table, name="t")).equals(table)


def test_dictionary_columns_return_as_the_values_that_were_registered(workspace: Workspace) -> None:
    table = pa.table({"d": pa.array(["x", "y", "x"]).dictionary_encode()})
    back = workspace.to_arrow(workspace.register_artifact(table, name="t"))
    assert back.to_pydict() == {"d": ["x", "y", "x"]}
    assert back.schema.field("d").type == pa.string()


def test_columns_of_one_name_are_told_apart(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "twice.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], names=["a", "a"]), path)
    registered = workspace.register_artifact(path)
    assert registered.profile is not None
    back = workspace.to_arrow(registered)
    assert back.column_names == [column.name for column in registered.profile.columns]
    assert [column.to_pylist() for column in back.columns] == [[1], ["x"]]


def test_a_data_frame_returns_with_integers_that_have_gaps(workspace: Workspace) -> None:
    frame = pd.DataFrame({"n": pd.array([1, None, 2**60], dtype="int64[pyarrow]"), "s": ["a", None, "c"]})
    back = workspace.to_pandas(workspace.register_artifact(frame, name="frame"))
    assert back["n"].tolist() == [1, pd.NA, 2**60]
    assert str(back.dtypes["n"]) == "int64[pyarrow]"


def test_a_frame_needs_a_name(workspace: Workspace) -> None:
    with pytest.raises(TypeError, match="name="):
        workspace.register_artifact(pa.table({"a": [1]}))


def test_a_frame_of_mixed_types_is_refused_before_anything_is_uploaded(workspace: Workspace) -> None:
    with pytest.raises(UnwritableTableError, match="Parquet"):
        workspace.register_artifact(pd.DataFrame({"mixed": [1, "x", b"y"]}), name="mixed")
    assert list(workspace.list_artifacts()) == []
