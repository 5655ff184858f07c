"""The orchestrator's ends in the SDK: as many calls as it takes, one sum."""

from __future__ import annotations

from typing import Any

import pytest

from session_datasets.client.errors import StillInUseError
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.domain.errors import ProblemCode, Refusal
from session_datasets.domain.names import Verb
from session_datasets.wire.ending import RemovedPart
from session_datasets.wire.problem import ProblemModel

COUNTS = tuple(RemovedPart.model_fields)


def answer(done: bool, **counts: int) -> dict[str, Any]:
    removed = dict.fromkeys(COUNTS, 0) | counts
    return {"v": 1, "done": done, "removed": removed, "ended_at": "2026-01-02T03:04:05Z"}


class Scripted:
    """A transport that answers these, one after the other."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[Verb, dict[str, Any]]] = []

    def call(self, verb: Verb, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((verb, {name: value for name, value in body.items() if name != "correlation_id"}))
        return self._answers.pop(0)


def test_calls_go_on_until_one_is_done_and_their_counts_are_added() -> None:
    service = Scripted(answer(False, artifacts=25), answer(False, artifacts=5, bytes=7), answer(True, bytes=3))
    told: list[int] = []
    removed = Orchestrator(service).end_run("run-1", owner="acme", progress=lambda each: told.append(each.artifacts))
    assert (removed.artifacts, removed.bytes, told) == (30, 10, [25, 30, 30])
    wanted = {"v": 1, "owner": "acme", "run_id": "run-1", "release_leases": False}
    assert service.asked == [(Verb.END_RUN, wanted)] * 3


def test_a_conversation_is_ended_by_its_own_verb() -> None:
    service = Scripted(answer(True))
    Orchestrator(service).end_conversation("talk-1", owner="acme", release_leases=True)
    wanted = {"v": 1, "owner": "acme", "conversation_id": "talk-1", "release_leases": True}
    assert service.asked == [(Verb.END_CONVERSATION, wanted)]


def test_open_sessions_are_an_error_of_their_own_that_is_not_tried_again() -> None:
    refusal = Refusal(ProblemCode.STILL_IN_USE, "1 session of run run-1 may still be at work. Nothing was removed.")
    service = Scripted(ProblemModel.of(refusal.problem, "r").to_body())
    with pytest.raises(StillInUseError) as raised:
        Orchestrator(service).end_run("run-1", owner="acme")
    assert "call with release_leases=True;" in str(raised.value)
    assert "release_leases: true" in raised.value.problem.advice
    assert len(service.asked) == 1
