"""Pages of any sizes, one after the other, are the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.limits import PAGE_BYTES_MAX
from session_datasets.domain.page import PageFormat
from session_datasets.formats.layout import segments
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.values.cells import encoded_rows
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import csv_field, parquet

few_examples = settings(max_examples=30, deadline=None)
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]) | st.sampled_from('",;\n\r\t|'), max_size=8
)
page_sizes = st.lists(st.integers(1, 9), min_size=1, max_size=5)
integers = st.integers(-(2**53), 2**53)
fractions = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(autouse=True, scope="module")
def small_segments() -> Iterator[None]:
    """A handful of rows already spans several row groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "SEGMENT_ROWS_MAX", 4)
        yield


def joined(dataset: LaidOut, sizes: list[int]) -> list[list[Any]]:
    """All rows, by following ``next_offset`` with pages of these sizes in turn.

    On the way the same pages as Arrow must hold the same rows.
    """
    rows: list[list[Any]] = []
    offset: int | None = 0
    turn = 0
    while offset is not None:
        size = sizes[turn % len(sizes)]
        page = dataset.page(offset, size)
        assert page.returned or page.total == 0
        assert as_arrow(dataset, offset, size) == page.rows
        rows += page.rows or []
        offset, turn = page.next_offset, turn + 1
    return rows


def as_arrow(dataset: LaidOut, offset: int, limit: int) -> list[list[Any]]:
    """The cells of the page as Arrow, spelled as the columns of the dataset are."""
    page = dataset.tables.read_rows(
        dataset.reader, dataset.layout, offset=offset, limit=limit, columns=None, max_bytes=PAGE_BYTES_MAX,
        format=PageFormat.ARROW,
    )  # fmt: skip
    table = pa.ipc.open_stream(page.arrow).read_all().combine_chunks()
    assert table.num_rows == page.returned
    rules = Segments(dataset.reader, dataset.layout, Directories()).directory.rules
    assert list(table.schema.types) == [rule.type for rule in rules]
    return [row for batch in table.to_batches() for row in encoded_rows(batch, rules)]


@few_examples
@given(
    rows=st.lists(st.tuples(texts | st.none(), texts, texts | st.none()), max_size=30),
    quoted=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
    blank_lines=st.booleans(),
    final_line_end=st.booleans(),
    sizes=page_sizes,
)
def test_pages_of_a_csv_join_to_the_file(rows, quoted, line_end, mark, blank_lines, final_line_end, sizes) -> None:
    # A row of plain words first makes every column text, so that cells come back as they were written.
    rows = [("some words", "and more", "of them"), *rows]
    lines = ["a,b,c", *(",".join(csv_field(cell, quoted) for cell in row) for row in rows)]
    text = mark + (line_end * (2 if blank_lines else 1)).join(lines) + (line_end if final_line_end else "")
    assert joined(laid_out(text), sizes) == [list(row) for row in rows]


records = st.fixed_dictionaries(
    {},
    optional={
        "text": texts | st.none(),
        "whole": integers | st.none(),
        "fraction": fractions | st.none(),
        "truth": st.booleans() | st.none(),
        "list": st.lists(integers, max_size=3) | st.none(),
        "object": st.fixed_dictionaries({"x": texts, "y": fractions}) | st.none(),
    },
)


@few_examples
@given(rows=st.lists(records, max_size=30), indent=st.sampled_from([None, 1]), sizes=page_sizes)
def test_pages_of_a_json_array_join_to_the_file(rows, indent, sizes) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    dataset = laid_out(json.dumps(rows, indent=indent), "rows.json")
    assert joined(dataset, sizes) == [[row.get(name) for name in names] for row in rows]


@few_examples
@given(rows=st.lists(records, min_size=1, max_size=30), final_line_end=st.booleans(), sizes=page_sizes)
def test_pages_of_json_lines_join_to_the_file(rows, final_line_end, sizes) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + ("\n" if final_line_end else "")
    assert joined(laid_out(text, "rows.jsonl"), sizes) == [[row.get(name) for name in names] for row in rows]


@few_examples
@given(
    rows=st.lists(
        st.tuples(integers | st.none(), texts | st.none(), st.lists(texts, max_size=3) | st.none()), max_size=30
    ),
    group_rows=st.integers(1, 7),
    sizes=page_sizes,
)
def test_pages_of_a_parquet_file_join_to_the_file(rows, group_rows, sizes) -> None:
    types = (pa.int64(), pa.string(), pa.list_(pa.string()))
    columns = list(zip(*rows, strict=True)) or [()] * 3
    table = pa.table([pa.array(list(cells), type_) for cells, type_ in zip(columns, types, strict=True)], list("abc"))
    assert joined(laid_out(parquet(table, row_group_size=group_rows), "rows.parquet"), sizes) == [list(r) for r in rows]


@few_examples
@given(rows=st.lists(st.tuples(texts, integers), min_size=1, max_size=30), max_bytes=st.integers(1024, 1100))
def test_pages_ended_by_their_bytes_join_to_the_file(rows, max_bytes) -> None:
    rows = [(text * 12, whole) for text, whole in rows]
    dataset = laid_out(json.dumps([{"text": text, "whole": whole} for text, whole in rows]), "rows.json")
    collected: list[list[Any]] = []
    offset: int | None = 0
    while offset is not None:
        page = dataset.page(offset, max_bytes=max_bytes)
        assert len(json.dumps(page.rows)) <= max_bytes
        collected += page.rows
        offset = page.next_offset
    assert collected == [list(row) for row in rows]
