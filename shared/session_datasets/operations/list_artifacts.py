"""list_artifacts: what this session can reach, newest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from session_datasets.domain.artifact import ArtifactSummary
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import LIST_LIMIT_MAX, LIST_SCANNED_MAX
from session_datasets.domain.profile import JsonValue, Kind
from session_datasets.domain.scope import Caller, ListScope
from session_datasets.operations.ports import Service


@dataclass(frozen=True, slots=True)
class Listing:
    """``next_cursor`` is None when nothing older is left."""

    artifacts: tuple[ArtifactSummary, ...]
    next_cursor: str | None


def list_artifacts(
    service: Service,
    caller: Caller,
    *,
    scope: ListScope | None,
    name_contains: str | None,
    kind: Kind | None,
    limit: int,
    cursor: str | None,
) -> Listing:
    """Up to ``limit`` summaries. A filter may make a page short of ``limit`` that still has a next one."""
    scope = scope or _widest(caller)
    _require_in_scope(caller, scope)
    query: dict[str, JsonValue] = {"scope": scope.value, "name_contains": name_contains, "kind": kind and kind.value}
    before = service.cursors.open(caller, query, cursor) if cursor is not None else None
    # A page and the one record that tells whether there is a next; a filter looks at more, so it fetches more at once.
    at_once = limit + 1 if name_contains is None and kind is None else LIST_LIMIT_MAX + 1
    newest = service.records.newest_first(caller, scope, before, at_once)
    found, position = _matching(newest, name_contains, kind, limit)
    return Listing(tuple(found), service.cursors.seal(caller, query, position) if position else None)


def _widest(caller: Caller) -> ListScope:
    return ListScope.CONVERSATION if caller.conversation_id else ListScope.RUN


def _require_in_scope(caller: Caller, scope: ListScope) -> None:
    bound = {ListScope.CONVERSATION: caller.conversation_id, ListScope.RUN: caller.run_id}
    if scope in bound and bound[scope] is None:
        raise Refusal(
            ProblemCode.INVALID_REQUEST,
            f"This session belongs to no {scope.value}; nothing was listed.",
            advice=f"List with scope '{_widest(caller).value}' or 'session', or leave the scope out.",
        )


def _matching(
    summaries: Iterator[ArtifactSummary], name_contains: str | None, kind: Kind | None, limit: int
) -> tuple[list[ArtifactSummary], str | None]:
    """The page, and the id to go on below when older records are left to look at."""
    found: list[ArtifactSummary] = []
    last_id: str | None = None
    for scanned, summary in enumerate(summaries):
        # One more than the page was seen: so there is a next page, and it begins with this record.
        if len(found) == limit or scanned == LIST_SCANNED_MAX:
            return found, last_id
        last_id = summary.artifact_id
        if _matches(summary, name_contains, kind):
            found.append(summary)
    return found, None


def _matches(summary: ArtifactSummary, name_contains: str | None, kind: Kind | None) -> bool:
    if kind is not None and summary.kind is not kind:
        return False
    return name_contains is None or name_contains.casefold() in f"{summary.name}\n{summary.description}".casefold()
