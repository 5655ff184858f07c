"""read_columns: the series of a chart, and no other column."""

from __future__ import annotations

from collections.abc import Sequence

from session_datasets.domain.artifact import Reference
from session_datasets.domain.bounded import json_bytes
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import PAGE_BYTES_MAX, SERIES_CELLS_MAX
from session_datasets.domain.page import Reduction, Series, SeriesColumn
from session_datasets.domain.profile import Encoding, Order, Profile
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
    method: Reduction = Reduction.AUTO,
    x: str | None = None,
) -> Series:
    """The columns over the window; every row when it has at most ``max_points``, reduced by ``method`` beyond."""
    artifact = find_artifact(service, caller, reference)
    layout = layout_of(artifact)
    total = artifact.profile.shape.rows if artifact.profile else 0
    window = max(0, min(rows if rows is not None else total, total - offset))
    series = service.tables.read_columns(
        service.derived.reader(layout),
        layout,
        columns=columns,
        offset=offset,
        rows=window,
        max_points=_points(max_points, method, len(columns), x is not None),
        reduction=method,
        x=x,
        x_order=_order_of(artifact.profile, x),
    )
    _require_answerable(series)
    return series


# No plain number or time takes more in JSON, comma and quotation marks included.
_SHORT_CELL_BYTES = 50
_SHORT_TYPES = frozenset({"null", "bool", "halffloat", "float", "double"}) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}


def _may_be_long(series: SeriesColumn) -> bool:
    column = series.column
    return column.type not in _SHORT_TYPES and column.encoding is not Encoding.ISO_8601


def _count(told: Sequence[SeriesColumn]) -> int:
    lists = (each for column in told for each in (column.values, column.min, column.max, column.rows, column.x))
    return sum(len(values) for values in lists if values)


def _points(wanted: int, method: Reduction, columns: int, has_axis: bool) -> int:
    """Points of one column, so that all values of the answer stay within SERIES_CELLS_MAX."""
    # A row that was chosen brings its number, and its value of the axis.
    values = columns + has_axis if method is Reduction.AUTO else columns * (2 + has_axis)
    return min(wanted, SERIES_CELLS_MAX // values)


def _order_of(profile: Profile | None, column: str | None) -> Order | None:
    """The order of a column's values over the whole dataset, if the record knows it."""
    known = zip(profile.columns, profile.statistics, strict=False) if profile else ()
    return next((statistics.order for each, statistics in known if each.name == column), None)


def _require_answerable(series: Series) -> None:
    """Long texts can make an exact series larger than an answer may be."""
    told = [*series.columns, *([series.axis.series] if series.axis else [])]
    if not any(_may_be_long(each) for each in told) and _count(told) * _SHORT_CELL_BYTES <= PAGE_BYTES_MAX:
        return
    size = json_bytes([[each.values, each.min, each.max, each.rows, each.x] for each in told])
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
