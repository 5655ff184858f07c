"""The cloud that ``make up`` leaves running, tried without an emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.local import __main__ as program
from infra.local import background, cdk, env_file
from infra.local.cdk import DeployError
from infra.local.deployed import DeployedStack
from infra.local.steps import STARTING, SYNTHESIZING, OnStep

ENDPOINT = "http://127.0.0.1:9"


class Cloud:
    """Says whether it runs, as an emulator does."""

    endpoint = ENDPOINT

    def __init__(self, *, runs: bool) -> None:
        self.runs = runs

    def start(self, *, detached: bool) -> str:
        assert detached
        self.runs = True
        return self.endpoint

    def stop(self) -> None:
        self.runs = False


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cloud's files lie."""
    monkeypatch.setattr(background, "STATE", tmp_path)
    monkeypatch.setattr(background, "DEPLOYED_FROM", tmp_path / "deployed-from")
    monkeypatch.setattr(env_file, "FILE", tmp_path / "env")
    monkeypatch.setattr(env_file, "AWS_CONFIG", tmp_path / "aws" / "config")
    monkeypatch.setattr(env_file, "AWS_CREDENTIALS", tmp_path / "aws" / "credentials")
    return tmp_path


def use(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    monkeypatch.setattr(background, "emulator", lambda: cloud)
    return cloud


def deploys(monkeypatch: pytest.MonkeyPatch, failure: BaseException | None = None) -> None:
    def deploy(endpoint: str, *, stack: str, log: Path, tell: OnStep) -> DeployedStack:
        tell(SYNTHESIZING, "")
        if failure is not None:
            raise failure
        return DeployedStack(stack, endpoint)

    monkeypatch.setattr(cdk, "deploy", deploy)


@pytest.mark.parametrize("failure", [DeployError("no"), KeyboardInterrupt()], ids=["failed", "interrupted"])
def test_one_whose_deployment_fails_is_stopped(
    place: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException
) -> None:
    cloud = use(Cloud(runs=False), monkeypatch)
    deploys(monkeypatch, failure)
    with pytest.raises(type(failure)):
        background.up()
    assert not cloud.runs
    assert not env_file.FILE.exists()


def test_one_that_ran_before_outlives_a_deployment_that_fails(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = use(Cloud(runs=True), monkeypatch)
    deploys(monkeypatch, DeployError("no"))
    with pytest.raises(DeployError):
        background.up()
    assert cloud.runs


def test_one_that_was_deployed_is_left_running(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = use(Cloud(runs=False), monkeypatch)
    deploys(monkeypatch)
    assert background.up("mine") == DeployedStack("mine", ENDPOINT)
    assert cloud.runs
    assert ENDPOINT in env_file.FILE.read_text()


def test_the_profile_outlives_the_cloud_for_the_shells_that_name_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(Cloud(runs=False), monkeypatch)
    deploys(monkeypatch)
    background.up()
    assert background.down()
    assert not env_file.FILE.exists()
    assert "[profile orchestrator]" in env_file.AWS_CONFIG.read_text()
    assert "[orchestrator]" in env_file.AWS_CREDENTIALS.read_text()


@pytest.mark.parametrize(
    ("runs", "told"),
    [(False, "Starting the local cloud and deploying"), (True, f"The local cloud runs already, on {ENDPOINT};")],
)
def test_whoever_starts_it_is_told_whether_it_runs_already(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], runs: bool, told: str
) -> None:
    use(Cloud(runs=runs), monkeypatch)
    deploys(monkeypatch)
    monkeypatch.setattr(program, "forget_aws", lambda: None)
    assert program.main(["up"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(told)
    steps = [f"· {step} ..." for step in ([] if runs else [STARTING]) + [SYNTHESIZING]]
    assert captured.err.splitlines() == steps
