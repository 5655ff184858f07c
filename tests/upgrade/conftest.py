"""The rehearsal: the release is deployed and filled, this source is deployed over it, and both SDKs work on both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest

from infra.local import cdk
from infra.local.deployed import DeployedStack
from infra.local.ministack import MiniStack
from tests.upgrade.released import ROOT, released_source

NODE = Path(__file__).with_name("node.py")

Told = dict[str, Any]


@dataclass
class Rehearsal:
    """What was seen at each step; ``resources`` are logical id -> (type, physical id)."""

    resources_before: dict[str, tuple[str, str]] = field(default_factory=dict)
    resources_after: dict[str, tuple[str, str]] = field(default_factory=dict)
    read_before: Told = field(default_factory=dict)
    read_after: Told = field(default_factory=dict)
    read_after_by_old_sdk: Told = field(default_factory=dict)
    new_sdk_on_old_functions: Told = field(default_factory=dict)
    old_sdk_on_new_functions: Told = field(default_factory=dict)
    new_sdk_on_new_functions: Told = field(default_factory=dict)


@pytest.fixture(scope="session")
def rehearsal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """Where policies are enforced, so that what the new roles may not read of the old data shows."""
    old, folder = released_source(), tmp_path_factory.mktemp("data")
    with MiniStack(tmp_path_factory.mktemp("ministack"), enforcing=True) as emulator:
        yield _rehearsed(emulator, old, folder)


def _rehearsed(emulator: MiniStack, old: Path, folder: Path) -> Rehearsal:
    seen = Rehearsal()
    stack = cdk.deploy(emulator.endpoint, certificate=emulator.certificate, source=old)
    seen.resources_before = _resources(stack)
    (folder / "written.json").write_text(json.dumps(_node(stack, old, "write", folder)))
    seen.read_before = _node(stack, old, "read", folder)
    seen.new_sdk_on_old_functions = _node(stack, ROOT, "use", _made(folder / "new-on-old"))
    stack = cdk.deploy(emulator.endpoint, certificate=emulator.certificate)
    seen.resources_after = _resources(stack)
    seen.read_after = _node(stack, ROOT, "read", folder)
    seen.read_after_by_old_sdk = _node(stack, old, "read", folder)
    seen.old_sdk_on_new_functions = _node(stack, old, "use", _made(folder / "old-on-new"))
    seen.new_sdk_on_new_functions = _node(stack, ROOT, "use", _made(folder / "new-on-new"))
    return seen


def _node(stack: DeployedStack, source: Path, step: str, folder: Path) -> Told:
    """One step of node.py in a process of its own, on the SDK of ``source``."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        **stack.client_environment(),
        "PYTHONPATH": str(source / "shared"),
    }
    command = [sys.executable, "-P", str(NODE), step, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{step} on the SDK of {source}:\n{done.stderr[-6_000:]}"
    told: Told = json.loads(done.stdout)
    return told


def _resources(stack: DeployedStack) -> dict[str, tuple[str, str]]:
    environment = stack.client_environment()
    formation = boto3.client(
        "cloudformation",
        endpoint_url=stack.endpoint,
        verify=str(stack.certificate),
        region_name=stack.region,
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
    )
    pages = formation.get_paginator("list_stack_resources").paginate(StackName=stack.name)
    return {
        each["LogicalResourceId"]: (each["ResourceType"], each["PhysicalResourceId"])
        for page in pages
        for each in page["StackResourceSummaries"]
    }


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
