"""What is promised, as simply as it can be said: files with versions, and records that point at one version each.

Nothing here knows how it is done. A world never changes; whatever happens in it answers the world after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tests.model.bodies import Body

READY, PROFILING, FAILED, GIVEN_UP = "ready", "profiling", "failed", "given-up"
# Told of a record whose version is gone, once that is known; when it is, is not in the model.
MISSING = "missing"


@dataclass(frozen=True)
class Who:
    """A session: whose it is, and what conversation or run it belongs to."""

    owner: str
    session: str
    conversation: str | None
    run: str | None

    def sees(self, made_by: Who) -> bool:
        together = self.session == made_by.session
        together |= self.conversation is not None and self.conversation == made_by.conversation
        together |= self.run is not None and self.run == made_by.run
        return self.owner == made_by.owner and together


@dataclass(frozen=True)
class Shared:
    """A conversation or a run (the ``kind``), and where its files lie."""

    owner: str
    kind: str
    id: str
    prefix: str

    def holds(self, who: Who) -> bool:
        return (who.owner, getattr(who, self.kind)) == (self.owner, self.id)


@dataclass(frozen=True)
class Request:
    """What a registration says: which file (its newest version when None), and about it."""

    key: str
    version: str | None
    name: str
    description: str
    source: str | None


@dataclass(frozen=True)
class Record:
    by: Who
    key: str
    version: str
    name: str
    description: str
    status: str


@dataclass(frozen=True)
class World:
    """``at_once``: bytes of a file up to which it is profiled at once. ``files``: the versions of each key, oldest
    first, None for a deletion. ``requests``: what each session used a token for. ``over``: the conversations and runs
    that have ended. ``unlisted`` and ``stale``: the ids that an index has not heard of, or not the last of."""

    at_once: int
    files: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    bodies: Mapping[str, Body] = field(default_factory=dict)
    records: Mapping[str, Record] = field(default_factory=dict)
    requests: Mapping[tuple[Who, str], tuple[Request, str]] = field(default_factory=dict)
    over: frozenset[Shared] = frozenset()
    unlisted: frozenset[str] = frozenset()
    stale: frozenset[str] = frozenset()

    # --- files -------------------------------------------------------------------------------------------

    def newest(self, key: str) -> str | None:
        return self.files.get(key, (None,))[-1]

    def there(self, record: Record) -> bool:
        return record.version in self.files.get(record.key, ())

    def written(self, key: str, version: str, body: Body) -> World:
        files = {**self.files, key: (*self.files.get(key, ()), version)}
        return replace(self, files=files, bodies={**self.bodies, version: body})

    def deleted(self, key: str, version: str | None) -> World:
        """A deletion hides what is there, and loses nothing; only the deletion of a version does."""
        before = self.files.get(key, ())
        after = (*before, None) if version is None else tuple(each for each in before if each != version)
        files = {name: versions for name, versions in {**self.files, key: after}.items() if versions}
        return replace(self, files=files)

    # --- records -----------------------------------------------------------------------------------------

    def registered(self, who: Who, request: Request, token: str | None, new_id: str) -> tuple[str, str, World]:
        """What is answered ("created", "known", or the problem's code), the id, and the world after."""
        if self.is_shut_out(who):
            return "ended", "", self
        if (used := self.requests.get((who, token or ""))) is not None:
            if used[0] != request:
                return "request-token-conflict", "", self
            return "known", used[1], self.wanted_again(used[1])
        version = request.version or self.newest(request.key)
        if version is None or version not in self.files.get(request.key, ()):
            hidden = request.version is not None and self.newest(request.key) is not None
            return "file-changed" if hidden else "file-not-found", "", self
        body = self.bodies[version]
        if not body.data:
            return "empty-file", "", self
        if request.source is not None and not self.visible(who, request.source):
            return "not-found", "", self
        record = Record(who, request.key, version, request.name, request.description, PROFILING)
        same = [known for known, other in self.records.items() if _identity(other) == _identity(record)]
        if not same and len(body.data) <= self.at_once:
            if body.is_damaged:
                return "unreadable-file", "", self
            record = replace(record, status=READY)
        known = same[0] if same else new_id
        after = self.wanted_again(known) if same else self._recorded(known, record)
        if token is not None:
            after = replace(after, requests={**self.requests, (who, token): (request, known)})
        return "known" if same else "created", known, after

    def profiled(self, known: str, attempt: int, tries: int) -> World:
        """After the ``attempt``-th delivery of a message that asks for it; the one after ``tries`` gives up."""
        record = self.records.get(known)
        if record is None or record.status not in (PROFILING, GIVEN_UP):
            return self
        if attempt > tries:
            return self._recorded(known, replace(record, status=GIVEN_UP))
        good = self.there(record) and not self.bodies[record.version].is_damaged
        return self._recorded(known, replace(record, status=READY if good else FAILED))

    def visible(self, who: Who, known: str) -> bool:
        return known in self.records and who.sees(self.records[known].by)

    def wanted_again(self, known: str) -> World:
        record = self.records[known]
        return self._recorded(known, replace(record, status=PROFILING)) if record.status == GIVEN_UP else self

    def _recorded(self, known: str, record: Record) -> World:
        after = replace(self, records={**self.records, known: record})
        if known in self.records:
            return replace(after, stale=self.stale | {known})
        return replace(after, unlisted=self.unlisted | {known})

    # --- the end -----------------------------------------------------------------------------------------

    def is_shut_out(self, who: Who) -> bool:
        return any(each.holds(who) for each in self.over)

    def ended(self, shared: Shared) -> World:
        """All of it is gone, for good. What a run made stays with the run when the conversation that began it ends."""

        def goes(who: Who) -> bool:
            return shared.holds(who) and (shared.kind == "run" or who.run is None)

        kept = {known: record for known, record in self.records.items() if not goes(record.by)}
        for known, record in kept.items():
            if shared.holds(record.by):
                kept[known] = replace(record, by=replace(record.by, conversation=None))
        return replace(
            self,
            files={key: versions for key, versions in self.files.items() if not key.startswith(shared.prefix)},
            records=kept,
            requests={used: answer for used, answer in self.requests.items() if not goes(used[0])},
            over=self.over | {shared},
        )

    # --- the indexes -------------------------------------------------------------------------------------

    def caught_up(self, ids: Iterable[str]) -> World:
        return replace(self, unlisted=self.unlisted - set(ids), stale=self.stale - set(ids))


def _identity(record: Record) -> tuple[str, ...]:
    return record.by.session, record.key, record.version, record.name
