"""What the caller's shell says of AWS has no part in what talks to an emulator."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from botocore.exceptions import ProfileNotFound

from infra.local import __main__ as program
from infra.local import account, cdk
from infra.local.places import ROOT
from infra.local.surroundings import forget_aws

NOBODY = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A shell that sourced the file of a cloud that is gone, its profile too."""
    before = dict(os.environ)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    os.environ["AWS_PROFILE"] = "orchestrator"
    os.environ["AWS_ENDPOINT_URL"] = NOBODY
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = str(tmp_path / "gone")
    yield
    os.environ.clear()
    os.environ.update(before)


def test_a_profile_that_is_gone_stops_no_client() -> None:
    with pytest.raises(ProfileNotFound):
        boto3.client("cloudformation", region_name="us-east-1")
    forget_aws()
    client = boto3.client("cloudformation", region_name="us-east-1")
    assert client.meta.endpoint_url == "https://cloudformation.us-east-1.amazonaws.com"


def test_a_default_profile_below_the_home_directory_has_no_say(tmp_path: Path) -> None:
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws" / "config").write_text("[default]\nregion = eu-north-1\n")
    os.environ["HOME"] = str(tmp_path)
    forget_aws()
    assert boto3.session.Session().region_name is None


def test_the_local_cloud_is_asked_without_it() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "infra.local", "deploy", NOBODY],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'shared'}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "ProfileNotFound" not in done.stderr
    assert "Could not connect to the endpoint URL" in done.stderr


def test_a_real_deployment_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(cdk, "run", lambda _: seen.append(os.environ["AWS_PROFILE"]) or 0)
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    assert program.main(["cdk", "deploy"]) == 0
    assert seen == ["orchestrator"]


@pytest.mark.parametrize(
    "command",
    [
        ["cdk", "deploy", "--context", "env=production"],
        ["cdk", "bootstrap"],
        ["compare", "--env", "sandbox"],
        ["prune"],
    ],
    ids=" ".join,
)
def test_what_is_for_a_real_account_is_not_done_in_a_shell_that_points_at_the_local_cloud(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[object] = []
    monkeypatch.setattr(cdk, "run", lambda _: done.append("cdk") or 0)
    monkeypatch.setattr(account, "_client", done.append)
    assert program.main(command) == 1
    assert done == []
    told = capsys.readouterr().err
    assert f"this shell points at the local cloud (AWS_ENDPOINT_URL={NOBODY})" in told
    assert "Open a fresh shell" in told


def test_a_template_is_made_in_any_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdk, "run", lambda _: 0)
    assert program.main(["cdk", "synth", "--quiet"]) == 0


def test_an_audit_of_the_local_cloud_says_that_it_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(account, "begin_audit", lambda _: None)
    assert program.main(["audit-files"]) == 0
    assert f"This shell points at {NOBODY}" in capsys.readouterr().err
