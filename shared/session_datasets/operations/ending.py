"""What end_conversation and end_run have in common: everything that is left is removed, call by call.

The order is the crash model. First the mark, which is final: no session is opened in it from then on. Then every
session that may still be at work is shut out: no record can appear in its partition any more. Then, session by session,
the records: with its record an artifact is gone from every list and every read. Then what was derived, then the files,
both by their prefix. A reader sees an artifact whole or not at all, and nothing can be lost on the way: what a step
removes, it finds in the store itself, and a session's lease goes only after its records. Whoever dies in between
is continued by the next call, and a call after the last finds nothing, or what landed late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from session_datasets.domain.ending import NOTHING_REMOVED, Lease, Removed
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.limits import ENDING_PAGES_MAX, ENDING_SECONDS_MAX, LEASES_TOLD_MAX
from session_datasets.domain.scope import SharedScope
from session_datasets.operations.ports import Clock, Service

# Sessions whose records are removed before their leases are: what a call that dies has to look through again.
_SESSIONS_AT_ONCE = 25
# Each is one more session that was opened between two looks.
_MARK_TRIES = 5


@dataclass(frozen=True, slots=True)
class Ended:
    """What this call removed; when not ``done``, the same call goes on."""

    done: bool
    removed: Removed
    ended_at: datetime


def end_scope(service: Service, scope: SharedScope, release_leases: bool) -> Ended:
    """Removes for a while. Refusal still-in-use while a session of it is open, unless its lease is to be released."""
    budget = _Budget(service.clock)
    ended_at, was_done = _marked(service, scope, release_leases)
    removed, done_at = NOTHING_REMOVED, None
    try:
        for page in _pages(service, scope):
            removed += page
            if budget.is_spent():
                break
        else:
            done_at = service.clock()
    finally:
        service.leases.note(scope, removed, None if was_done else done_at)
    return Ended(done_at is not None, removed, ended_at)


def _marked(service: Service, scope: SharedScope, release_leases: bool) -> tuple[datetime, bool]:
    """When it ended, now or before, and whether all of it was removed before. Between the look at its leases and the
    mark no session is opened."""
    for _ in range(_MARK_TRIES):
        state = service.leases.state(scope)
        if state.ended_at is not None:
            return state.ended_at, state.done_at is not None
        now = service.clock()
        held = [lease for lease in service.leases.of(scope) if lease.is_held(now)]
        if held and not release_leases:
            raise _still_in_use(scope, held)
        if service.leases.mark_ended(scope, state, now):
            return now, False
    raise Refusal(ProblemCode.UNAVAILABLE, f"Sessions of {scope} are being opened; nothing was removed.")


def _still_in_use(scope: SharedScope, held: Sequence[Lease]) -> Refusal:
    latest = sorted(held, key=lambda lease: lease.expires_at, reverse=True)
    told = [f"{each.session_id} (node {each.node}) until {_minute(each)}" for each in latest[:LEASES_TOLD_MAX]]
    if more := len(held) - len(told):
        told.append(f"{more} more")
    sessions = "1 session" if len(held) == 1 else f"{len(held)} sessions"
    return Refusal(
        ProblemCode.STILL_IN_USE, f"{sessions} of {scope} may still be at work: {', '.join(told)}. Nothing was removed."
    )


def _minute(lease: Lease) -> str:
    """Rounded up, so that the call succeeds when it is made then."""
    return (lease.held_until + timedelta(minutes=1)).strftime("%Y-%m-%d %H:%M UTC")


def _pages(service: Service, scope: SharedScope) -> Iterator[Removed]:
    leases = service.leases.of(scope)
    _shut_out(service, scope, leases)
    for first in range(0, len(leases), _SESSIONS_AT_ONCE):
        some = leases[first : first + _SESSIONS_AT_ONCE]
        yield from service.record_removal.of_sessions(scope, some)
        service.leases.drop(scope, some, service.clock())
        yield NOTHING_REMOVED
    # Sessions of which there is a record and no lease: those of a version of the service that gave none. The index
    # lags, and what it still shows of the others is gone.
    known = {lease.session_id for lease in leases}
    for indexed in service.record_removal.indexed(scope, service.clock()):
        some = [each for each in indexed if each.session_id not in known]
        _shut_out(service, scope, some)
        yield from service.record_removal.of_sessions(scope, some)
    yield from service.file_removal.derived(scope)
    yield from service.file_removal.files(scope)


def _shut_out(service: Service, scope: SharedScope, leases: Sequence[Lease]) -> None:
    now = service.clock()
    at_work = [lease.session_id for lease in leases if lease.may_still_write(now)]
    if at_work:
        service.leases.shut_out(scope, at_work, now)


class _Budget:
    """Of one call: a number of pages and a stretch of time, of which at least one page is worked on."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until = clock() + timedelta(seconds=ENDING_SECONDS_MAX)
        self._pages = ENDING_PAGES_MAX

    def is_spent(self) -> bool:
        self._pages -= 1
        return self._pages <= 0 or self._clock() >= self._until
