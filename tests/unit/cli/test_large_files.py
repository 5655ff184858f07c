"""A file that the service comes to later, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from session_datasets.cli.main import app
from session_datasets.client.patience import Patience
from session_datasets.client.surroundings import Surroundings
from session_datasets.client.waiting import Waiting
from session_datasets.domain.names import ENV_TOKEN, Verb
from tests.support.moto_cloud import MotoCloud, door

Run = Callable[..., Result]


@pytest.fixture
def cloud(moto_server: str, monkeypatch: pytest.MonkeyPatch) -> MotoCloud:
    """Nothing is profiled at once; the service comes to it while somebody waits."""
    cloud = MotoCloud(moto_server, profiled_at_once_bytes=0)
    patience = Patience(sleep=lambda _: cloud.run_profiling() and None)
    build = Waiting.__init__
    monkeypatch.setattr(Waiting, "__init__", lambda self, calls, _: build(self, calls, patience))
    return cloud


@pytest.fixture
def run(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch) -> Run:
    for verb in Verb:
        # A handler logs to what is standard output when it is imported; that must not be a command's own.
        door(verb)
    monkeypatch.setattr(Surroundings, "transport", lambda _: cloud.transport())
    environment = {"COLUMNS": "200", "NO_COLOR": "1", ENV_TOKEN: cloud.token(run_id="run")}
    return lambda *arguments: CliRunner().invoke(app, [str(each) for each in arguments], env=environment)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,close\n2024-01-01,1.5\n")
    return path


def test_registering_waits_and_shows_what_was_measured(run: Run, csv: Path) -> None:
    assert "1 rows, 2 columns" in run("register", csv).stdout


def test_who_does_not_wait_is_shown_that_it_is_being_profiled(run: Run, csv: Path) -> None:
    result = run("register", csv, "--no-wait")
    assert result.exit_code == 0
    assert "being profiled: queued" in result.stdout


def test_a_listing_shows_what_is_not_ready(cloud: MotoCloud, run: Run, csv: Path) -> None:
    run("register", csv, "--no-wait")
    assert "profiling" in run("list").stdout
    cloud.run_profiling()
    assert "profiling" not in run("list").stdout


def test_rows_that_are_not_there_yet_are_a_problem_with_advice(run: Run, csv: Path) -> None:
    artifact_id = json.loads(run("register", csv, "--no-wait", "--json").stdout)["artifact_id"]
    result = run("rows", artifact_id)
    assert (result.exit_code, "Wait a few seconds" in result.stderr) == (1, True)


def test_a_failed_profile_is_told_with_its_reason_and_shown_from_then_on(
    cloud: MotoCloud, run: Run, tmp_path: Path
) -> None:
    damaged = tmp_path / "rows.parquet"
    damaged.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    result = run("register", damaged)
    assert result.exit_code == 1
    listed = json.loads(run("list", "--json").stdout)["artifacts"]
    assert [each["status"] for each in listed] == ["failed"]
    assert "unreadable-file" in run("describe", listed[0]["artifact_id"]).stdout
