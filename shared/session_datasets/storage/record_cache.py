"""Records that this process found before, for as long as nothing can have become of them.

A record does not change once its artifact is ready, so the next page needs no request to learn where its rows lie. It
may be deleted, which shows after ``SECONDS_MAX``. What is held is an answer to a question, never a permission: whoever
takes a record from here asks ``visible_to`` as one who has just read it. And it was answered to somebody: what was read
in the name of one owner is not told in the name of another, whatever is asked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from session_datasets.domain.artifact import Artifact, Reference, Status
from session_datasets.domain.limits import MIB
from session_datasets.storage.narrowing import acting_scope

# A deletion shows within a minute, and a chart that is scrolled meanwhile asks the table once.
SECONDS_MAX = 60
# Bytes of the records' JSON, least recently used out first; as Python objects they take some five times as much.
BYTES_MAX = 8 * MIB

_Place = tuple[str | None, str, str]


@dataclass(frozen=True, slots=True)
class _Held:
    artifact: Artifact
    size: int
    until: datetime


class RecordCache:
    """By the owner acted for, the record's owner and its id, which names the session. For a process's threads."""

    def __init__(self, clock: Callable[[], datetime], bytes_max: int = BYTES_MAX) -> None:
        self._clock = clock
        self._bytes_max = bytes_max
        self._bytes = 0
        self._held: OrderedDict[_Place, _Held] = OrderedDict()
        self._lock = Lock()

    def get(self, owner: str, reference: Reference) -> Artifact | None:
        """The record, or None when it must be asked for: unknown, too old, or not of the session that is named."""
        place = (_acting_owner(), owner, reference.artifact_id)
        with self._lock:
            if place not in self._held:
                return None
            # A clock that was set back by more than a record lives makes it older, not younger.
            left = self._held[place].until - self._clock()
            if not timedelta() < left <= timedelta(seconds=SECONDS_MAX):
                self._drop(place)
                return None
            self._held.move_to_end(place)
            artifact = self._held[place].artifact
        return artifact if reference.session_id in (None, artifact.session_id) else None

    def keep(self, artifact: Artifact, size: int) -> None:
        """Holds a record that was just read, ``size`` bytes of JSON; one that may still change is not held."""
        if artifact.status is not Status.READY or size > self._bytes_max:
            return
        place = (_acting_owner(), artifact.scope.owner, artifact.artifact_id)
        until = self._clock() + timedelta(seconds=SECONDS_MAX)
        with self._lock:
            self._drop(place)
            self._held[place] = _Held(artifact, size, until)
            self._bytes += size
            while self._bytes > self._bytes_max:
                self._drop(next(iter(self._held)))

    def _drop(self, place: _Place) -> None:
        if held := self._held.pop(place, None):
            self._bytes -= held.size


def _acting_owner() -> str | None:
    scope = acting_scope()
    return scope.owner if scope else None
