"""While the signing key is rotated no token is refused, whichever step a function knows of."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from infra.rotation import STEPS, Secret, WrongStep, announce, retire, use
from session_datasets.domain.errors import Refusal
from session_datasets.domain.names import NODE_VERBS
from session_datasets.domain.scope import Caller
from session_datasets.runtime.signing_key import parsed_keyring
from session_datasets.runtime.tokens import AccessTokens

ROOT = Path(__file__).parents[3]
GENERATED: Secret = {"kid": "k1", "key": "x" * 64}
CALLER = Caller(
    owner="acme",
    session_id="ses-1",
    node="node",
    conversation_id=None,
    run_id="run-1",
    verbs=frozenset(NODE_VERBS),
)


def stages() -> list[Secret]:
    """The secret before a rotation and after each of its steps."""
    announced = announce(GENERATED)
    used = use(announced)
    return [GENERATED, announced, used, retire(used)]


def function_that_knows(secret: Secret) -> AccessTokens:
    return AccessTokens(lambda: parsed_keyring(secret), "stack")


def issued_by(secret: Secret) -> str:
    now = datetime.now(UTC)
    return function_that_knows(secret).issue(CALLER, issued_at=now, expires_at=now + timedelta(hours=1))


@pytest.mark.parametrize("step", range(3))
def test_functions_one_step_apart_accept_each_others_tokens_until_a_key_is_retired(step: int) -> None:
    earlier, later = list(pairwise(stages()))[step]
    assert function_that_knows(earlier).caller_of(issued_by(later)) == CALLER
    if step < 2:
        assert function_that_knows(later).caller_of(issued_by(earlier)) == CALLER


def test_a_token_of_before_is_good_until_its_key_is_retired() -> None:
    before, announced, used, retired = stages()
    token = issued_by(before)
    assert function_that_knows(announced).caller_of(token) == CALLER
    assert function_that_knows(used).caller_of(token) == CALLER
    with pytest.raises(Refusal, match="token"):
        function_that_knows(retired).caller_of(token)


def test_using_a_key_that_was_never_announced_would_refuse_its_tokens_where_it_is_not_known_yet() -> None:
    _, _, used, _ = stages()
    with pytest.raises(Refusal, match="token"):
        function_that_knows(GENERATED).caller_of(issued_by(used))


def test_the_next_rotation_makes_a_third_key() -> None:
    again = announce(stages()[-1])
    assert (again["current"]["kid"], again["previous"]["kid"]) == ("k2", "k3")
    assert again["previous"]["key"] != again["current"]["key"]
    assert len(again["previous"]["key"]) == 64


@pytest.mark.parametrize(
    ("step", "stage"),
    [("announce", 1), ("announce", 2), ("use", 0), ("use", 2), ("use", 3), ("retire", 0), ("retire", 1)],
)
def test_a_step_out_of_turn_changes_nothing(step: str, stage: int) -> None:
    with pytest.raises(WrongStep):
        STEPS[step](stages()[stage])


def run(step: str, secret: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infra.rotation", step]
    text = json.dumps(secret)
    return subprocess.run(command, input=text, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_reads_and_writes_the_secret() -> None:
    done = run("announce", GENERATED)
    assert done.returncode == 0
    assert json.loads(done.stdout)["current"] == GENERATED


def test_the_command_writes_nothing_when_it_refuses() -> None:
    done = run("retire", GENERATED)
    assert (done.returncode, done.stdout) == (1, "")
    assert "announce a new one first" in done.stderr


def test_a_rotation_needs_neither_the_cdk_library_nor_nodejs() -> None:
    program = "import sys, infra.rotation; print(sorted({'aws_cdk', 'jsii', 'constructs'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
