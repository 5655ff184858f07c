"""Three functions, two roles and a state machine beside a stack, and away again. On a laptop's cloud; see README.md."""

from __future__ import annotations

import io
import json
import os
import time
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3

import session_datasets

HERE = Path(__file__).parent
FUNCTIONS = ("run_node", "measure", "report")
OWNER = "acme"
# What a node needs of the package; the rest is the service's.
_ROOMS = ("client", "wire", "domain")
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": ["lambda.amazonaws.com", "states.amazonaws.com"]},
            "Action": "sts:AssumeRole",
        }
    ],
}


def definition(arns: dict[str, str]) -> str:
    """The state machine with the functions' ARNs in their places."""
    text = (HERE / "asl.json").read_text()
    for name, arn in arns.items():
        text = text.replace(f"${{{name.title().replace('_', '')}Function}}", arn)
    return text


def bundle() -> bytes:
    """The three handlers and the SDK, without its dependencies: the local clouds' interpreters have them."""
    packed = io.BytesIO()
    package = Path(session_datasets.__file__).parent
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (HERE / "functions").glob("*.py"):
            archive.write(file, file.name)
        for file in [*package.glob("*.py"), *(each for room in _ROOMS for each in (package / room).rglob("*.py"))]:
            archive.write(file, Path("session_datasets") / file.relative_to(package))
    return packed.getvalue()


@contextmanager
def deployed() -> Iterator[str]:
    """The state machine's ARN; all of it is deleted at the end."""
    suffix = uuid.uuid4().hex[:8]
    lambda_, states, iam = (boto3.client(service) for service in ("lambda", "stepfunctions", "iam"))
    role = iam.create_role(RoleName=f"example-{suffix}", AssumeRolePolicyDocument=json.dumps(_TRUST))["Role"]["Arn"]
    arns: dict[str, str] = {}
    machine = ""
    try:
        for name in FUNCTIONS:
            arns[name] = _function(lambda_, f"example-{name}-{suffix}", name, role)
        created = states.create_state_machine(name=f"example-{suffix}", definition=definition(arns), roleArn=role)
        machine = created["stateMachineArn"]
        yield machine
    finally:
        if machine:
            states.delete_state_machine(stateMachineArn=machine)
        for arn in arns.values():
            lambda_.delete_function(FunctionName=arn)
        iam.delete_role(RoleName=f"example-{suffix}")


def _function(lambda_: Any, function_name: str, module: str, role: str) -> str:
    passed_on = ("SESSION_DATASETS_STACK", "AWS_ENDPOINT_URL")
    variables = {name: os.environ[name] for name in passed_on if name in os.environ}
    created = lambda_.create_function(
        FunctionName=function_name,
        Runtime="python3.13",
        Handler=f"{module}.handler",
        Role=role,
        Code={"ZipFile": bundle()},
        Timeout=300,
        MemorySize=512,
        Environment={"Variables": {**variables, **({"OWNER": OWNER} if module == "run_node" else {})}},
    )
    lambda_.get_waiter("function_active_v2").wait(FunctionName=function_name)
    return str(created["FunctionArn"])


def executed(machine: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Runs the machine once to its end: what DescribeExecution and GetExecutionHistory say then."""
    states = boto3.client("stepfunctions")
    execution = states.start_execution(stateMachineArn=machine, name=f"run-{uuid.uuid4().hex[:12]}", input="{}")
    while (described := states.describe_execution(executionArn=execution["executionArn"]))["status"] == "RUNNING":
        time.sleep(0.2)
    history = states.get_paginator("get_execution_history").paginate(executionArn=execution["executionArn"])
    return described, [event for page in history for event in page["events"]]
