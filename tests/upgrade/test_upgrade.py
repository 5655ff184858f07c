"""A live stack of the last release is upgraded to this source: nothing is lost, and no SDK must move with functions."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.upgrade.conftest import Rehearsal
from tests.upgrade.node import LARGE_ROWS, SMALL_ROWS, WORDS, table

# What holds data, or the names that callers and policies know.
KEPT = (
    "AWS::S3::Bucket",
    "AWS::DynamoDB::Table",
    "AWS::SecretsManager::Secret",
    "AWS::SQS::Queue",
    "AWS::Lambda::Function",
    "AWS::Lambda::Alias",
    "AWS::IAM::ManagedPolicy",
)
READ = {
    "before": "read_before",
    "after, by this SDK": "read_after",
    "after, by the released SDK": "read_after_by_old_sdk",
}
USED = {
    "this SDK on released functions": "new_sdk_on_old_functions",
    "the released SDK on these functions": "old_sdk_on_new_functions",
    "this SDK on these functions": "new_sdk_on_new_functions",
}

# The first test pays for two deployments.
pytestmark = pytest.mark.timeout(1_500)


@pytest.fixture(params=READ)
def read(request: pytest.FixtureRequest, rehearsal: Rehearsal) -> dict[str, Any]:
    """What was read of the data of before."""
    told: dict[str, Any] = getattr(rehearsal, READ[request.param])
    return told


@pytest.fixture(params=USED)
def used(request: pytest.FixtureRequest, rehearsal: Rehearsal) -> dict[str, Any]:
    """A hand-over by one SDK on the functions of one source."""
    told: dict[str, Any] = getattr(rehearsal, USED[request.param])
    return told


@pytest.mark.parametrize("kind", KEPT)
def test_what_was_deployed_keeps_its_logical_and_its_physical_id(rehearsal: Rehearsal, kind: str) -> None:
    before = {name: each for name, each in rehearsal.resources_before.items() if each[0] == kind}
    assert before
    assert {name: rehearsal.resources_after.get(name) for name in before} == before


def test_old_data_is_listed(read: dict[str, Any]) -> None:
    assert (read["talk"], read["run"]) == (["Small"], ["Large"])


def test_a_token_of_before_is_good_after(read: dict[str, Any]) -> None:
    assert read["by the token of then"] == ["Small"]


@pytest.mark.parametrize(("name", "rows", "words"), [("small", SMALL_ROWS, "w"), ("large", LARGE_ROWS, WORDS)])
def test_old_data_is_described_paged_charted_and_loaded(read: dict[str, Any], name: str, rows: int, words: str) -> None:
    assert read[name] == {
        "status": "ready",
        "shape": [rows, 2],
        "last": [[rows - 1]],
        "greatest": rows - 1,
        "sha256": hashlib.sha256(table(rows, words)).hexdigest(),
    }


def test_an_sdk_and_functions_of_either_source_hand_over_a_file(used: dict[str, Any]) -> None:
    assert used["run"] == ["fresh.csv"]
    assert used["fresh"] == {
        "status": "ready",
        "shape": [SMALL_ROWS, 2],
        "last": [[SMALL_ROWS - 1]],
        "greatest": SMALL_ROWS - 1,
        "sha256": hashlib.sha256(table(SMALL_ROWS, "w")).hexdigest(),
    }
