"""read_rows: one page of a dataset's rows."""

from __future__ import annotations

from collections.abc import Sequence

from session_datasets.domain.artifact import Reference
from session_datasets.domain.page import Page, PageFormat
from session_datasets.domain.scope import Caller
from session_datasets.operations.finding import find_artifact, layout_of
from session_datasets.operations.ports import Service


def read_rows(
    service: Service,
    caller: Caller,
    *,
    reference: Reference,
    offset: int,
    limit: int,
    columns: Sequence[str] | None,
    max_bytes: int,
    format: PageFormat = PageFormat.JSON,
) -> Page:
    """``limit`` rows from ``offset``, fewer where ``max_bytes`` or the end comes first; none past the end."""
    artifact = find_artifact(service, caller, reference)
    layout = layout_of(artifact)
    return service.tables.read_rows(
        service.derived.reader(layout),
        layout,
        offset=offset,
        limit=limit,
        columns=columns,
        max_bytes=max_bytes,
        format=format,
    )
