"""``session-datasets doctor isolation`` where AWS enforces: its table of denials, and what it tells of a hole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from session_datasets.domain.names import NODE_VERBS, ORCHESTRATOR_VERBS, Verb
from tests.support.enforced_cloud import EnforcedCloud, Principal

COMMAND = [str(Path(sys.executable).parent / "session-datasets"), "doctor", "isolation"]


@pytest.fixture
def node_profile(cloud: EnforcedCloud, tmp_path: Path) -> dict[str, str]:
    """The variables that name a configuration in which ``node`` are a node's credentials."""
    file = tmp_path / "credentials"
    file.write_text(
        f"[node]\naws_access_key_id = {cloud.node.access_key}\naws_secret_access_key = {cloud.node.secret_key}\n"
    )
    return {"AWS_SHARED_CREDENTIALS_FILE": str(file), "AWS_CONFIG_FILE": os.devnull}


def run(cloud: EnforcedCloud, principal: Principal, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, "--stack", cloud.stack.name, *options],
        env={**os.environ, **principal.variables, **more},
        capture_output=True,
        text=True,
        check=False,
    )


def verdicts(ran: subprocess.CompletedProcess[str]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {"held": [], "got through": [], "not tried": []}
    for each in json.loads(ran.stdout)["attempts"]:
        found[each["verdict"]].append(each)
    return found


def test_everything_is_tried_and_denied_and_all_of_it_is_removed(
    cloud: EnforcedCloud, node_profile: dict[str, str]
) -> None:
    ran = run(cloud, cloud.account, "--node-profile", "node", "--json", **node_profile)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found = verdicts(ran)
    assert (found["got through"], found["not tried"]) == ([], [])
    assert json.loads(ran.stdout)["left"] == []
    held = {(each["who"], each["what"]) for each in found["held"]}
    for verb in (*NODE_VERBS, Verb.PROFILE_ARTIFACT):
        for what in ("S3 GetObject of the owner's file", "S3 PutObject into the owner's workspace"):
            assert (f"{verb} for another owner", what) in held
        for what in ("DynamoDB GetItem of the owner's record", "DynamoDB PutItem into the owner's session"):
            assert (f"{verb} for another owner", what) in held
        assert ("these credentials", f"the role of {verb} without tags") in held
    for verb in ORCHESTRATOR_VERBS:
        name = verb.replace("_", "-")
        assert ("a node's credentials", f"Lambda Invoke of {cloud.stack.name}-{name}") in held


def test_a_hole_in_one_role_shows_and_ends_with_1(cloud: EnforcedCloud, node_profile: dict[str, str]) -> None:
    role = cloud.caller_role(Verb.READ_ROWS).rsplit("/", 1)[-1]
    wide = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{cloud.bucket}/*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [wide]})
    cloud.iam.put_role_policy(RoleName=role, PolicyName="hole", PolicyDocument=document)
    try:
        ran = run(cloud, cloud.account, "--json", **node_profile)
    finally:
        cloud.iam.delete_role_policy(RoleName=role, PolicyName="hole")
    assert ran.returncode == 1
    through = {(each["who"], each["what"]) for each in verdicts(ran)["got through"]}
    assert through == {("read_rows for another owner", "S3 GetObject of the owner's file")}


def test_a_person_reads_a_table_and_what_could_not_be_tried(cloud: EnforcedCloud) -> None:
    ran = run(cloud, cloud.account)
    lines = ran.stdout.splitlines()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert lines[0].split() == ["who", "tried", "expected", "came"]
    assert any(line.startswith("held") and "denied by AWS" in line for line in lines)
    assert any(line.startswith("not tried") and "--node-profile" in line for line in lines)
    assert lines[-1].endswith(f"0 got through, {len(ORCHESTRATOR_VERBS)} could not be tried.")


def test_who_may_not_open_sessions_is_told_so(cloud: EnforcedCloud) -> None:
    ran = run(cloud, cloud.node)
    assert ran.returncode == 1
    assert "open-session" in ran.stderr
