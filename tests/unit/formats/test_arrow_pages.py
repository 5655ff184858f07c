"""Pages as Arrow streams: whole rows in exact types, within their bytes."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.page import LimitHit, Page, PageFormat
from session_datasets.formats.layout.directory import Directories
from session_datasets.formats.layout.segments import Segments
from session_datasets.formats.reading.arrow_pages import read_arrow_page
from tests.support.laid_out import LaidOut, laid_out
from tests.support.odd_files import parquet


def arrow_page(dataset: LaidOut, offset: int = 0, limit: int = 10**6, max_bytes: int = 4 << 20, **more: int) -> Page:
    table = Segments(dataset.reader, dataset.layout, Directories())
    return read_arrow_page(dataset.reader, table, offset=offset, limit=limit, columns=None, max_bytes=max_bytes, **more)


def opened(page: Page) -> pa.Table:
    assert page.arrow is not None
    return pa.ipc.open_stream(page.arrow).read_all()


def base64_bytes(page: Page) -> int:
    assert page.arrow is not None
    return 4 * -(-len(page.arrow) // 3)


def numbers(rows: int, name: str = "n") -> LaidOut:
    return laid_out(parquet(pa.table({name: pa.array(range(rows), pa.int64())})), "n.parquet")


def noise(rows: int, characters: int = 60) -> LaidOut:
    """Texts that compress to half at the best."""
    draw = random.Random(7)
    return laid_out(parquet(pa.table({"t": [draw.randbytes(characters // 2).hex() for _ in range(rows)]})), "t.parquet")


def test_the_asked_number_of_rows_ends_a_page() -> None:
    page = arrow_page(numbers(10), 2, 3)
    assert opened(page).to_pydict() == {"n": [2, 3, 4]}
    assert (page.returned, page.next_offset, page.total, page.limit_hit, page.rows) == (3, 5, 10, LimitHit.ROWS, None)


def test_the_end_of_the_dataset_is_no_limit() -> None:
    page = arrow_page(numbers(10), 7)
    assert (page.returned, page.next_offset, page.limit_hit) == (3, None, None)


@pytest.mark.parametrize("offset", [10, 11, 10**15])
def test_beyond_the_end_a_page_is_empty_and_has_its_types(offset: int) -> None:
    page = arrow_page(numbers(10), offset)
    assert (page.returned, page.next_offset, page.limit_hit) == (0, None, None)
    assert opened(page).schema == pa.schema([("n", pa.int64())])


def test_a_dataset_without_rows_has_its_columns() -> None:
    page = arrow_page(laid_out("a,b\n"))
    assert opened(page).column_names == ["a", "b"]


@pytest.mark.parametrize("max_bytes", [1_024, 10_000, 100_000])
def test_a_page_keeps_within_its_bytes_and_uses_most_of_them(max_bytes: int) -> None:
    page = arrow_page(noise(20_000), 5, max_bytes=max_bytes)
    assert page.limit_hit is LimitHit.BYTES
    assert max_bytes * 0.6 < base64_bytes(page) <= max_bytes
    assert opened(page).num_rows == page.returned


def test_a_page_ends_at_its_decoded_bytes_where_rows_compress_to_nothing() -> None:
    dataset = laid_out(parquet(pa.table({"t": ["always the same words"] * 50_000})), "t.parquet")
    page = arrow_page(dataset, decoded_bytes_max=100_000)
    assert page.limit_hit is LimitHit.BYTES
    assert 50_000 < opened(page).nbytes <= 100_000


def test_the_first_row_comes_whatever_it_is_decoded_to() -> None:
    assert arrow_page(noise(10), decoded_bytes_max=1).returned == 1


def test_a_row_that_does_not_fit_is_refused_with_the_way_out() -> None:
    dataset = noise(3, characters=10_000)
    with pytest.raises(Refusal) as refused:
        arrow_page(dataset, 1, max_bytes=4_096)
    problem = refused.value.problem
    assert problem.code is ProblemCode.TOO_LARGE
    assert problem.detail == "Row 1 does not fit an Arrow page of 4,096 bytes. Nothing was answered."
    assert problem.retry_with == {"format": "json"}


def test_a_large_row_ends_the_page_before_it() -> None:
    rows = [{"t": "a"}] * 50 + [{"t": random.Random(3).randbytes(30_000).hex()}] + [{"t": "b"}] * 50
    dataset = laid_out(json.dumps(rows), "rows.json")
    page = arrow_page(dataset, max_bytes=8_192)
    assert page.returned == 50
    assert page.limit_hit is LimitHit.BYTES


def test_rows_without_columns_are_counted() -> None:
    dataset = laid_out("[{},{},{}]", "rows.json")
    page = arrow_page(dataset, 1)
    assert (page.returned, opened(page).num_rows, page.next_offset) == (2, 2, None)


def test_a_page_reads_little_more_than_it_holds() -> None:
    dataset = noise(100_000)
    page = arrow_page(dataset, 50_000, max_bytes=1 << 20)
    assert page.limit_hit is LimitHit.BYTES
    assert page.cost.bytes_read < 2 << 20


@settings(max_examples=30, deadline=None)
@given(
    values=st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1) | st.none(), st.text(max_size=40)), max_size=60),
    limits=st.lists(st.integers(1, 20), min_size=1, max_size=4),
    max_bytes=st.integers(1_024, 3_000),
)
def test_pages_of_any_sizes_join_to_the_rows(values, limits, max_bytes) -> None:
    numbers_, texts = zip(*values, strict=True) if values else ((), ())
    table = pa.table({"n": pa.array(numbers_, pa.int64()), "t": pa.array(texts, pa.string())})
    dataset = laid_out(parquet(table), "rows.parquet")
    pages = []
    offset: int | None = 0
    while offset is not None:
        limit = limits[len(pages) % len(limits)]
        page = dataset.tables.read_rows(
            dataset.reader, dataset.layout, offset=offset, limit=limit, columns=None, max_bytes=max_bytes,
            format=PageFormat.ARROW,
        )  # fmt: skip
        assert base64_bytes(page) <= max_bytes
        pages.append(opened(page))
        assert page.next_offset is None or page.next_offset > offset
        offset = page.next_offset
    assert pa.concat_tables(pages).equals(table)
