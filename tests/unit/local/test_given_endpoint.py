"""A run of the tests that is pointed at one endpoint says so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from infra.local.places import ROOT
from tests.support.cloud import emulators_under_test, told_of_endpoint

TOLD = (
    "AWS_ENDPOINT_URL is set: what is tested on a deployed stack is tested at http://127.0.0.1:9 only. "
    "Unset it to test on ministack and localstack."
)


def test_a_given_endpoint_takes_the_place_of_both_emulators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert emulators_under_test() == ["given"]
    assert told_of_endpoint() == TOLD


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "unset"])
def test_without_one_both_emulators_are_tested_and_nothing_is_told(
    monkeypatch: pytest.MonkeyPatch, empty: bool
) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    if empty:
        monkeypatch.setenv("AWS_ENDPOINT_URL", "")
    assert emulators_under_test() == ["ministack", "localstack"]
    assert told_of_endpoint() is None


def test_a_run_tells_it_at_its_beginning_and_at_its_end() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "tests/integration/test_the_sdk.py"],
        cwd=ROOT, env={**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines().count(TOLD) == 2
