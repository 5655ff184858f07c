"""A dataset as an Arrow table, with exactly the types of its registered schema.

The types of a text format were decided by the service, over all rows; no reader of the file would find the same ones.
So the rows come as pages of the service, several at a time, whatever the file was.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event

import pyarrow as pa

from session_datasets.client.arrow_types import type_of
from session_datasets.client.cells import decoded
from session_datasets.client.errors import UnexpectedAnswerError
from session_datasets.client.progress import OnProgress, Progress
from session_datasets.client.rows import require_whole
from session_datasets.wire.answers import ReadRowsAnswer

# Asks for a page: offset, limit.
ReadArrowPage = Callable[[int, int], ReadRowsAnswer]
# Pages under way at a time. Each is an invocation of its own, and takes some ten megabytes here until it is decoded.
PAGES_AT_ONCE = 6


def of_page(page: ReadRowsAnswer) -> pa.Table:
    """The rows of a page of either format, in the types of its columns. IncompleteRowError if a cell was clipped."""
    if page.arrow is not None:
        return _opened(page)
    require_whole(page)
    schema = pa.schema([pa.field(column.name, type_of(column.type)) for column in page.columns])
    if not len(schema):
        return _without_columns(page.returned)
    cells = [list(values) for values in zip(*(page.rows or ()), strict=True)] or [[] for _ in schema]
    arrays = [decoded(values, field.type) for values, field in zip(cells, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def of_pages(read: ReadArrowPage, rows_at_most: int, tell: OnProgress | None = None) -> pa.Table:
    """The whole dataset: the first page, then the rest in ranges of as many rows as it held, several at a time.

    ``tell`` is called with (rows here, rows in all). The first error ends the whole, and is raised.
    """
    first = read(0, rows_at_most)
    progress = Progress(first.total, tell)
    progress.add(first.returned)
    starts = range(first.returned, first.total, max(1, first.returned))
    ranges = [_Range(begin, min(begin + starts.step, first.total)) for begin in starts]
    return _joined([_opened(first), *_in_parallel(read, ranges, progress)])


@dataclass(frozen=True, slots=True)
class _Range:
    begin: int
    end: int


def _in_parallel(read: ReadArrowPage, ranges: list[_Range], progress: Progress) -> list[pa.Table]:
    stopped = Event()
    pool = ThreadPoolExecutor(PAGES_AT_ONCE, thread_name_prefix="session-datasets-page")
    try:
        tasks = [pool.submit(_read_range, read, each, progress, stopped) for each in ranges]
        for task in wait(tasks, return_when=FIRST_EXCEPTION).done:
            task.result()
        return [task.result() for task in tasks]
    finally:
        # Of the pages not begun none is asked for any more, be it for an error or for an interrupt.
        stopped.set()
        pool.shutdown(cancel_futures=True)


def _read_range(read: ReadArrowPage, wanted: _Range, progress: Progress, stopped: Event) -> pa.Table | None:
    """Rows may be larger than those of the first page: then a range takes several pages. None when stopped before."""
    tables: list[pa.Table] = []
    at = wanted.begin
    try:
        while at < wanted.end and not stopped.is_set():
            page = read(at, wanted.end - at)
            if not page.returned:
                raise UnexpectedAnswerError("The service answered a page without rows before the end of the dataset.")
            tables.append(_opened(page))
            progress.add(page.returned)
            at += page.returned
    except BaseException:
        stopped.set()
        raise
    return _joined(tables) if tables else None


def _joined(tables: list[pa.Table]) -> pa.Table:
    if tables[0].num_columns:
        return pa.concat_tables(tables)
    return _without_columns(sum(table.num_rows for table in tables))


def _without_columns(rows: int) -> pa.Table:
    """Arrow counts the rows of a table by its columns; a struct without fields counts them alone."""
    return pa.Table.from_struct_array(pa.array([{}] * rows, pa.struct([])))


def _opened(page: ReadRowsAnswer) -> pa.Table:
    try:
        with pa.ipc.open_stream(base64.b64decode(page.arrow or "", validate=True)) as stream:
            table = stream.read_all()
    except (pa.ArrowException, ValueError) as error:
        raise UnexpectedAnswerError("The page is no Arrow stream.", "Use an SDK as new as the service.") from error
    if table.num_rows != page.returned:
        raise UnexpectedAnswerError(f"The page announces {page.returned:,} rows and holds {table.num_rows:,}.")
    return table
