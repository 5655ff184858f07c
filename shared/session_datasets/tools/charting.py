"""The course of columns within a budget of tokens."""

from __future__ import annotations

from typing import Any

from session_datasets.client.workspace import Workspace
from session_datasets.domain import limits
from session_datasets.domain.quoting import in_lines
from session_datasets.tools.answers import BYTES_OF_A_TOKEN, Budgets, ToolAnswer, json_text
from session_datasets.tools.arguments import ReadColumnsArguments
from session_datasets.tools.fitting import COLUMN_NAME_BYTES, clipped, clipped_cell, plural
from session_datasets.wire.answers import ReadColumnsAnswer, SeriesColumnPart

# Bytes of JSON that one value of a series usually takes, with its comma.
_VALUE_BYTES = 12
# Bytes of a value that is a text.
_CELL_BYTES = 60
# Parts of a series, in the order in which they are told.
_PARTS = ("values", "min", "max", "rows", "x")


def read_columns(workspace: Workspace, arguments: ReadColumnsArguments, budgets: Budgets) -> ToolAnswer:
    """The columns with as many points as fit; fewer columns when the fewest points do not."""
    columns, budget = list(arguments.columns), budgets.columns
    points = min(arguments.max_points, _points_that_fit(len(columns) + bool(arguments.x), budget))
    while True:
        answer = workspace.read_columns(
            arguments.artifact_id,
            columns,
            x=arguments.x,
            offset=arguments.offset,
            rows=arguments.rows,
            max_points=points,
        )
        left_out = len(arguments.columns) - len(columns)
        told = _told(answer, arguments.max_points > points, left_out)
        if told.tokens <= budget:
            return told
        if points > limits.SERIES_POINTS_MIN:
            points = max(limits.SERIES_POINTS_MIN, points * budget // told.tokens * 9 // 10)
        elif len(columns) > 1:
            columns = columns[: len(columns) // 2]
        else:
            return _without_values(told)


def _points_that_fit(columns: int, budget: int) -> int:
    return max(limits.SERIES_POINTS_MIN, budget * BYTES_OF_A_TOKEN // (columns * _VALUE_BYTES))


def _told(answer: ReadColumnsAnswer, fewer: bool, left_out: int) -> ToolAnswer:
    last = max(answer.offset + answer.rows - 1, answer.offset)
    method = str(answer.method.value)
    lines = [f"Rows {answer.offset} to {last} of {answer.total}, {_in_words(method, answer.bucket_rows)}:"]
    structured: dict[str, Any] = {
        "offset": answer.offset,
        "rows": answer.rows,
        "total": answer.total,
        "method": method,
        "bucket_rows": answer.bucket_rows,
    }
    series = [_series(each) for each in answer.columns]
    if answer.x:
        structured["x"] = _series(answer.x)
        lines.append(f"x {json_text(structured['x'])}")
    structured["columns"] = series
    lines += map(json_text, series)
    if fewer:
        lines.append("... fewer points than asked for; take a shorter window (offset, rows) to see more of it")
        structured["points_reduced"] = True
    if left_out:
        lines.append(f"... {plural(left_out, 'more column')}; ask for fewer at a time")
        structured["columns_left_out"] = left_out
    return ToolAnswer(in_lines(lines), structured, bulky=True)


def _in_words(method: str, bucket_rows: int) -> str:
    if method == "exact":
        return "every value"
    if method == "min_max":
        return f"least and greatest of every {plural(bucket_rows, 'row')}"
    return f"rows chosen by {method}"


def _series(part: SeriesColumnPart) -> dict[str, Any]:
    told: dict[str, Any] = {"name": clipped(part.name, COLUMN_NAME_BYTES)}
    if part.missing:
        told["missing"] = part.missing
    for name in _PARTS:
        if (values := getattr(part, name)) is not None:
            told[name] = [clipped_cell(value, _CELL_BYTES) for value in values]
    return told


def _without_values(told: ToolAnswer) -> ToolAnswer:
    """What is left when not even the fewest points of one column fit."""
    facts = {name: value for name, value in told.structured.items() if name not in ("columns", "x")}
    text = f"{told.summary.removesuffix(':')}: its values are too long for this answer; call read_rows for a few."
    return ToolAnswer(text, {**facts, "columns_left_out": 1}, bulky=True)
