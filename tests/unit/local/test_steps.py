"""What whoever waits for a deployment is told."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest
from rich.console import Console

from infra.local import cdk
from infra.local.steps import DEPLOYING, PUBLISHING, SYNTHESIZING, step_of, steps_on


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("mine |  3/47 | 8:59:17 AM | CREATE_COMPLETE | AWS::Logs::LogGroup | A/Log (B)", (DEPLOYING, "3 of 47")),
        ("my-own-1 | 112/112 | 8:59:17 AM | UPDATE_COMPLETE | AWS::CDK | x", (DEPLOYING, "112 of 112")),
        ("mine: start: Publishing OpenSession/Function/Code (current_account)", (PUBLISHING, "")),
        ("mine: success: Built mine Template", (PUBLISHING, "")),
        ("Stack ARN:", None),
        ("", None),
    ],
)
def test_a_line_of_the_cdk_tells_its_step_and_how_far_it_is(line: str, step: tuple[str, str] | None) -> None:
    assert step_of(line) == step


def test_in_a_log_each_step_is_told_once_when_it_begins() -> None:
    told = io.StringIO()
    with steps_on(Console(file=told)) as tell:
        tell(SYNTHESIZING, "")
        assert told.getvalue() == f"· {SYNTHESIZING} ...\n"
        tell(DEPLOYING, "1 of 2")
        tell(DEPLOYING, "2 of 2")
    assert told.getvalue() == f"· {SYNTHESIZING} ...\n· {DEPLOYING} ...\n"


def test_in_a_terminal_the_present_step_is_told_with_how_far_it_is() -> None:
    told = io.StringIO()
    with steps_on(Console(file=told, force_terminal=True, width=100, highlight=False)) as tell:
        tell(DEPLOYING, "1 of 2")
    assert "Creating and updating resources: 1 of 2" in told.getvalue()
    assert f"· {DEPLOYING} (" in told.getvalue()


def test_a_deployment_tells_each_line_s_step_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = tmp_path / "go-on"
    program = tmp_path / "cdk"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys, time\n"
        "print('mine |  1/2 | now | CREATE_COMPLETE', flush=True)\n"
        f"while not os.path.exists({str(go_on)!r}): time.sleep(0.01)\n"
        "print('mine |  2/2 | now | CREATE_COMPLETE')\nsys.exit(7)\n"
    )
    program.chmod(0o755)
    told: list[str] = []

    def tell(_step: str, how_far: str) -> None:
        told.append(how_far)
        # Without this the program never ends.
        go_on.touch()

    monkeypatch.setattr(cdk, "command_line", lambda: program)
    monkeypatch.setattr(cdk.Call, "_environment", lambda self: dict(os.environ))
    log = tmp_path / "deploy.log"
    with pytest.raises(cdk.DeployError, match=r"cdk deploy failed \(7\):\nmine \|  1/2"):
        cdk.Call("http://127.0.0.1:9", tmp_path, log, tell=tell).cdk(tmp_path, "deploy")
    assert told == ["1 of 2", "2 of 2"]
    assert len(log.read_text().splitlines()) == 2
