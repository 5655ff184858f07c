"""Every problem code is really answered somewhere, and documented with that answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from session_datasets.domain.errors import PROBLEM_KINDS, ProblemCode
from tests.contract.problems import SCENARIOS, internal
from tests.support.moto_cloud import MotoCloud
from tests.support.sessions import problem_code

DOCUMENTED = (Path(__file__).parents[2] / "docs" / "errors.md").read_text()


@pytest.mark.parametrize("code", ProblemCode)
def test_the_code_is_answered_with_advice(cloud: MotoCloud, code: ProblemCode) -> None:
    answer = SCENARIOS[code](cloud)
    assert problem_code(answer) == code
    problem = answer["problem"]
    assert problem["advice"].endswith(".")
    assert problem["status"] == PROBLEM_KINDS[code].status
    assert problem["type"].endswith(f":{code}")
    assert problem["request_id"]


@pytest.mark.parametrize("code", ProblemCode)
def test_the_code_is_documented_with_a_real_example(code: ProblemCode) -> None:
    section = DOCUMENTED.split(f"\n## {code}\n")[1].split("\n## ")[0]
    example = json.loads(section.split("```json")[1].split("```")[0])
    assert example["code"] == code
    assert example["title"] == PROBLEM_KINDS[code].title


def test_an_unforeseen_failure_tells_nothing_of_itself(cloud: MotoCloud) -> None:
    assert "secret" not in str(internal(cloud))
