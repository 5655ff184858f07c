"""Rows one by one, page after page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from session_datasets.client.errors import IncompleteRowError, UnexpectedAnswerError
from session_datasets.wire.answers import ReadRowsAnswer

# Asks for the page at an offset.
ReadPage = Callable[[int], ReadRowsAnswer]
ROW_TOO_LARGE_ADVICE = "Leave the column out with columns=, or take the whole file with load_artifact."


def whole_pages(read: ReadPage, offset: int = 0) -> Iterator[ReadRowsAnswer]:
    """Every page to the end, none of its cells clipped."""
    following: int | None = offset
    while following is not None:
        page = read(following)
        require_whole(page)
        yield page
        if page.next_offset is not None and page.next_offset <= following:
            raise UnexpectedAnswerError("The service answered a page without rows before the end of the dataset.")
        following = page.next_offset


def as_tuples(pages: Iterator[ReadRowsAnswer]) -> Iterator[tuple[Any, ...]]:
    for page in pages:
        yield from map(tuple, page.rows or ())


def as_dicts(pages: Iterator[ReadRowsAnswer]) -> Iterator[dict[str, Any]]:
    for page in pages:
        names = [column.name for column in page.columns]
        if len(set(names)) < len(names):
            raise ValueError("two columns bear the same name, so rows are no dicts: ask for form='tuple'")
        for row in page.rows or ():
            yield dict(zip(names, row, strict=True))


def require_whole(page: ReadRowsAnswer) -> None:
    """IncompleteRowError if a cell of the page is shortened."""
    if page.clipped:
        cell = page.clipped[0]
        column = page.columns[cell.column].name
        raise IncompleteRowError(
            f"Row {page.offset + cell.row:,} is larger than a page: {cell.characters:,} characters in {column!r}.",
            ROW_TOO_LARGE_ADVICE,
        )
