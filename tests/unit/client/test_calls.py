"""A call is tried again when that can help, and only then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from session_datasets.client.calls import Calls
from session_datasets.client.errors import (
    Again,
    ConflictError,
    FunctionFailedError,
    FunctionTimedOutError,
    LostAnswerError,
    ProblemError,
    SessionDatasetsError,
    TransportError,
    UnavailableError,
    UnexpectedAnswerError,
)
from session_datasets.client.orchestrator import Orchestrator
from session_datasets.client.patience import Patience
from session_datasets.client.transport import Body, InProcessTransport
from session_datasets.domain.correlation import correlated, is_correlation_id
from session_datasets.domain.errors import PROBLEM_KINDS, Problem, ProblemCode
from session_datasets.domain.names import Verb
from session_datasets.wire.answers import ListArtifactsAnswer
from session_datasets.wire.problem import ProblemModel

GOOD: Body = {"v": 1, "artifacts": []}


def refusal(code: ProblemCode) -> Body:
    return ProblemModel.of(Problem(code, "Refused.", PROBLEM_KINDS[code].advice), "r").to_body()


def without_correlation(body: Body) -> Body:
    return {name: value for name, value in body.items() if name != "correlation_id"}


class Script:
    """Answers, or raises, one after the other; the last for ever. Remembers the bodies and the waits."""

    def __init__(self, *steps: Body | Exception) -> None:
        self._steps = list(steps)
        self.bodies: list[Body] = []
        self.waits: list[float] = []

    def call(self, verb: Verb, body: Body) -> Body:
        self.bodies.append(body)
        step = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        if isinstance(step, Exception):
            raise step
        return step

    def ask(self, draw: Callable[[], float] = lambda: 1.0, **arguments: Any) -> ListArtifactsAnswer:
        calls = Calls(self, "token", Patience(sleep=self.waits.append, draw=draw))
        return calls.ask(Verb.LIST_ARTIFACTS, ListArtifactsAnswer, **arguments)


@pytest.mark.parametrize(
    "failure",
    [
        refusal(ProblemCode.UNAVAILABLE),
        refusal(ProblemCode.INTERNAL),
        TransportError("no connection", again=Again.SOON),
        LostAnswerError("broken", again=Again.SOON),
        FunctionFailedError("crashed", again=Again.SOON),
    ],
)
def test_a_passing_failure_is_tried_again(failure: Body | Exception) -> None:
    script = Script(failure, failure, GOOD)
    assert script.ask().artifacts == []
    assert len(script.bodies) == 3


def test_a_lasting_failure_is_told_after_four_tries() -> None:
    script = Script(refusal(ProblemCode.UNAVAILABLE))
    with pytest.raises(UnavailableError):
        script.ask()
    assert len(script.bodies) == 4


def test_waits_double_and_are_drawn_below_their_bound() -> None:
    script = Script(refusal(ProblemCode.UNAVAILABLE))
    with pytest.raises(UnavailableError):
        script.ask(draw=lambda: 0.5)
    assert script.waits == [0.125, 0.25, 0.5]


def test_a_function_that_is_not_ready_is_waited_for_longer() -> None:
    script = Script(TransportError("starting", again=Again.LATER))
    with pytest.raises(TransportError, match="starting"):
        script.ask()
    assert script.waits == [2, 4, 8, 16, 32, 64]


def test_silence_is_repeated_once() -> None:
    script = Script(LostAnswerError("silence", again=Again.ONCE))
    with pytest.raises(LostAnswerError):
        script.ask()
    assert len(script.bodies) == 2


def test_each_kind_of_failure_has_tries_of_its_own() -> None:
    starting, broken = TransportError("starting", again=Again.LATER), LostAnswerError("broken", again=Again.SOON)
    silent = LostAnswerError("silence", again=Again.ONCE)
    script = Script(*[starting] * 6, *[broken] * 3, silent, GOOD)
    assert script.ask().artifacts == []
    assert script.waits == [2, 4, 8, 16, 32, 64, 0.25, 0.5, 1, 0.25]


@pytest.mark.parametrize("again", [Again.SOON, Again.ONCE])
def test_a_session_whose_opening_was_not_answered_is_not_opened_once_more(again: Again) -> None:
    script = Script(LostAnswerError("broken", again=again))
    with pytest.raises(LostAnswerError):
        Orchestrator(script).open_session(owner="acme", run_id="run")
    assert len(script.bodies) == 1


def test_a_client_that_is_told_not_to_repeat_does_not() -> None:
    script = Script(TransportError("starting", again=Again.LATER))
    with pytest.raises(TransportError):
        Calls(script, "token", Patience(tries=1)).ask(Verb.LIST_ARTIFACTS, ListArtifactsAnswer)
    assert len(script.bodies) == 1


@pytest.mark.parametrize("code", [code for code, kind in PROBLEM_KINDS.items() if kind.status < 500])
def test_a_refusal_that_repeats_itself_is_told_at_once(code: ProblemCode) -> None:
    script = Script(refusal(code))
    with pytest.raises(ProblemError):
        script.ask()
    assert len(script.bodies) == 1


def test_a_checksum_mismatch_is_not_repeated_although_another_upload_may_help() -> None:
    script = Script(refusal(ProblemCode.CHECKSUM_MISMATCH))
    with pytest.raises(ConflictError):
        script.ask()
    assert len(script.bodies) == 1


def test_a_function_that_ran_out_of_time_is_not_started_again() -> None:
    script = Script(FunctionTimedOutError("too long"))
    with pytest.raises(FunctionTimedOutError):
        script.ask()
    assert len(script.bodies) == 1


def test_what_is_not_said_is_left_to_the_service() -> None:
    script = Script(GOOD)
    script.ask(limit=5, kind=None)
    (body,) = script.bodies
    assert without_correlation(body) == {"v": 1, "token": "token", "limit": 5}


def test_an_argument_that_the_verb_does_not_know_is_a_mistake_of_this_code() -> None:
    with pytest.raises(TypeError, match="list_artifacts takes no offset"):
        Script(GOOD).ask(offset=3)


@pytest.mark.parametrize("answer", [{"v": 1}, {"problem": {"code": "x"}}, {"artifacts": "none"}])
def test_an_answer_of_another_form_is_named_as_such(answer: Body) -> None:
    with pytest.raises(UnexpectedAnswerError, match="wire version 1"):
        Script(answer).ask()


def test_in_process_both_sides_see_json_and_nothing_else() -> None:
    seen: list[Body] = []

    def serve(verb: Verb, body: Body) -> Body:
        seen.append(body)
        return {"rows": ((1, 2),)}

    assert InProcessTransport(serve).call(Verb.READ_ROWS, {"columns": ("a",)}) == {"rows": [[1, 2]]}
    assert seen == [{"columns": ["a"]}]


def test_every_try_of_a_call_carries_the_same_correlation_id() -> None:
    script = Script(refusal(ProblemCode.UNAVAILABLE), GOOD)
    script.ask()
    first, second = (body["correlation_id"] for body in script.bodies)
    assert first == second
    assert is_correlation_id(first)


def test_two_calls_carry_two_correlation_ids() -> None:
    script = Script(GOOD)
    script.ask()
    script.ask()
    assert len({body["correlation_id"] for body in script.bodies}) == 2


def test_a_correlation_id_of_the_callers_own_is_carried_as_it_is() -> None:
    script = Script(GOOD)
    with correlated("trace-1"):
        script.ask()
    assert script.bodies[0]["correlation_id"] == "trace-1"


@pytest.mark.parametrize("failure", [refusal(ProblemCode.NOT_FOUND), FunctionFailedError("crashed"), {"artifacts": 1}])
def test_an_error_knows_the_correlation_id_of_its_call(failure: Body | Exception) -> None:
    with correlated("trace-2"), pytest.raises(SessionDatasetsError) as caught:
        Script(failure).ask()
    assert caught.value.correlation_id == "trace-2"
    assert caught.value.__notes__ == ["Correlation id: trace-2"]


@pytest.mark.parametrize("bad", ["", "-a", "a b", "a\n", "ä", "a" * 129, "a;b", 'a"b'])
def test_a_correlation_id_that_a_log_would_have_to_quote_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="correlation id"), correlated(bad):
        pass
