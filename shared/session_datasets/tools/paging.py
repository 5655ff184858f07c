"""Pages of rows within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from session_datasets.client.errors import ProblemError
from session_datasets.client.workspace import Workspace
from session_datasets.domain import limits
from session_datasets.domain.errors import ProblemCode
from session_datasets.domain.quoting import in_lines
from session_datasets.tools.answers import BYTES_OF_A_TOKEN, Budgets, ToolAnswer, json_text, most_that_fits
from session_datasets.tools.arguments import ReadRowsArguments
from session_datasets.tools.fitting import COLUMN_NAME_BYTES, clipped, clipped_cell, plural
from session_datasets.wire.answers import ReadRowsAnswer

# Bytes that sentences around the rows take at most.
_FRAME_BYTES = 320
# Bytes to which the cells of a row that is too long for the budget are cut, the first that does.
_CELL_BYTES = (1_000, 400, 160, 60, 24)


def read_rows(workspace: Workspace, arguments: ReadRowsArguments, budgets: Budgets) -> ToolAnswer:
    room = budgets.rows * BYTES_OF_A_TOKEN - _FRAME_BYTES
    page = _first_page(workspace, arguments, room)
    names = [column.name for column in page.columns]
    shown = _columns_that_fit(page, room)
    if shown < len(names) and page.total:
        # Asked again for these alone, so that none of their cells is cut for the sake of the others.
        page = _page(workspace, arguments, names[:shown], room)
    return told_page(page, budgets.rows, len(names) - len(page.columns))


def _first_page(workspace: Workspace, arguments: ReadRowsArguments, room: int) -> ReadRowsAnswer:
    try:
        return _page(workspace, arguments, arguments.columns, room)
    except ProblemError as error:
        if error.code != ProblemCode.TOO_LARGE:
            raise
        # So many columns that a row of them is larger than the room even with all its cells cut.
        one = arguments.model_copy(update={"limit": 1})
        return _page(workspace, one, arguments.columns, limits.PAGE_BYTES_MAX)


def _page(
    workspace: Workspace, arguments: ReadRowsArguments, columns: Sequence[str] | None, room: int
) -> ReadRowsAnswer:
    # Not a byte more than can be told comes over the wire, a single long row aside.
    most = min(max(room, limits.PAGE_BYTES_MIN), limits.PAGE_BYTES_MAX)
    return workspace.read_rows(
        arguments.artifact_id, offset=arguments.offset, limit=arguments.limit, columns=columns, max_bytes=most
    )


def _columns_that_fit(page: ReadRowsAnswer, room: int) -> int:
    """Leading columns whose names and whose first cells, cut to the least, leave room; one at least."""
    first = (page.rows or [[]])[0]
    used = 0
    for count, name in enumerate(_names(page)):
        cells = [clipped_cell(cell, _CELL_BYTES[-1]) for cell in first[count : count + 1]]
        used += sum(len(json_text(each).encode()) + 1 for each in (name, *cells))
        if used > room and count:
            return count
    return len(page.columns)


def told_page(page: ReadRowsAnswer, budget: int, columns_left_out: int = 0) -> ToolAnswer:
    """As many of the page's rows as the budget (tokens) holds, and where to go on. One row at least: its cells are cut
    if they must be, and then its columns are fewer."""
    rows, names = page.rows or [], _names(page)

    def of(count: int) -> ToolAnswer:
        return _told(page, names, rows[:count], columns_left_out, cut=bool(page.clipped))

    def of_columns(count: int) -> ToolAnswer:
        left_out = columns_left_out + len(names) - count
        return _told(page, names[:count], [row[:count] for row in first], left_out, cut=bool(first))

    answer = most_that_fits(len(rows), of, budget)
    if answer.tokens <= budget and (answer.structured["rows"] or not rows):
        return answer
    first: list[list[Any]] = []
    for most in _CELL_BYTES if rows else ():
        first = [[clipped_cell(cell, most) for cell in rows[0]]]
        if (answer := of_columns(len(names))).tokens <= budget:
            return answer
    return most_that_fits(len(names), of_columns, budget, least=min(1, len(names)))


def _names(page: ReadRowsAnswer) -> list[str]:
    return [clipped(column.name, COLUMN_NAME_BYTES) for column in page.columns]


def _told(
    page: ReadRowsAnswer, names: Sequence[str], rows: Sequence[Sequence[Any]], columns_left_out: int, *, cut: bool
) -> ToolAnswer:
    following = page.offset + len(rows)
    next_offset = following if following < page.total and page.rows else page.next_offset
    structured: dict[str, Any] = {"columns": names, "rows": list(rows), "offset": page.offset, "total": page.total}
    lines = [_heading(page, len(rows)), json_text(names), *map(json_text, rows)]
    if cut:
        lines.append("... cells ending in … are shortened; load_artifact gives the whole file")
        structured["cells_shortened"] = True
    if columns_left_out:
        lines.append(f"... {plural(columns_left_out, 'more column')}; name the ones you need in columns")
        structured["columns_left_out"] = columns_left_out
    if next_offset is not None:
        more = plural(page.total - next_offset, "more row")
        lines.append(f"... {more}; call read_rows with offset {next_offset}")
        structured["next_offset"] = next_offset
    return ToolAnswer(in_lines(lines), structured, bulky=True)


def _heading(page: ReadRowsAnswer, count: int) -> str:
    if count:
        return f"Rows {page.offset} to {page.offset + count - 1} of {page.total}, after their columns:"
    if page.total and page.offset >= page.total:
        return f"No rows: offset {page.offset} is past the last of {plural(page.total, 'row')}. The columns:"
    return f"No rows of {page.total}. The columns:"
