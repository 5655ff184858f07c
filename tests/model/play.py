"""Random commands: what is asked, and what gets in the way of it.

``pick`` chooses: hypothesis where it looks for the shortest way to a fault, a seeded generator on an emulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import jwt

from tests.model.bodies import BODIES
from tests.model.commands import (
    Command,
    Delete,
    Deliver,
    End,
    List,
    Listing,
    Misuse,
    Put,
    Register,
    Session,
    Upload,
)
from tests.model.memory.steps import Disturbance, Moment, be_busy, die
from tests.model.places import MemoryPlace
from tests.model.playing import LONG_SECONDS, Playing, scopes
from tests.model.reading import (
    Asked,
    Copy,
    Describe,
    Download,
    Page,
)
from tests.model.world import Request, Shared

T = TypeVar("T")
Pick = Callable[[Sequence[Any]], Any]

_FILE_NAMES = ("a.csv", "b.csv")
_NAMES = ("Sales", "Stock")
_TOKENS = (None, "t-1", "t-2")
# Steps of a command that something happens at; the longest registration has some more.
_STEPS = range(1, 11)
_FEW_STEPS = range(1, 8)
_RETRIES = 4


class Play(Playing):
    """``step`` makes one random command; ``finish`` looks at everything once more."""

    # --- commands ----------------------------------------------------------------------------------------

    @property
    def actions(self) -> Sequence[Callable[[Pick], None]]:
        both = [self.put, self.upload, self.delete, self.register, self.register, self.describe, self.page]
        both += [self.download, self.copy, self.begin_listing, self.go_on_listing, self.misuse_a_cursor]
        if self.place.is_plain:
            return both
        return [
            *both,
            self.end,
            self.race,
            self.register,
            self.deliver,
            self.retry,
            self.let_an_index_catch_up,
            self.let_time_pass,
        ]

    def step(self, pick: Pick) -> None:
        pick(self.actions)(pick)

    def put(self, pick: Pick) -> None:
        self._do(pick, Put(self._a_key(pick), pick(BODIES)))

    def upload(self, pick: Pick) -> None:
        self._do(pick, Upload(pick(self.sessions), pick(_FILE_NAMES), pick(BODIES), pick((False, True))))

    def delete(self, pick: Pick) -> None:
        command = self._a_deletion(pick)
        self._do(pick, command) if command else self.put(pick)

    def register(self, pick: Pick) -> None:
        # Mostly where there is something to register.
        furnished = [each for each in self.sessions if self._files_of(each)]
        if not furnished:
            return self.put(pick)
        return self._do(pick, self._a_registration(pick, pick([*furnished * 4, *self.sessions])))

    def race(self, pick: Pick) -> None:
        """Two registrations of one session at once: the same, or others under the same token."""
        command = self._a_registration(pick, pick(self.sessions))
        if not self._files_of(command.session):
            self._do_one(Put(command.request.key, pick(BODIES)), None)
        other = pick(self._alike(pick, command))
        self._do_both(command, other, Disturbance(pick(_STEPS), pick(list(Moment)), lambda: None))

    def deliver(self, pick: Pick) -> None:
        self._do(pick, Deliver())

    def retry(self, pick: Pick) -> None:
        """What died, or was told to try again, is made anew."""
        self._do(pick, self.interrupted) if self.interrupted else self.register(pick)

    def describe(self, pick: Pick) -> None:
        self._read(pick, lambda asked: Describe(asked))

    def page(self, pick: Pick) -> None:
        offset, limit = pick((0, 1, 5, 12, 100)), pick((1, 4, 20))
        self._read(pick, lambda asked: Page(asked, offset, limit))

    def download(self, pick: Pick) -> None:
        self._read(pick, Download)

    def copy(self, pick: Pick) -> None:
        self._read(pick, Copy)

    def begin_listing(self, pick: Pick) -> None:
        session = pick([*self._seeing(1) * 3, *self.sessions])
        name, limit = pick((None, None, None, *_NAMES)), pick((1, 1, 2, 20))
        self._do(pick, List(Listing(session, pick(scopes(session)), name, limit)))

    def go_on_listing(self, pick: Pick) -> None:
        self._do(pick, List(pick(self.listings))) if self.listings else self.begin_listing(pick)

    def misuse_a_cursor(self, pick: Pick) -> None:
        if not self.listings:
            if not (seeing := self._seeing(2)):
                return self.register(pick)
            session = pick(seeing)
            self._do_one(List(Listing(session, scopes(session)[-1], None, 1)), None)
        if not self.listings:
            return None
        return self._do(pick, Misuse(pick(list(_misuses(pick(self.listings), self.sessions)))))

    def let_an_index_catch_up(self, pick: Pick) -> None:
        lagging = sorted(self.world.unlisted | self.world.stale)
        self._catch_up(pick([lagging, *([each] for each in lagging)])) if lagging else self.register(pick)

    def let_time_pass(self, pick: Pick) -> None:
        assert isinstance(self.place, MemoryPlace)
        clock, seconds = self.place.cloud.account.clock, pick((1, 61, LONG_SECONDS))
        if clock.may_go_on(seconds + 3_600):
            clock.go_on(seconds)

    def end(self, pick: Pick) -> None:
        """Of something that is not much more than begun, seldom; called until it is done."""
        if not pick((False, False, False, False, True)):
            return self.begin_listing(pick)
        command = End(_shared(pick(self.sessions[:8]), pick(("conversation", "run"))))
        for _ in range(_RETRIES):
            what = pick((None, die, be_busy))
            disturbance = Disturbance(pick(range(1, 31)), pick(list(Moment)), what) if what else None
            if self._is_done(command, disturbance):
                return self._open()
        self._do_one(command, None)
        return self._open()

    # --- choices -----------------------------------------------------------------------------------------

    def _do(self, pick: Pick, command: Command) -> None:
        disturbance, other = self._a_disturbance(pick, command)
        if other is not None:
            assert disturbance is not None
            self._do_both(command, other, disturbance)
        else:
            self._do_one(command, disturbance)
        if self.place.is_plain:
            self._catch_up(self.world.records)

    def _a_key(self, pick: Pick) -> str:
        return f"{pick(self.sessions).workspace}datasets/{pick(_FILE_NAMES)}"

    def _files_of(self, session: Session) -> list[str]:
        names = [key for key in self.world.files if key.startswith(session.workspace)]
        return [key for key in names if self.world.newest(key) is not None]

    def _seeing(self, count: int) -> list[Session]:
        """Sessions within whose reach are so many artifacts, or more."""

        def within(session: Session) -> int:
            return sum(self.world.visible(session.who, known) for known in self.world.records)

        return [each for each in self.sessions if within(each) >= count]

    def _a_registration(self, pick: Pick, session: Session) -> Register:
        """Mostly of a file that is there."""
        key = pick([f"{session.workspace}datasets/{_FILE_NAMES[0]}", *self._files_of(session) * 3])
        versions = [each for each in self.world.files.get(key, ()) if each is not None]
        # The last is a version of another file, or of none.
        version = pick([*[None] * 6, *versions, *list(self.world.bodies)[-1:]])
        sources = [None] * 8 + list(self.world.records)
        request = Request(key, version, pick(_NAMES), pick(("", "By day")), pick(sources))
        return Register(session, request, pick(_TOKENS))

    def _a_deletion(self, pick: Pick) -> Delete | None:
        pinned = [(record.key, record.version) for record in self.world.records.values() if self.world.there(record)]
        newest = [(key, None) for key in self.world.files if self.world.newest(key) is not None]
        every = [(key, each) for key, versions in self.world.files.items() for each in versions if each is not None]
        if choices := [*newest, *pinned, *every]:
            return Delete(*pick(choices))
        return None

    def _read(self, pick: Pick, read: Callable[[Asked], Command]) -> None:
        if not self.world.records:
            return self.register(pick)
        known = pick(sorted(self.world.records))
        record = self.world.records[known]
        near = [each for each in self.sessions if each.who.sees(record.by)]
        session = pick([*near * 4, *self.sessions])
        whole = {"session_id": record.by.session, "key": record.key, "version_id": record.version}
        forms = [whole, whole, {"session_id": record.by.session}, {}]
        forms += [{**whole, "version_id": "v0"}, {"session_id": session.who.session}]
        return self._do(pick, read(Asked(session, known, pick(forms))))

    def _a_disturbance(self, pick: Pick, command: Command) -> tuple[Disturbance | None, Command | None]:
        """What happens, and the other command if it is that."""
        if self.place.is_plain or isinstance(command, Put | Delete | Upload | Misuse | End):
            return None, None
        what = pick((None, None, die, be_busy, "meddle", "meddle"))
        if what is None:
            return None, None
        at, moment = pick(_STEPS if isinstance(command, Register) else _FEW_STEPS), pick(list(Moment))
        if what != "meddle":
            return Disturbance(at, moment, what), None
        other = self._a_meddler(pick, command)
        return Disturbance(at, moment, lambda: None), other

    def _a_meddler(self, pick: Pick, command: Command) -> Command:
        """A command that gets in the way: the same registration, another under its token, its file written or gone."""
        again: list[Command] = []
        key = self._a_key(pick)
        if isinstance(command, Register):
            again, key = [*self._alike(pick, command)], command.request.key
        # A copy that is tried again may ask for what an end has removed meanwhile.
        if isinstance(command, Copy) and (record := self.world.records.get(command.asked.known)):
            file_name = record.key.rsplit("/", 1)[-1]
            key = f"{command.asked.session.workspace}datasets/loaded/{command.asked.known}/{file_name}"
        if isinstance(command, Register | Copy):
            session = command.session if isinstance(command, Register) else command.asked.session
            again.append(End(_shared(session, pick(("conversation", "run")))))
        others = [*again, Put(key, pick(BODIES)), Delete(key, None), Deliver(), self._a_deletion(pick)]
        chosen: Command = pick([each for each in others if each is not None])
        return chosen

    def _alike(self, pick: Pick, command: Register) -> list[Register]:
        """Registrations that get in the way of this one."""
        session, request, token = command.session, command.request, command.token
        other = self._a_registration(pick, session).request
        return [
            Register(session, request, token),
            Register(session, request, pick(_TOKENS)),
            Register(session, other, token),
        ]


def _shared(session: Session, kind: str) -> Shared:
    """What the session belongs to, of this kind if it does."""
    who = session.who
    if kind == "run" and who.run is not None:
        return Shared(who.owner, "run", who.run, session.workspace.rsplit("/", 2)[0] + "/")
    if who.conversation is None:
        return _shared(session, "run")
    return Shared(who.owner, "conversation", who.conversation, f"{who.owner}/conversations/{who.conversation}/")


def _misuses(listing: Listing, sessions: Sequence[Session]) -> Iterator[dict[str, Any]]:
    """Requests with the listing's cursor that must be refused."""
    body, cursor = listing.body(), listing.cursor or ""
    claims = jwt.decode(cursor, options={"verify_signature": False})
    elsewhere = {**claims, "pos": "art_" + "z" * 26}
    header = jwt.get_unverified_header(cursor)
    yield {
        **body,
        "cursor": jwt.encode(elsewhere, "another secret of thirty-two bytes", "HS256", {"kid": header["kid"]}),
    }
    yield {**body, "cursor": jwt.encode(elsewhere, "", "none", {"kid": header["kid"]})}
    yield {**body, "cursor": cursor[:-2]}
    yield {**body, "name_contains": "S"}
    yield from (
        {**body, "token": each.token}
        for each in sessions
        if each is not listing.session and listing.scope in scopes(each)
    )
