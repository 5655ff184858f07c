"""read_columns: the series of a chart, and no other column."""

from __future__ import annotations

from collections.abc import Sequence

from session_datasets.domain.artifact import Reference
from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX, SERIES_CELLS_MAX, SERIES_ROWS_MAX
from session_datasets.domain.page import Series
from session_datasets.domain.scope import Caller
from session_datasets.operations.finding import find_artifact, layout_of
from session_datasets.operations.ports import Service


def read_columns(
    service: Service,
    caller: Caller,
    *,
    reference: Reference,
    columns: Sequence[str],
    offset: int,
    rows: int | None,
    max_points: int,
) -> Series:
    """The columns over the window; every row when it has at most ``max_points``, min and max per bucket beyond."""
    artifact = find_artifact(service, caller, reference)
    layout = layout_of(artifact)
    total = artifact.profile.shape.rows if artifact.profile else 0
    window = max(0, min(rows if rows is not None else total, total - offset))
    if window > SERIES_ROWS_MAX:
        raise Refusal(
            ProblemCode.TOO_LARGE,
            f"The window has {window:,} rows; at most {SERIES_ROWS_MAX:,} are reduced in one call. Nothing was read.",
            advice="Ask for a narrower window with offset and rows.",
            retry_with={"offset": offset, "rows": SERIES_ROWS_MAX},
        )
    # Reduced columns have two values a point.
    points = min(max_points, SERIES_CELLS_MAX // (2 * len(columns)))
    series = service.tables.read_columns(
        service.derived.reader(layout), layout, columns=columns, offset=offset, rows=window, max_points=points
    )
    _require_answerable(series)
    return series


def _require_answerable(series: Series) -> None:
    """Long texts can make an exact series larger than an answer may be."""
    size = json_bytes([[each.values, each.min, each.max] for each in series.columns])
    if size > PAGE_BYTES_MAX:
        detail = f"The series takes {size:,} bytes of JSON; an answer holds {PAGE_BYTES_MAX:,}. Nothing was answered."
        if series.rows == 1:
            raise Refusal(
                ProblemCode.TOO_LARGE,
                detail,
                advice="Ask for fewer columns, read the row with read_rows, which shortens it, or load the file.",
            )
        raise Refusal(
            ProblemCode.TOO_LARGE,
            detail,
            advice="Ask for a narrower window with offset and rows, or for fewer columns.",
            retry_with={"offset": series.offset, "rows": max(1, series.rows * PAGE_BYTES_MAX // (2 * size))},
        )
