from __future__ import annotations

import pytest

from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode, Refusal


@pytest.mark.parametrize("code", ProblemCode)
def test_every_code_says_what_it_is_and_what_to_do_next(code: ProblemCode) -> None:
    kind = PROBLEM_KINDS[code]
    assert kind.title
    assert kind.advice.endswith(".")
    assert 400 <= kind.status < 600


def test_a_refusal_has_its_codes_advice_unless_it_knows_better() -> None:
    assert Refusal(ProblemCode.NOT_FOUND, "x").problem.advice == PROBLEM_KINDS[ProblemCode.NOT_FOUND].advice
    assert Refusal(ProblemCode.NOT_FOUND, "x", advice="Look again.").problem.advice == "Look again."
