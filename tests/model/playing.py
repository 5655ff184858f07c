"""One game: commands are done for real, and what is not as the model beside them says is an AssertionError."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.model.commands import (
    Command,
    Deliver,
    End,
    List,
    Listing,
    Register,
    Session,
    code_of,
)
from tests.model.memory.steps import Died, Disturbance
from tests.model.places import MemoryPlace, Place
from tests.model.reading import (
    Asked,
    Describe,
    Download,
    Page,
)
from tests.model.seen import Seen
from tests.model.world import PROFILING, Record, Request, Who, World

# What was done, what happened to it, and what came of it.
Outcome = tuple[str, str, str]

_DELIVERIES = 4
# Longer than a message hides, and than a profile is believed to be under way.
LONG_SECONDS = 5_401


class Playing:
    """Who plays, how a command is done and judged, and the last look at everything."""

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

    # --- doing and judging -------------------------------------------------------------------------------

    def _do_one(self, command: Command, disturbance: Disturbance | None) -> None:
        self.tell(f"{command}, {disturbance}")
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
        self.tell(f"{command}, {disturbance}")
        answer, died = {}, False
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
        self.tell(f"{command}, {disturbance}, {other}")
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
            for scope in scopes(session):
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
        for _ in range(_DELIVERIES):
            place.cloud.account.clock.go_on(LONG_SECONDS)
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


def scopes(session: Session) -> list[str]:
    bound = {"conversation": session.who.conversation, "run": session.who.run}
    return ["session", *(scope for scope, value in bound.items() if value is not None)]
