"""Plays commands on a place and keeps the model beside it: whatever is not as the model says is an AssertionError.

``pick`` chooses: hypothesis where it looks for the shortest way to a fault, a seeded generator on an emulator.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import jwt

from tests.model.bodies import BODIES
from tests.model.commands import (
    Asked,
    Command,
    Copy,
    Delete,
    Deliver,
    Describe,
    Download,
    End,
    List,
    Listing,
    Misuse,
    Page,
    Put,
    Register,
    Session,
    Upload,
    code_of,
)
from tests.model.memory.steps import Died, Disturbance, Moment, be_busy, die
from tests.model.places import MemoryPlace, Place
from tests.model.seen import Seen
from tests.model.world import PROFILING, Record, Request, Shared, Who, World

T = TypeVar("T")
Pick = Callable[[Sequence[Any]], Any]
# What was done, what happened to it, and what came of it.
Outcome = tuple[str, str, str]

_FILE_NAMES = ("a.csv", "b.csv")
_NAMES = ("Sales", "Stock")
_TOKENS = (None, "t-1", "t-2")
# Steps of a command that something happens at; the longest registration has some more.
_STEPS = range(1, 11)
_FEW_STEPS = range(1, 8)
_RETRIES = 4
# Longer than a message hides, and than a profile is believed to be under way.
_LONG_SECONDS = 5_401


class Play:
    """``step`` makes one random command; ``finish`` looks at everything once more."""

    def __init__(self, place: Place, tell: Callable[[str], Any] = lambda _: None, suffix: str = "") -> None:
        self.place = place
        self.tell = tell
        self.world = World(place.at_once_bytes)
        self.listings: list[Listing] = []
        self.interrupted: Command | None = None
        self.outcomes: Counter[Outcome] = Counter()
        self._owed: set[str] = set()
        # Owners of their own, in a table that is shared.
        self.owner, self.other = f"acme{suffix}", f"other{suffix}"
        self.owners = frozenset({self.owner, self.other})
        self.everyone: list[Session] = []
        self._ended: list[Session] = []
        self.sessions: list[Session] = []
        self._open()

    def _open(self) -> None:
        """Two owners who use the same words, two conversations, a run of two nodes, and a run that a conversation
        began; under another id where one has ended."""
        mine, theirs = self._going_on(self.owner), self._going_on(self.other)
        wanted = [
            (self.owner, mine("conversation", "talk")),
            (self.owner, mine("conversation", "talk")),
            (self.owner, mine("conversation", "aside")),
            (self.owner, mine("run", "run")),
            (self.owner, mine("run", "run")),
            (self.owner, mine("conversation", "talk") | mine("run", "errand")),
            (self.other, theirs("conversation", "talk")),
            (self.other, theirs("run", "run")),
        ]
        for place, (owner, scope) in enumerate(wanted):
            there = self.sessions[place] if place < len(self.sessions) else None
            if there is None or self.world.is_shut_out(there.who):
                self._ended += [there] if there else []
                self.sessions[place : place + 1] = [self._opened(owner, **scope)]
        self.sessions[len(wanted) :] = self._ended[-2:]

    def _going_on(self, owner: str) -> Callable[[str, str], dict[str, str]]:
        over = {(each.owner, each.kind, each.id) for each in self.world.over}

        def name(kind: str, word: str) -> dict[str, str]:
            names = (f"{word}-{number}" for number in itertools.count(1))
            return {f"{kind}_id": next(each for each in names if (owner, kind, each) not in over)}

        return name

    def _opened(self, owner: str, **scope: str) -> Session:
        opened = self.place.call("open_session", {"owner": owner, "node": "node", "ttl_seconds": 43_200, **scope})
        who = Who(owner, opened["session_id"], scope.get("conversation_id"), scope.get("run_id"))
        self.everyone.append(session := Session(who, opened["token"], opened["workspace"]))
        return session

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
        self._files_of(command.session) or self._do_one(Put(command.request.key, pick(BODIES)), None)
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
        self._do(pick, List(Listing(session, pick(_scopes(session)), name, limit)))

    def go_on_listing(self, pick: Pick) -> None:
        self._do(pick, List(pick(self.listings))) if self.listings else self.begin_listing(pick)

    def misuse_a_cursor(self, pick: Pick) -> None:
        if not self.listings:
            if not (seeing := self._seeing(2)):
                return self.register(pick)
            session = pick(seeing)
            self._do_one(List(Listing(session, _scopes(session)[-1], None, 1)), None)
        if not self.listings:
            return None
        return self._do(pick, Misuse(pick(list(_misuses(pick(self.listings), self.sessions)))))

    def let_an_index_catch_up(self, pick: Pick) -> None:
        lagging = sorted(self.world.unlisted | self.world.stale)
        self._catch_up(pick([lagging, *([each] for each in lagging)])) if lagging else self.register(pick)

    def let_time_pass(self, pick: Pick) -> None:
        assert isinstance(self.place, MemoryPlace)
        clock, seconds = self.place.cloud.account.clock, pick((1, 61, _LONG_SECONDS))
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
            self.tell(f"{command}, {disturbance}")
            if self._is_done(command, disturbance):
                return self._open()
        self._do_one(command, None)
        return self._open()

    # --- choices -----------------------------------------------------------------------------------------

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
        if isinstance(command, Copy):
            record = self.world.records[command.asked.known]
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

    # --- doing and judging -------------------------------------------------------------------------------

    def _do(self, pick: Pick, command: Command) -> None:
        disturbance, other = self._a_disturbance(pick, command)
        self.tell(f"{command}, {disturbance}, {other}")
        if other is not None:
            assert disturbance is not None
            self._do_both(command, other, disturbance)
        else:
            self._do_one(command, disturbance)
        if self.place.is_plain:
            self._catch_up(self.world.records)

    def _do_one(self, command: Command, disturbance: Disturbance | None) -> None:
        answer, died, happened = None, False, False
        if disturbance is None:
            answer = command.run(self.place)
        else:
            assert isinstance(self.place, MemoryPlace)
            steps = self.place.cloud.steps
            with steps.disturbed_by(disturbance):
                try:
                    answer = command.run(self.place)
                except Died:
                    died = True
                happened = steps.happened
        if died:
            assert isinstance(self.place, MemoryPlace)
            self.place.died()
        what = disturbance.what.__name__ if disturbance and happened else ""
        self._count(command, what, "died" if died else answer)
        seen = self._see()
        if died or (happened and command.is_busy(answer)):
            self.interrupted = command
            self._settle_on(seen, list(command.cut_short(self.world, seen)), [])
            return
        self._settle_on(seen, [command.judge(self.world, answer)], [])
        if isinstance(command, End):
            self.world = self.world.caught_up(self.world.unlisted | self.world.stale)
        self._remember(command, answer)

    def _is_done(self, command: End, disturbance: Disturbance | None) -> bool:
        """Whether it came to its end; if not, what it left is well."""
        assert isinstance(self.place, MemoryPlace)
        answer, died = None, False
        with self.place.cloud.steps.disturbed_by(disturbance):
            try:
                answer = command.run(self.place)
            except Died:
                died = True
        self._count(command, disturbance.what.__name__ if disturbance else "", "died" if died else answer)
        if died:
            self.place.died()
        if died or command.is_busy(answer):
            command.check_half(self.world, self._see())
            # What went before counts as gone, also for the next call.
            command.meddled_with = command
            return False
        self._settle_on(self._see(), [command.judge(self.world, answer)], [])
        self.world = self.world.caught_up(self.world.unlisted | self.world.stale)
        return True

    def _do_both(self, command: Command, other: Command, disturbance: Disturbance) -> None:
        """One in the midst of the other: the answers and what is left must be those of one after the other."""
        assert isinstance(self.place, MemoryPlace)
        place, answers = self.place, {}

        def meddle() -> None:
            mine = place.cloud.wired
            place.answered_by_another()
            answers["other"] = other.run(place)
            place.cloud.wired = mine

        with place.cloud.steps.disturbed_by(Disturbance(disturbance.at, disturbance.moment, meddle)):
            answer = command.run(place)
        meddler = type(other).__name__ if "other" in answers else ""
        self._count(command, meddler, answer)
        seen = self._see()
        if "other" not in answers:
            self._settle_on(seen, [command.judge(self.world, answer)], [])
            self._remember(command, answer)
            return
        command.meddled_with, other.meddled_with = other, command
        one, two = (command, answer), (other, answers["other"])
        wrong: list[str] = []
        worlds = [
            last
            for first, second in ((one, two), (two, one))
            for between in _outcomes(*first, self.world, seen, wrong)
            for last in _outcomes(*second, between, seen, wrong)
        ]
        command.meddled_with = other.meddled_with = None
        self._settle_on(seen, worlds, wrong)
        if isinstance(other, End):
            self.world = self.world.caught_up(self.world.unlisted | self.world.stale)
            self._open()
        for each, told in (one, two):
            if not each.is_busy(told):
                self._remember(each, told)

    def _count(self, command: Command, happened: str, answer: Any) -> None:
        told = answer[0] if isinstance(answer, tuple) else answer
        outcome = "answered"
        if isinstance(told, dict):
            outcome = code_of(told) or ("known" if told.get("created") is False else outcome)
        self.outcomes[type(command).__name__, happened, "died" if answer == "died" else outcome] += 1

    @property
    def steps(self) -> int:
        return self.outcomes.total()

    def _see(self) -> Seen:
        return self.place.see(self.owners)

    def _settle_on(self, seen: Seen, worlds: list[World], wrong: list[str]) -> None:
        """The world that is as what was seen."""
        differences = [seen.differences(world) for world in worlds]
        for world, each in zip(worlds, differences, strict=True):
            if not each:
                self.world = world
                return
        raise AssertionError("\n".join(["no world of the model is what is there", *wrong, *map(str, differences)]))

    def _remember(self, command: Command, answer: Any) -> None:
        if isinstance(command, List):
            self.listings = [each for each in self.listings if each is not command.listing]
            if command.next.cursor is not None:
                self.listings = [*self.listings, command.next][-4:]
        if isinstance(command, Register) and answer.get("status") == PROFILING:
            self._owed.add(answer["artifact_id"])

    def _catch_up(self, ids: Any) -> None:
        if isinstance(self.place, MemoryPlace):
            self.place.catch_up(set(ids))
        self.world = self.world.caught_up(ids)

    # --- at the end --------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Every profile that was promised is made, every session sees what it should, and every reference leads on."""
        self._catch_up(sorted(self.world.records))
        if isinstance(self.place, MemoryPlace):
            self._work_off(self.place)
        for session in self.sessions:
            for scope in _scopes(session):
                self._list_to_the_end(Listing(session, scope, None, 20))
        for known, record in self.world.records.items():
            owns = self._session_of(record)
            for session in (owns, self.sessions[0], self.sessions[-1], self.sessions[-2]):
                asked = Asked(session, known, {"session_id": record.by.session})
                for command in (Describe(asked), Page(asked, 0, 20), Download(asked)):
                    self._do_one(command, None)

    def _session_of(self, record: Record) -> Session:
        return next(each for each in self.everyone if each.who.session == record.by.session)

    def _list_to_the_end(self, listing: Listing) -> None:
        command = List(listing)
        self._do_one(command, None)
        while command.next.cursor is not None:
            command = List(command.next)
            self._do_one(command, None)
        assert set(command.next.shown) == listing.reach(self.world).keys()

    def _work_off(self, place: MemoryPlace) -> None:
        self._deliver_all(place)
        unfinished = [known for known, record in self.world.records.items() if record.status == PROFILING]
        assert not self._owed & set(unfinished), "a profile that was promised is not made"
        for known in unfinished:
            record = self.world.records[known]
            session = self._session_of(record)
            request = Request(record.key, record.version, record.name, record.description, None)
            if self.world.there(record) and not self.world.is_shut_out(session.who):
                self._do_one(Register(session, request, None), None)
        self._deliver_all(place)
        stuck = [
            record
            for record in self.world.records.values()
            if record.status == PROFILING
            and self.world.there(record)
            and not self.world.is_shut_out(self._session_of(record).who)
        ]
        assert not stuck, f"registered again, and still without a profile: {stuck}"
        self._catch_up(sorted(self.world.records))

    def _deliver_all(self, place: MemoryPlace) -> None:
        for _ in range(_RETRIES):
            place.cloud.account.clock.go_on(_LONG_SECONDS)
            while True:
                command = Deliver()
                self._do_one(command, None)
                if command.delivered is None:
                    break


def _outcomes(command: Command, answer: Any, world: World, seen: Seen, wrong: list[str]) -> list[World]:
    if command.is_busy(answer):
        return list(command.cut_short(world, seen))
    try:
        return [command.judge(world, answer)]
    except AssertionError as error:
        wrong.append(f"{command}: {error}")
        return []


def _shared(session: Session, kind: str) -> Shared:
    """What the session belongs to, of this kind if it does."""
    who = session.who
    if kind == "run" and who.run is not None:
        return Shared(who.owner, "run", who.run, session.workspace.rsplit("/", 2)[0] + "/")
    if who.conversation is None:
        return _shared(session, "run")
    return Shared(who.owner, "conversation", who.conversation, f"{who.owner}/conversations/{who.conversation}/")


def _scopes(session: Session) -> list[str]:
    bound = {"conversation": session.who.conversation, "run": session.who.run}
    return ["session", *(scope for scope, value in bound.items() if value is not None)]


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
    yield {**body, "cursor": jwt.encode(elsewhere, None, "none", {"kid": header["kid"]})}
    yield {**body, "cursor": cursor[:-2]}
    yield {**body, "name_contains": "S"}
    yield from (
        {**body, "token": each.token}
        for each in sessions
        if each is not listing.session and listing.scope in _scopes(each)
    )
