"""What readers ask, by references that they know, and what the model allows as an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.model.commands import NOBODYS_ID, Command, Session, check_profile, code_of, fits, new_versions
from tests.model.places import Answer, Place
from tests.model.seen import Seen
from tests.model.world import FAILED, PROFILING, READY, Record, World
from tests.support.sessions import without_request_id


@dataclass
class Asked:
    """A reference in one of its forms, and what a session must be told that uses it."""

    session: Session
    known: str
    named: dict[str, str]

    def body(self, known: str | None = None) -> Answer:
        return {
            "token": self.session.token,
            "reference": {"v": 1, "artifact_id": known or self.known, **self.named},
        }

    def codes(self, world: World) -> set[str | None]:
        """The problem, or None, before the verb itself has a say."""
        record = world.records.get(self.known)
        if record is None or not self.session.who.sees(record.by):
            return {"not-found"}
        if self.named.get("session_id", record.by.session) != record.by.session:
            return {"not-found"}
        agrees = self.named.get("version_id", record.version) == record.version
        found: set[str | None] = {None if agrees else "reference-mismatch"}
        by_index = "session_id" not in self.named and record.by.session != self.session.who.session
        return found | {"not-found"} if by_index and self.known in world.unlisted else found


@dataclass
class Reading(Command):
    """Answers what is answered, and beside it what the same question gets about an id that is nobody's."""

    asked: Asked

    verb = ""

    def more(self) -> Answer:
        return {}

    def run(self, place: Place) -> tuple[Answer, Answer | None]:
        answer = place.call(self.verb, {**self.asked.body(), **self.more()})
        if code_of(answer) != "not-found":
            return answer, None
        place.calm()
        return answer, place.call(self.verb, {**self.asked.body(NOBODYS_ID), **self.more()})

    def judge(self, world: World, answer: tuple[Answer, Any]) -> World:
        told, twin = answer
        codes, code = self.asked.codes(world), code_of(told)
        if code == "not-found":
            assert code in codes, f"a reference that was given leads nowhere: {told}"
            assert without_request_id(told) == without_request_id(twin)
            return world
        if None in codes:
            return self.judge_found(world, world.records[self.asked.known], answer)
        assert code in codes, (codes, told)
        return world

    def judge_found(self, world: World, record: Record, answer: tuple[Answer, Any]) -> World:
        raise NotImplementedError

    def is_shut_out(self, world: World, told: Answer) -> bool:
        """Whether what it belongs to has ended, which then is what it is told."""
        shut_out = world.is_shut_out(self.asked.session.who)
        assert not shut_out or code_of(told) == "ended", told
        return shut_out


@dataclass
class Describe(Reading):
    verb = "describe_artifact"

    def judge_found(self, world: World, record: Record, answer: tuple[Answer, Any]) -> World:
        told, body = answer[0], world.bodies[record.version]
        assert "problem" not in told, told
        expected = (record.name, record.description, record.by.session, len(body.data))
        assert (told["name"], told["description"], told["session_id"], told["size"]) == expected
        assert fits(told["status"], world, record), told
        if record.status != FAILED:
            assert told["sha256"] == body.sha256
        if record.status == READY:
            check_profile(told, body)
        return world


@dataclass
class Page(Reading):
    offset: int
    limit: int

    verb = "read_rows"

    def more(self) -> Answer:
        return {"offset": self.offset, "limit": self.limit}

    def judge_found(self, world: World, record: Record, answer: tuple[Answer, Any]) -> World:
        told, rows = answer[0], world.bodies[record.version].rows
        if not world.there(record) and code_of(told) in ("file-missing", "file-changed"):
            # What was laid out may be read on; where the loss is known it may be told.
            return world
        if record.status == PROFILING:
            assert code_of(told) == "still-profiling", told
        elif record.status != READY or rows is None:
            assert code_of(told) == "not-a-dataset", told
        else:
            expected = [list(row) for row in rows[self.offset : self.offset + self.limit]]
            assert (told.get("rows"), told.get("total")) == (expected, len(rows)), told
        return world


@dataclass
class Download(Reading):
    """load_artifact into the working directory: what is fetched is what was registered."""

    verb = "load_artifact"

    def run(self, place: Place) -> tuple[Answer, Any]:
        answer, twin = super().run(place)
        if "download" in answer:
            return answer, place.fetch(answer["download"])
        return answer, twin

    def judge_found(self, world: World, record: Record, answer: tuple[Answer, Any]) -> World:
        told, data = answer
        if _is_gone(world, record, told) or self.is_shut_out(world, told):
            return world
        assert "problem" not in told, told
        # It may go while it is on its way; what comes is never another file.
        assert data == world.bodies[record.version].data or (self.meddled_with is not None and data is None)
        return world


@dataclass
class Copy(Reading):
    """load_artifact into the workspace: a copy made by the server, once."""

    verb = "load_artifact"

    def more(self) -> Answer:
        return {"into": "workspace"}

    def run(self, place: Place) -> tuple[Answer, Any]:
        answer, twin = super().run(place)
        if "problem" in answer:
            return answer, twin
        return answer, place.stored(answer["key"], answer["version_id"])

    def is_busy(self, answer: Any) -> bool:
        # A copy that lands behind an end stays until that is called again.
        return super().is_busy(answer) or self.lost_its_way(answer[0])

    def judge_found(self, world: World, record: Record, answer: tuple[Answer, Any]) -> World:
        told, data = answer
        if _is_gone(world, record, told) or self.is_shut_out(world, told):
            return world
        assert "problem" not in told, told
        body, key, version = world.bodies[record.version], told["key"], told["version_id"]
        assert key.startswith(self.asked.session.workspace)
        assert data == body.data or (self.meddled_with is not None and data is None), (
            f"a copy of something else: {data!r}"
        )
        if version in world.bodies:
            assert world.bodies[version].data == body.data
            assert self.meddled_with is not None or world.newest(key) == version
            return world
        return world.written(key, version, body)

    def cut_short(self, world: World, seen: Seen) -> Iterator[World]:
        yield world
        record = world.records.get(self.asked.known)
        for key, version in new_versions(world, seen):
            if record and key.startswith(f"{self.asked.session.workspace}datasets/loaded/"):
                yield world.written(key, version, world.bodies[record.version])


def _is_gone(world: World, record: Record, told: Answer) -> bool:
    """Whether the registered version is gone; then it is said, and said right."""
    if world.there(record):
        return False
    expected = "file-missing" if world.newest(record.key) is None else "file-changed"
    assert code_of(told) == expected, told
    return True
