"""The end of a conversation or a run: who still holds it, and what was removed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from session_datasets.domain.limits import CALL_SECONDS_MAX, CLOCK_LEEWAY_SECONDS


@dataclass(frozen=True, slots=True)
class Lease:
    """A session holds its conversation, its run or both for as long as its token lives."""

    session_id: str
    node: str
    expires_at: datetime
    conversation_id: str | None = None
    run_id: str | None = None

    @property
    def held_until(self) -> datetime:
        """Until then a token of this session is taken."""
        return self.expires_at + timedelta(seconds=CLOCK_LEEWAY_SECONDS)

    def is_held(self, now: datetime) -> bool:
        return now < self.held_until

    @staticmethod
    def over_by(now: datetime) -> datetime:
        """When a lease expired that nobody holds any more now."""
        return now - timedelta(seconds=CLOCK_LEEWAY_SECONDS)

    def may_still_write(self, now: datetime) -> bool:
        """Whether a call that began while the token lived may be under way."""
        return self.is_held(now - timedelta(seconds=CALL_SECONDS_MAX))


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What is known of a conversation or a run as a whole. ``opened`` counts the sessions that were opened in it."""

    opened: int = 0
    ended_at: datetime | None = None
    done_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """Counts of what went. ``bytes`` of all versions of files and derived objects together."""

    artifacts: int = 0
    # Artifacts that stay with their run and are no longer found through the conversation.
    artifacts_kept: int = 0
    # Hand-overs, and marks of requests.
    notes: int = 0
    # Versions of what the service had written for reading.
    derived_objects: int = 0
    # Versions of the nodes' files, delete markers among them.
    file_versions: int = 0
    # Uploads in parts that were never completed.
    uploads: int = 0
    bytes: int = 0

    def __add__(self, other: Removed) -> Removed:
        return Removed(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


NOTHING_REMOVED = Removed()
