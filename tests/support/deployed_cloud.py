"""A deployed stack, spoken to as nodes and orchestrators do: by invoking its functions."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config

from infra.local.deployed import DeployedStack
from session_datasets import Orchestrator, Workspace
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import LIVE_ALIAS, Verb, function_name

# A function's first call starts its process; none is slow after that.
_PATIENT = Config(read_timeout=120, retries={"total_max_attempts": 1}, max_pool_connections=32, signature_version="v4")


class DeployedCloud:
    """``tests.support.sessions.Cloud`` on a deployed stack; the clients here are an administrator's."""

    def __init__(self, stack: DeployedStack) -> None:
        self.stack = stack
        self.bucket = stack.outputs["BucketName"]
        self.table = stack.outputs["TableName"]

    def client(self, service: str, **config: Any) -> Any:
        environment = self.stack.client_environment()
        return boto3.client(
            service,
            endpoint_url=environment.get("AWS_ENDPOINT_URL"),
            region_name=self.stack.region,
            aws_access_key_id=environment.get("AWS_ACCESS_KEY_ID"),
            aws_secret_access_key=environment.get("AWS_SECRET_ACCESS_KEY"),
            config=_PATIENT.merge(Config(**config)),
        )

    @cached_property
    def s3(self) -> Any:
        return self.client("s3", signature_version="s3v4")

    @cached_property
    def dynamodb(self) -> Any:
        return self.client("dynamodb")

    @cached_property
    def functions(self) -> Any:
        return self.client("lambda")

    def call(self, verb: str, body: Any) -> dict[str, Any]:
        """What the function of this verb answers; a function that fails, fails the test."""
        answer = self.functions.invoke(
            FunctionName=function_name(self.stack.name, Verb(verb)),
            Qualifier=LIVE_ALIAS,
            Payload=json.dumps(body).encode(),
        )
        payload = answer["Payload"].read()
        assert "FunctionError" not in answer, payload.decode()
        answered: dict[str, Any] = json.loads(payload)
        return answered

    def open(self, directory: Path, **scope: Any) -> Workspace:
        """A new session's workspace in the SDK, which finds the stack in its environment as a node's would."""
        scope = {"owner": "acme", "node": "node", **scope}
        return Orchestrator(DeployedTransport(self.stack.name)).open_session(**scope).workspace(directory)
