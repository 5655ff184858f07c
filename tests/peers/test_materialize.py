"""Beside deep_db_agents: the same rows into the same backends; equal where they should be, and where they differ."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any, TypedDict

import pyarrow.parquet as pq
import pytest
from deep_db_agents import workspace as theirs
from deepagents.backends import FilesystemBackend, StateBackend
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph

from session_datasets import materialize as ours
from session_datasets.materialize import refusals

NUMBERS = ("min", "max", "mean")
# A double can not tell it from 2^53.
BEYOND = 2**53 + 1
COLUMNS = ["id", "name", "value"]
ROWS = [(n, f"name, {n}" if n % 3 else None, n / 4) for n in range(1_000)]


@pytest.fixture
def backends(tmp_path: Path) -> tuple[FilesystemBackend, FilesystemBackend]:
    """One for them and one for us, each with a folder of its own."""
    for name in ("theirs", "ours"):
        (tmp_path / name).mkdir()
    return (
        FilesystemBackend(root_dir=tmp_path / "theirs", virtual_mode=True),
        FilesystemBackend(root_dir=tmp_path / "ours", virtual_mode=True),
    )


Backends = tuple[FilesystemBackend, FilesystemBackend]


def both(backends: Backends, columns: Any, rows: Any, **more: Any) -> tuple[Any, Any]:
    return (
        theirs.materialize_result(columns, list(rows), backends[0], **more),
        ours.materialize_result(columns, list(rows), backends[1], **more),
    )


def content(backend: FilesystemBackend, path: str) -> bytes:
    (answer,) = backend.download_files([path])
    assert answer.content is not None
    return bytes(answer.content)


@pytest.mark.parametrize("max_bytes", [None, 10, 18, 19, 20, 21, 5_000, 10**6])
def test_csv_files_are_equal_byte_for_byte_whatever_the_budget(backends: Backends, max_bytes: int | None) -> None:
    rows = [(each, "x") for each in range(1, 600)]
    one, other = both(backends, ["a", "b"], rows, filename="x.csv", max_bytes=max_bytes)
    assert content(backends[0], "/x.csv") == content(backends[1], "/x.csv")
    assert (one.path, one.fmt, one.row_count, one.columns) == (other.path, other.fmt, other.row_count, other.columns)
    assert (one.preview, one.truncated, one.files_update) == (other.preview, other.truncated, other.files_update)


def test_nulls_floats_and_quoted_texts_are_spelled_the_same(backends: Backends) -> None:
    rows = [*ROWS, (True, 'say "x"\nagain', 1e300), (Decimal("1.10"), "é", math.nan)]
    both(backends, COLUMNS, rows, filename="x.csv")
    assert content(backends[0], "/x.csv") == content(backends[1], "/x.csv")


def test_numbers_of_ordinary_columns_are_equal(backends: Backends) -> None:
    one, other = both(backends, COLUMNS, ROWS)
    for name in ("id", "value"):
        assert {key: other.stats[name][key] for key in NUMBERS} == one.stats[name]
    assert set(one.stats) == set(other.stats)


def test_parquet_holds_the_same_table(backends: Backends, tmp_path: Path) -> None:
    rows = [(n, f"name {n}", n / 4) for n in range(1_000)]
    both(backends, COLUMNS, rows, fmt="parquet", filename="x.parquet")
    tables = [pq.read_table(tmp_path / who / "x.parquet") for who in ("theirs", "ours")]
    assert tables[0].to_pydict() == tables[1].to_pydict()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_json_bytes_are_equal(value: Any) -> None:
    assert ours.json_bytes(value) == theirs.json_bytes(value)


@given(st.lists(st.binary(max_size=9)), st.none() | st.integers(0, 40))
def test_take_within_bytes_is_equal(items: list[bytes], max_bytes: int | None) -> None:
    assert ours.take_within_bytes(items, len, max_bytes) == theirs.take_within_bytes(items, len, max_bytes)


@pytest.mark.parametrize("update", [None, {}, {"/x.csv": {"content": "a"}}], ids=repr)
def test_commands_are_equal(update: Any) -> None:
    one, other = (each.write_command("done", "call-1", update) for each in (theirs, ours))
    assert one == other


class State(TypedDict, total=False):
    files: dict[str, Any]
    told: list[Any]


@pytest.mark.parametrize("library", [theirs, ours], ids=["theirs", "ours"])
def test_in_a_graphs_state_the_file_is_there_without_an_update(library: Any) -> None:
    def node(state: State) -> State:
        result = library.materialize_result(["a"], [(1,), (2,)], StateBackend(), filename="x.csv")
        return {"told": [result.path, result.files_update]}

    graph = StateGraph(State)
    graph.add_node("save", node)
    graph.add_edge(START, "save")
    graph.add_edge("save", END)
    final = graph.compile().invoke({"files": {}})
    assert final["told"] == ["/x.csv", None]
    assert final["files"]["/x.csv"]["content"] == "a\r\n1\r\n2\r\n"


# --- where they differ -------------------------------------------------------------------------------------


def test_their_parquet_passes_the_budget_and_ours_does_not(backends: Backends) -> None:
    one, _ = both(backends, COLUMNS, ROWS[:2], fmt="parquet", filename="x.parquet")
    assert len(content(backends[0], one.path)) > 1_000
    theirs.materialize_result(COLUMNS, ROWS, backends[0], fmt="parquet", filename="y.parquet", max_bytes=1_500)
    assert len(content(backends[0], "/y.parquet")) > 1_500
    result = ours.materialize_result(COLUMNS, ROWS, backends[1], fmt="parquet", filename="y.parquet", max_bytes=1_500)
    assert len(content(backends[1], "/y.parquet")) <= 1_500
    assert result.truncated


@pytest.mark.parametrize(
    ("cells", "their_stats", "our_stats"),
    [
        ([True, False], {"min": 0.0, "max": 1.0, "mean": 0.5}, None),
        ([Decimal("1.5")], None, {"min": Decimal("1.5"), "max": Decimal("1.5"), "mean": 1.5}),
        ([BEYOND], dict.fromkeys(NUMBERS, 2.0**53), {"min": BEYOND, "max": BEYOND, "mean": 2.0**53}),
        (["1", 3], {"min": 3.0, "max": 3.0, "mean": 3.0}, {"min": 3, "max": 3, "mean": 3.0}),
    ],
    ids=["bool", "decimal", "beyond doubles", "mixed"],
)  # fmt: skip
def test_numbers_of_odd_columns(backends: Backends, cells: list[Any], their_stats: Any, our_stats: Any) -> None:
    one, other = both(backends, ["a"], [(cell,) for cell in cells])
    assert one.stats.get("a") == their_stats
    found = other.stats.get("a")
    assert (found and {key: found[key] for key in NUMBERS}) == our_stats


@pytest.mark.parametrize("cells", [[math.nan, 1.0, 3.0], [1.0, math.nan, 3.0]], ids=["first", "later"])
def test_nan_makes_their_mean_nan_and_is_left_out_of_ours(backends: Backends, cells: list[float]) -> None:
    one, other = both(backends, ["a"], [(cell,) for cell in cells])
    assert math.isnan(one.stats["a"]["mean"])
    assert other.stats["a"] == {"min": 1.0, "max": 3.0, "mean": 2.0, "count": 2, "nans": 1, "nulls": 0}


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([(10**400,)], OverflowError),
        ([(math.inf,), (-math.inf,)], ValueError),
        ([(1,), ()], IndexError),
    ],
    ids=["10**400", "infinities", "short row"],
)
def test_what_makes_them_raise_after_the_file_is_written_has_an_answer_here(
    backends: Backends, rows: list[Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        theirs.materialize_result(["a"], rows, backends[0])
    assert ours.materialize_result(["a"], rows, backends[1]).row_count == len(rows)


def test_a_longer_row_is_written_by_them_and_refused_by_us(backends: Backends) -> None:
    theirs.materialize_result(["a"], [(1, 2)], backends[0], filename="x.csv")
    assert content(backends[0], "/x.csv") == b"a\r\n1,2\r\n"
    with pytest.raises(refusals.UnwritableRowError):
        ours.materialize_result(["a"], [(1, 2)], backends[1])


def test_an_unknown_format_is_refused_before_the_rows_are_pulled_and_not_after(backends: Backends) -> None:
    pulled: list[int] = []
    rows = ((pulled.append(n),) for n in range(3))
    with pytest.raises(refusals.UnknownFormatError):
        ours.materialize_result(["a"], rows, backends[1], fmt="xlsx")
    assert pulled == []
    with pytest.raises(ValueError, match="Unsupported format"):
        theirs.materialize_result(["a"], rows, backends[0], fmt="xlsx")
    assert pulled == [0, 1, 2]


def test_a_name_that_is_taken_is_overwritten_by_them_and_not_by_us(backends: Backends) -> None:
    for n in (1, 2):
        both(backends, ["a"], [(n,)], filename="x.csv")
    assert content(backends[0], "/x.csv") == b"a\r\n2\r\n"
    assert content(backends[1], "/x.csv") == b"a\r\n1\r\n"
    assert content(backends[1], "/x-2.csv") == b"a\r\n2\r\n"


def test_an_empty_text_and_a_null_are_one_to_them_and_two_to_us(backends: Backends) -> None:
    both(backends, ["a", "b"], [("", None)], filename="x.csv")
    assert content(backends[0], "/x.csv") == b"a,b\r\n,\r\n"
    assert content(backends[1], "/x.csv") == b'a,b\r\n"",\r\n'


def test_a_preview_is_json_here(backends: Backends) -> None:
    one, other = both(backends, ["a"], [(b"\x00",)])
    with pytest.raises(TypeError):
        json.dumps(one.preview)
    assert json.dumps(other.preview) == '[{"a": "AA=="}]'
