"""A small file stands for more than any function holds: a Parquet dictionary that repeats one text two thousand times,
a gzip of zeros, a workbook that unpacks to gigabytes, an array of a quadrillion rows, objects of a million keys.

Reading stops at a budget of decoded bytes, cells, columns or seconds, with memory flat. The file registers, for it may
be right and is its owner's: it lists and loads, and its note says what was too large and what would page. Nothing is
half read, and the next call is served.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from session_datasets.domain.limits import MIB, ROW_ITEMS_MAX, SPARSE_CELLS_MIN
from session_datasets.formats.tables import ArrowTables
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud
from tests.support.odd_files import dictionary_bomb, json_lines, npy, parquet
from tests.support.sessions import Answer, Session, problem_code
from tests.support.workbooks import workbook

GOOD = b"a,b\n1,x\n"


def an_array_of(rows: int) -> bytes:
    """A NumPy header that claims so many rows, before the bytes of ten."""
    whole = npy(np.arange(10))
    return whole.replace(b"(10,), }" + b" " * 14, f"({rows},), }}".encode().ljust(22))


def a_workbook_of(unpacked: int) -> bytes:
    """Of one sheet that is nothing but blanks."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook({"A": [["a"], [1]]}))) as good:
        members = {name: good.read(name) for name in good.namelist()}
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as bomb:
        for name, data in members.items():
            padded = b"<sheetData>" + b" " * unpacked if name.endswith("sheet1.xml") else b"<sheetData>"
            bomb.writestr(name, data.replace(b"<sheetData>", padded))
    return sink.getvalue()


def sparse_objects(count: int) -> bytes:
    """Each with a key of its own: a table of count times count cells, none of them equal."""
    return json_lines([{f"k{number}": 1} for number in range(count)])


def one_row_of(items: int) -> bytes:
    return parquet({"a": pa.array([[None] * items], pa.list_(pa.null()))})


# What is still a bomb when the budgets are those of a deployment.
BOMBS: dict[str, tuple[str, bytes]] = {
    "an array of a quadrillion rows": ("a.npy", an_array_of(10**15)),
    "objects without a key in common": ("a.jsonl", sparse_objects(4_000)),
    "one row of millions of nulls": ("a.parquet", one_row_of(ROW_ITEMS_MAX + 1)),
    "an archive in an archive": ("a.gz", gzip.compress(gzip.compress(bytes(10 * MIB)), mtime=0)),
    "a hundred thousand columns": ("a.csv", b",".join(b"c%d" % n for n in range(100_000)) + b"\n"),
}


def require_kept(node: Session, answer: Answer) -> str:
    """It lists and loads, does not page and says why. The note."""
    assert "problem" not in answer, answer
    assert (answer["status"], answer["format"], "profile" in answer) == ("ready", "other", False)
    reference = answer["reference"]
    assert answer["artifact_id"] in node.listed()
    assert "download" in node.call("load_artifact", reference=reference)
    assert problem_code(node.call("read_rows", reference=reference)) == "not-a-dataset"
    assert node.register("good.csv", GOOD)["profile"]["shape"] == {"rows": 1, "columns": 2}
    return str(answer["note"])


@pytest.mark.parametrize("name", BOMBS)
def test_it_is_kept_with_a_note_and_the_next_file_is_read(node: Session, name: str) -> None:
    file_name, body = BOMBS[name]
    assert len(body) < 2 * MIB
    answer = node.register(file_name, body)
    if problem := answer.get("problem"):
        # What is no file of its format at all is refused, and never half registered.
        assert problem["code"] == "unreadable-file"
        assert node.listed() == []
        assert node.register("good.csv", GOOD)["status"] == "ready"
        return
    note = require_kept(node, answer)
    assert "listed and loaded" in note or "lists and loads" in note or "can be loaded" in note, note


def test_four_thousand_sparse_objects_are_more_cells_than_allowed() -> None:
    assert SPARSE_CELLS_MIN < 4_000 * 4_000


@pytest.fixture
def frugal(moto_server: str) -> MotoCloud:
    """A deployment whose budgets are met by files that a test can make: 32 MiB of text, 64 MiB decoded."""
    cloud = MotoCloud(moto_server)
    tables = ArrowTables(bytes_max=32 * MIB, decoded_bytes_max=64 * MIB)
    object.__setattr__(cloud.wired.service, "tables", tables)
    return cloud


GROWING: dict[str, tuple[str, Any]] = {
    "a text that a dictionary repeats": ("a.parquet", lambda: dictionary_bomb(value_bytes=1 * MIB, rows=2_000)),
    "the same in lists": ("a.parquet", lambda: dictionary_bomb(value_bytes=1 * MIB, rows=2_000, nested=True)),
    "a gzip of zeros": ("a.csv.gz", lambda: gzip.compress(b"a,b\n" + b"0,0\n" * 50_000_000, 1, mtime=0)),
    "a gzip of one line": ("a.csv.gz", lambda: gzip.compress(b"a," + bytes(200 * MIB), 1, mtime=0)),
    "a workbook of blanks": ("a.xlsx", lambda: a_workbook_of(200 * MIB)),
}


@pytest.mark.parametrize("name", GROWING)
def test_growing_stops_at_the_budget_with_memory_flat(frugal: MotoCloud, name: str) -> None:
    file_name, make = GROWING[name]
    body = make()
    node = Session.open(frugal, run_id="run-1")
    key = node.put(file_name, body)
    before = _held("VmRSS")
    _forget_the_most_held()
    answer = node.call("register_artifact", key=key, name="bomb")
    assert _held("VmHWM") - before < 200 * MIB
    if "problem" in answer:
        assert answer["problem"]["code"] == "unreadable-file"
    else:
        require_kept(node, answer)


def _held(what: str) -> int:
    """Bytes that this process holds now (VmRSS), or held at most (VmHWM)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))


def _forget_the_most_held() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def test_a_bomb_for_the_queue_is_kept_by_the_queue(moto_server: str) -> None:
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    object.__setattr__(cloud.wired.service, "tables", ArrowTables(decoded_bytes_max=64 * MIB))
    node = Session.open(cloud, run_id="run-1")
    reference = node.register("a.parquet", dictionary_bomb(value_bytes=1 * MIB, rows=2_000))["reference"]
    assert cloud.run_profiling() == [{"batchItemFailures": []}]
    described = node.call("describe_artifact", reference=reference)
    assert (described["status"], described["format"]) == ("ready", "other")
    assert "once decoded" in described["note"]


def test_a_small_file_that_takes_long_is_answered_in_time_and_left_to_the_queue(
    cloud: MotoCloud, node: Session
) -> None:
    """It would decode to gigabytes, within the budget: the caller is not kept waiting for them."""
    body = dictionary_bomb(value_bytes=1 * MIB, rows=2_000)
    with patch("session_datasets.operations.register_artifact.PROFILED_AT_ONCE_SECONDS_MAX", 0):
        answer = node.register("a.parquet", body)
    assert (answer["status"], cloud.waiting_messages()) == ("profiling", 1)


def test_deployed_functions_keep_what_grows_and_go_on(deployed: DeployedCloud, node_there: Session) -> None:
    for name in ("an array of a quadrillion rows", "one row of millions of nulls"):
        file_name, body = BOMBS[name]
        answer = node_there.register(file_name, body)
        assert answer.get("problem", {}).get("code") == "unreadable-file" or require_kept(node_there, answer)
