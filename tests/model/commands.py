"""What nodes and the deployment do: each command runs for real, and its answer is judged by the model.

``run`` answers what was seen. ``judge`` answers the world after, and fails where the answer is none that the model
allows. ``cut_short`` answers every world that a command may leave behind that died, or was told that AWS is busy,
anywhere on its way: mostly the one before and the one after, for everything else would be half of something.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from session_datasets.domain.limits import PROFILE_TRIES_MAX
from tests.model.bodies import Body
from tests.model.places import Answer, Place
from tests.model.seen import Seen
from tests.model.world import FAILED, GIVEN_UP, MISSING, READY, Record, Request, Shared, Who, World

# Of the right form, and nobody's.
NOBODYS_ID = "art_0000000000" + "0" * 16


@dataclass(frozen=True)
class Session:
    """``who`` as the model knows it; token and workspace as the service gave them."""

    who: Who
    token: str
    workspace: str

    def __repr__(self) -> str:
        return self.who.session


class Command:
    """``meddled_with`` by another command in its midst: what it found may be gone when it answers."""

    meddled_with: Command | None = None

    def run(self, place: Place) -> Any:
        raise NotImplementedError

    def judge(self, world: World, answer: Any) -> World:
        raise NotImplementedError

    def cut_short(self, world: World, seen: Seen) -> Iterator[World]:
        yield world

    def is_busy(self, answer: Any) -> bool:
        """Whether the answer leaves open what was done."""
        told = answer[0] if isinstance(answer, tuple) else answer
        return isinstance(told, dict) and code_of(told) == "unavailable"

    def lost_its_way(self, answer: Answer) -> bool:
        """Refused in other words than before or after what got in its way: a file that went while it was read is told
        as such, and not as one that was never there."""
        words = {"file-missing"} if self.meddled_with else set()
        if isinstance(self.meddled_with, End):
            words |= {"ended", "file-not-found", "file-changed", "not-found"}
        return code_of(answer) in words


def code_of(answer: Answer) -> str | None:
    return str(answer["problem"]["code"]) if "problem" in answer else None


def new_versions(world: World, seen: Seen) -> list[tuple[str, str]]:
    """Key and id of the versions that are there and that the world does not know."""
    return sorted(each for each in seen.versions if each[1] not in world.bodies)


def fits(told: str, world: World, record: Record) -> bool:
    """Whether that may be told of the record's status."""
    expected = FAILED if record.status == GIVEN_UP else record.status
    return told == expected or (told == MISSING and not world.there(record))


def check_profile(told: Answer, body: Body) -> None:
    rows = told["profile"]["shape"]["rows"] if "profile" in told else None
    assert rows == (None if body.rows is None else len(body.rows)), told


# --- files -------------------------------------------------------------------------------------------------


@dataclass
class Put(Command):
    """A node writes a file with credentials of its own."""

    key: str
    body: Body

    def run(self, place: Place) -> str:
        return place.put(self.key, self.body.data)

    def judge(self, world: World, answer: str) -> World:
        return world.written(self.key, answer, self.body)


@dataclass
class Upload(Command):
    """A node asks how, and sends the file; one that is there by its own account is not sent again."""

    session: Session
    file_name: str
    body: Body
    replace: bool

    @property
    def key(self) -> str:
        return f"{self.session.workspace}datasets/{self.file_name}"

    def run(self, place: Place) -> tuple[Answer, str]:
        asked = {"file_name": self.file_name, "size": len(self.body.data), "sha256": self.body.sha256}
        plan = place.call("prepare_upload", {"token": self.session.token, **asked, "replace": self.replace})
        if "problem" in plan:
            return plan, ""
        return plan, plan["version_id"] if plan.get("present") else place.send(plan, self.body.data)

    def judge(self, world: World, answer: tuple[Answer, str]) -> World:
        plan, version = answer
        if world.is_shut_out(self.session.who):
            assert code_of(plan) == "ended", plan
            return world
        assert plan.get("key") == self.key, plan
        if plan.get("present"):
            # Which files announce their sha256 is not in the model; that it is the truth is.
            assert not self.replace
            assert world.bodies[version].data == self.body.data
            assert self.meddled_with is not None or world.newest(self.key) == version
            return world
        return world.written(self.key, version, self.body)


@dataclass
class Delete(Command):
    """Of a version, or of what is there under the key."""

    key: str
    version: str | None

    def run(self, place: Place) -> None:
        place.delete(self.key, self.version)

    def judge(self, world: World, answer: None) -> World:
        return world.deleted(self.key, self.version)


# --- registering -------------------------------------------------------------------------------------------


@dataclass
class Register(Command):
    session: Session
    request: Request
    token: str | None

    def run(self, place: Place) -> Answer:
        told = self.request
        body = {"token": self.session.token, "key": told.key, "name": told.name, "description": told.description}
        more = {"version_id": told.version, "request_token": self.token, "lineage": told.source and [told.source]}
        return place.call("register_artifact", {**body, **{name: value for name, value in more.items() if value}})

    def is_busy(self, answer: Answer) -> bool:
        return super().is_busy(answer) or self.lost_its_way(answer)

    def judge(self, world: World, answer: Answer) -> World:
        outcome, known, after = world.registered(
            self.session.who, self.request, self.token, answer.get("artifact_id", "")
        )
        if outcome not in ("created", "known"):
            source = self.request.source
            assert code_of(answer) == outcome or (source in world.unlisted and code_of(answer) == "not-found"), answer
            return world
        if self.request.source in world.unlisted and code_of(answer) == "not-found":
            # Named by its id alone, it is found by an index.
            return world
        assert "problem" not in answer, answer
        assert (answer["artifact_id"], answer["created"]) == (known, outcome == "created")
        if outcome == "created":
            assert known not in world.records, "the id of another record"
        record = after.records[known]
        reference = {"v": 1, "artifact_id": known, "session_id": record.by.session}
        assert answer["reference"] == {**reference, "key": record.key, "version_id": record.version}
        assert answer["name"] == record.name
        assert fits(answer["status"], world, record), answer
        if record.status == READY:
            check_profile(answer, after.bodies[record.version])
        return after

    def cut_short(self, world: World, seen: Seen) -> Iterator[World]:
        yield world
        for new in [*sorted(seen.records.keys() - world.records.keys()), ""]:
            outcome, _, after = world.registered(self.session.who, self.request, self.token, new)
            if outcome in ("created", "known"):
                yield after
            if outcome == "known":
                # One that was given up may be wanted again before the token is remembered, or the other way round.
                yield dataclasses.replace(after, requests=world.requests)
                yield dataclasses.replace(after, records=world.records)


@dataclass
class Deliver(Command):
    """The queue hands one message to the function, if one is visible."""

    delivered: tuple[str, int] | None = None

    def run(self, place: Place) -> bool:
        """Whether the message is to come again."""
        message = place.take()
        self.delivered = (message.artifact_id, message.attempt) if message else None
        return message is not None and place.deliver(message)

    def is_busy(self, answer: bool) -> bool:
        return answer

    def judge(self, world: World, answer: bool) -> World:
        return world.profiled(*self.delivered, PROFILE_TRIES_MAX) if self.delivered else world

    def cut_short(self, world: World, seen: Seen) -> Iterator[World]:
        yield world
        yield self.judge(world, True)
        if self.delivered and self.delivered[0] in world.records:
            yield world.wanted_again(self.delivered[0])


# --- listing -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Listing:
    """One walk through a listing: where it stands, what it has shown, and what it owes."""

    session: Session
    scope: str
    name: str | None
    limit: int
    cursor: str | None = None
    shown: tuple[str, ...] = ()
    owed: frozenset[str] = frozenset()

    def body(self) -> Answer:
        asked = {"token": self.session.token, "scope": self.scope, "limit": self.limit}
        more = {"name_contains": self.name, "cursor": self.cursor}
        return {**asked, **{name: value for name, value in more.items() if value is not None}}

    def reach(self, world: World) -> dict[str, Record]:
        """What the whole listing would show, were the indexes up to date."""
        who = self.session.who

        def belongs(by: Who) -> bool:
            within = {"session": (who.session, by.session), "run": (who.run, by.run)}
            mine, its = within.get(self.scope, (who.conversation, by.conversation))
            return who.owner == by.owner and (mine == its or who.session == by.session)

        named = {known: record for known, record in world.records.items() if self.name in (None, record.name)}
        return {known: record for known, record in named.items() if belongs(record.by)}

    def surely(self, world: World) -> frozenset[str]:
        """What it must show at this moment: an index may lag, but a session always sees its own."""
        reach = self.reach(world)
        return frozenset(
            known
            for known, record in reach.items()
            if known not in world.unlisted or record.by.session == self.session.who.session
        )


@dataclass
class List(Command):
    """One page of a listing."""

    listing: Listing

    def run(self, place: Place) -> Answer:
        return place.call("list_artifacts", self.listing.body())

    def judge(self, world: World, answer: Answer) -> World:
        assert "problem" not in answer, answer
        listing, own = self.listing, self.listing.session.who.session
        reach, items = listing.reach(world), answer["artifacts"]
        ids = [item["artifact_id"] for item in items]
        shown = (*listing.shown, *ids)
        assert list(shown) == sorted(set(shown), reverse=True), f"out of order, or twice: {shown}"
        assert len(ids) == listing.limit or "next_cursor" not in answer or listing.name, "a short page"
        assert len(ids) <= listing.limit
        assert set(ids) <= reach.keys(), f"listed, and not within reach: {set(ids) - reach.keys()}"
        for item in items:
            record = reach[item["artifact_id"]]
            assert (item["name"], item["description"]) == (record.name, record.description)
            fresh = item["artifact_id"] not in world.stale or own == record.by.session
            assert not fresh or fits(item["status"], world, record), item
        owed = listing.surely(world) if listing.cursor is None else listing.owed & reach.keys()
        due = owed if "next_cursor" not in answer else {known for known in owed if ids and known > ids[-1]}
        assert due <= set(shown), f"not listed: {due - set(shown)}"
        self.next = dataclasses.replace(listing, cursor=answer.get("next_cursor"), shown=shown, owed=owed)
        return world


@dataclass
class End(Command):
    """end_conversation or end_run, called until it says that it is done."""

    shared: Shared

    def run(self, place: Place) -> Answer:
        kind, removed = self.shared.kind, 0
        while True:
            asked = {"owner": self.shared.owner, f"{kind}_id": self.shared.id, "release_leases": True}
            answer = place.call(f"end_{kind}", asked)
            if "problem" in answer:
                return answer
            removed += answer["removed"]["artifacts"]
            if answer["done"]:
                place.forget()
                return {**answer, "artifacts": removed}

    def judge(self, world: World, answer: Answer) -> World:
        assert "problem" not in answer, answer
        after = world.ended(self.shared)
        # Where two get in each other's way, or one died, the other counts what it found.
        assert self.meddled_with is not None or answer["artifacts"] == len(world.records) - len(after.records), answer
        return after

    def check_half(self, world: World, seen: Seen) -> None:
        """After a crash: nothing else was touched, and what is still listed still has its file."""
        after = world.ended(self.shared)
        assert after.records.keys() <= seen.records.keys() <= world.records.keys()
        files = {(key, each) for key, versions in world.files.items() for each in versions if each is not None}
        kept = {(key, each) for key, each in files if key in after.files}
        assert kept <= seen.versions <= files
        for known in seen.records:
            record = world.records[known]
            assert not world.there(record) or (record.key, record.version) in seen.versions


@dataclass
class Misuse(Command):
    """A cursor that was changed, made up, or is another's."""

    body: Answer

    def run(self, place: Place) -> Answer:
        return place.call("list_artifacts", self.body)

    def judge(self, world: World, answer: Answer) -> World:
        assert code_of(answer) == "invalid-cursor", answer
        return world
