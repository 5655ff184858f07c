"""A workspace that answers what a test gives it, and keeps what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from session_datasets import Workspace
from session_datasets.wire.answers import (
    ColumnPart,
    DescribeArtifactAnswer,
    ListArtifactsAnswer,
    PreviewPart,
    ProfilePart,
    ReadColumnsAnswer,
    ReadRowsAnswer,
    RegisterArtifactAnswer,
    SeriesColumnPart,
    ShapePart,
    StatisticsPart,
    SummaryPart,
)

ID = "art_" + "0" * 26
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
REFERENCE = {"artifact_id": ID, "session_id": "ses-secret", "key": "secret/key/of/the/file.csv", "version_id": "v-1"}

PROBLEM: dict[str, Any] = {"type": "urn:x", "title": "t", "status": 400, "code": "unknown-column", "retryable": False}
PROBLEM |= {"detail": "It is so.", "advice": "Do this."}


class StandIn:
    """Answers each verb with what ``answers`` holds: a value, a callable of the keywords, or an exception to raise."""

    def __init__(self, directory: Path, **answers: Any) -> None:
        self.directory = directory
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._answers = answers

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        answer = self._answers.get(verb)
        if answer is None:
            raise AttributeError(verb)

        def called(*_: Any, **keywords: Any) -> Any:
            self.asked.append((verb, keywords))
            if isinstance(answer, BaseException):
                raise answer
            return answer(**keywords) if callable(answer) else answer

        return called


def workspace(directory: Path, **answers: Any) -> Workspace:
    return cast(Workspace, StandIn(directory, **answers))


def profile(columns: list[str], *, rows: int = 10**10, cell: Any = "x" * 100, everything: int | None = None) -> Any:
    """A profile of these columns, with statistics as long as they get."""
    known = StatisticsPart(nulls=10**10, min=cell, max=cell, distinct=10**10)
    return ProfilePart(
        shape=ShapePart(rows=rows, columns=everything or len(columns)),
        columns=[ColumnPart(name=name, type="timestamp[us, tz=America/Argentina/Buenos_Aires]") for name in columns],
        statistics=[known] * len(columns),
        preview=PreviewPart(rows=[]),
    )


def registered(**more: Any) -> RegisterArtifactAnswer:
    return RegisterArtifactAnswer.model_validate(_artifact() | {"created": True} | more)


def described(**more: Any) -> DescribeArtifactAnswer:
    told = {
        "description": "",
        "node": "node",
        "session_id": "ses-secret",
        "size": 10**10,
        "sha256": "0" * 64,
        "created_at": NOW,
        "lineage": [],
    }
    return DescribeArtifactAnswer.model_validate(_artifact() | told | more)


def _artifact() -> dict[str, Any]:
    kinds = {"kind": "table", "format": "csv", "status": "ready"}
    return {"artifact_id": ID, "reference": REFERENCE, "name": "flights", **kinds}


def summary(**more: Any) -> SummaryPart:
    told = {"description": "", "node": "node", "size": 10**10, "rows": 10**10, "columns": 10_000, "created_at": NOW}
    return SummaryPart.model_validate(_artifact() | told | more)


def listing(artifacts: list[SummaryPart], cursor: str | None = None) -> ListArtifactsAnswer:
    return ListArtifactsAnswer(artifacts=artifacts, next_cursor=cursor)


def page(columns: list[str], rows: list[list[Any]], *, offset: int = 0, total: int | None = None) -> ReadRowsAnswer:
    end = offset + len(rows)
    total = end if total is None else total
    return ReadRowsAnswer.model_validate(
        {
            "artifact_id": ID,
            "columns": [ColumnPart(name=name, type="string") for name in columns],
            "offset": offset,
            "rows": rows,
            "returned": len(rows),
            "total": total,
            "next_offset": end if end < total else None,
            "s3_requests": 1,
            "bytes_read": 1,
        }
    )


def series(columns: list[str], points: int, value: Any, *, x: bool = False) -> ReadColumnsAnswer:
    def part(name: str) -> dict[str, Any]:
        told = {"name": name, "type": "double", "missing": 10**9, "gaps": 0}
        return told | {"min": [value] * (points // 2), "max": [value] * (points // 2)}

    return ReadColumnsAnswer.model_validate(
        {
            "artifact_id": ID,
            "columns": [SeriesColumnPart.model_validate(part(name)) for name in columns],
            "x": part("time") | {"order": "ascending"} if x else None,
            "offset": 0,
            "rows": 10**9,
            "total": 10**9,
            "method": "min_max",
            "bucket_rows": 10**6,
            "s3_requests": 1,
            "bytes_read": 1,
        }
    )
