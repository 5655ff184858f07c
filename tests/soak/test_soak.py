"""A short soak on deployed functions, a fixed number of steps; and that a soak notices what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from session_datasets import DeployedTransport
from session_datasets.client.errors import FunctionTimedOutError
from session_datasets.client.transport import Body, InProcessTransport, Transport
from session_datasets.domain.names import Verb
from tests.soak.ledger import Ledger, report
from tests.soak.running import Plan, Soak
from tests.support.cloud import emulators_under_test
from tests.support.deployed_cloud import DeployedCloud
from tests.support.moto_cloud import MotoCloud


def soaked(transport: Callable[[], Transport], directory: Path, *, callers: int, steps: int) -> Ledger:
    ledger = Ledger()
    Soak(Plan(callers, seed=1, steps=steps), transport, directory, ledger).run()
    return ledger


# The embedded cloud, or the one endpoint that is given.
@pytest.mark.parametrize("stack", emulators_under_test()[:1], indirect=True)
def test_of_four_hundred_steps_of_eight_callers_none_is_answered_wrong(deployed: DeployedCloud, tmp_path: Path) -> None:
    ledger = soaked(lambda: DeployedTransport(deployed.stack.name), tmp_path, callers=8, steps=50)
    assert ledger.wrong == [], report(ledger, 0)
    assert ledger.checked.total() + ledger.given_up.total() == 400
    assert set(ledger.checked) == {"register", "register again", "list", "list conversation", "page", "load"}


def _changed_cell(body: Body) -> Body:
    if body.get("rows"):
        body["rows"][-1][2] = 0.123
    return body


def _one_row_less(body: Body) -> Body:
    return {**body, "rows": body["rows"][:-1]} if body.get("rows") else body


def _one_artifact_less(body: Body) -> Body:
    return {**body, "artifacts": body["artifacts"][:-1]} if body.get("artifacts") else body


def _one_artifact_twice(body: Body) -> Body:
    return {**body, "artifacts": [*body["artifacts"], *body["artifacts"][-1:]]}


def _somebody_elses_artifact(body: Body) -> Body:
    return {**body, "artifacts": [*body["artifacts"], {**body["artifacts"][0], "name": "theirs"}]}


def _made_twice(body: Body) -> Body:
    return {**body, "created": True}


LIES = [
    (Verb.READ_ROWS, _changed_cell),
    (Verb.READ_ROWS, _one_row_less),
    (Verb.LIST_ARTIFACTS, _one_artifact_less),
    (Verb.LIST_ARTIFACTS, _one_artifact_twice),
    (Verb.LIST_ARTIFACTS, _somebody_elses_artifact),
    (Verb.REGISTER_ARTIFACT, _made_twice),
]


@pytest.mark.parametrize(("verb", "lie"), LIES, ids=lambda each: getattr(each, "__name__", None))
def test_a_soak_notices(cloud: MotoCloud, tmp_path: Path, verb: Verb, lie: Callable[[Body], Body]) -> None:
    def call(asked: Verb, body: Body) -> Body:
        answer = cloud.call(asked, body)
        return lie(answer) if asked is verb else answer

    ledger = soaked(lambda: InProcessTransport(call), tmp_path, callers=1, steps=25)
    assert ledger.wrong != []


def test_a_stack_that_answers_as_it_must_has_no_wrong_answers(cloud: MotoCloud, tmp_path: Path) -> None:
    ledger = soaked(cloud.transport, tmp_path, callers=4, steps=10)
    assert (ledger.wrong, ledger.given_up) == ([], {})
    assert ledger.checked.total() == 40
    assert "wrong answers: 0" in report(ledger, 1)


def test_a_registration_that_was_given_up_may_be_listed_or_not(cloud: MotoCloud, tmp_path: Path) -> None:
    lost = iter(range(1_000))

    def call(verb: Verb, body: Body) -> Body:
        answer = cloud.call(verb, body)
        if verb is Verb.REGISTER_ARTIFACT and next(lost) % 2:
            raise FunctionTimedOutError("too long")
        return answer

    ledger = soaked(lambda: InProcessTransport(call), tmp_path, callers=1, steps=30)
    assert ledger.given_up[("register", "FunctionTimedOutError")] >= 1
    assert ledger.wrong == []


def test_a_failure_of_the_sdk_itself_is_a_wrong_answer(cloud: MotoCloud, tmp_path: Path) -> None:
    def call(verb: Verb, body: Body) -> Any:
        if verb is Verb.READ_ROWS:
            raise KeyError("bug")
        return cloud.call(verb, body)

    ledger = soaked(lambda: InProcessTransport(call), tmp_path, callers=1, steps=20)
    assert ledger.wrong[0] == "page: KeyError('bug')"


def test_an_interrupted_soak_leaves_nobody_at_work(cloud: MotoCloud, tmp_path: Path) -> None:
    ledger = Ledger()
    running = Soak(Plan(3, seed=1), cloud.transport, tmp_path, ledger, together=_interrupted)
    with pytest.raises(KeyboardInterrupt):
        running.run()
    made = ledger.call_count
    assert made >= 9
    assert ledger.call_count == made


def _interrupted() -> None:
    raise KeyboardInterrupt


def test_a_soak_ends_when_it_is_told_to(cloud: MotoCloud, tmp_path: Path) -> None:
    running = Soak(Plan(3, seed=1), cloud.transport, tmp_path, Ledger(), together=lambda: running.end())
    running.run()
