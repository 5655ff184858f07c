"""A shell at the cloud of this process, and what it works on."""

from __future__ import annotations

from pathlib import Path

import pytest
from aws_lambda_powertools import Metrics

from session_datasets.client.surroundings import Surroundings
from session_datasets.domain.names import METRICS_NAMESPACE, Verb
from tests.support.moto_cloud import MotoCloud, door
from tests.unit.cli.shell import Shell


@pytest.fixture
def shell(cloud: MotoCloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shell:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for verb in Verb:
        # A handler logs to what is standard output when it is imported; that must not be a command's own.
        door(verb)
    monkeypatch.setattr(Surroundings, "transport", lambda _: cloud.transport())
    # Handlers print their metrics by the hundred, which in this process would be in the midst of a result.
    Metrics(namespace=METRICS_NAMESPACE).clear_metrics()
    return Shell(cloud)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,price,note\n" + "".join(f"2024-01-{n:02},{n}.5,[red]x\x1b[31m\n" for n in range(1, 29)))
    return path


@pytest.fixture
def artifact_id(shell: Shell, csv: Path) -> str:
    return str(shell.json("register", csv, "--name", "prices")["artifact_id"])
