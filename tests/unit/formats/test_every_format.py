"""Whatever the format, pages of any sizes join to exactly the file."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import arrow_file, arrow_stream, csv_field, json_lines, npy, parquet
from tests.support.workbooks import workbook

Rows = Sequence[Sequence[Any]]
NAMES = ["whole", "text", "half"]


def delimited(rows: Rows, delimiter: str) -> bytes:
    lines = [NAMES, *([str(whole), csv_field(text, True), repr(half)] for whole, text, half in rows)]
    return "".join(delimiter.join(line) + "\r\n" for line in lines).encode()


def records(rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(NAMES, row, strict=True)) for row in rows]


def table(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(records(rows), pa.schema([("whole", pa.int64()), ("text", pa.string()),
                                                          ("half", pa.float64())]))  # fmt: skip


def structured(rows: Rows) -> bytes:
    return npy(np.array([tuple(row) for row in rows], dtype=[("whole", "i8"), ("text", "U40"), ("half", "f8")]))


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data).to_pybytes()


WRITERS: dict[str, Callable[[Rows], bytes]] = {
    "csv": lambda rows: delimited(rows, ","),
    "tsv": lambda rows: delimited(rows, "\t"),
    "csv in UTF-16": lambda rows: delimited(rows, ";").decode().encode("utf-16"),
    "json": lambda rows: json.dumps(records(rows)).encode(),
    "json lines": lambda rows: json_lines(records(rows)),
    "parquet": lambda rows: parquet(table(rows), row_group_size=7),
    "arrow file": lambda rows: arrow_file(table(rows), batch_rows=7, compression="zstd"),
    "arrow stream": lambda rows: arrow_stream(table(rows), batch_rows=7),
    "npy": structured,
    "xlsx": lambda rows: workbook({"Sheet1": [NAMES, *rows]}),
    "csv in gzip": lambda rows: gzip.compress(delimited(rows, ",")),
    "json in bz2": lambda rows: bz2.compress(json.dumps(records(rows)).encode()),
    "json lines in zstd": lambda rows: zstd(json_lines(records(rows))),
}
# A first word, so that no column of texts could be anything else; without zeros, which end a text of NumPy.
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["Cs", "Cc"]), max_size=20)
ROWS = st.lists(
    st.tuples(
        st.integers(-(2**53), 2**53),
        TEXTS.map(lambda text: f"word {text}."),
        st.integers(-(2**40), 2**40).map(lambda number: number + 0.5),
    ),
    min_size=1,
    max_size=40,
)


def joined(dataset: LaidOut, limits: Sequence[int]) -> list[list[Any]]:
    """The rows of consecutive pages, of these sizes in turn."""
    collected: list[list[Any]] = []
    offset: int | None = 0
    turn = 0
    while offset is not None:
        page = dataset.page(offset, limits[turn % len(limits)])
        collected += page.rows
        offset, turn = page.next_offset, turn + 1
    return collected


@pytest.mark.parametrize("format_", WRITERS)
@settings(max_examples=12, deadline=None)
@given(rows=ROWS, limits=st.lists(st.integers(1, 15), min_size=1, max_size=3))
def test_pages_of_any_sizes_join_to_the_file(format_: str, rows: Rows, limits: Sequence[int]) -> None:
    dataset = laid_out(WRITERS[format_](rows), "rows")
    assert [*dataset.types] == NAMES
    assert joined(dataset, limits) == [list(row) for row in rows]
