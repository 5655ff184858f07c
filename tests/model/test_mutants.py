"""The test of the test: a build that is broken on purpose is found, within as many examples as are made anyway."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.model.machine import Machine
from tests.model.mutants import MUTANTS

# What is found is not shortened: it is known.
_SETTINGS = settings(
    max_examples=50,
    stateful_step_count=40,
    derandomize=True,
    phases=[Phase.generate],
    deadline=None,
    database=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_machine_finds_a_broken_build(mutant: str) -> None:
    with MUTANTS[mutant](), pytest.raises(AssertionError):
        run_state_machine_as_test(Machine, settings=_SETTINGS)
