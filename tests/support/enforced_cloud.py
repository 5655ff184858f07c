"""The deployed stack where AWS's policies are enforced, and nobody has more rights than the stack gives.

Nodes and orchestrators are users of the account that hold the published policy and nothing else; functions have the
credentials of their roles. The account's own keys, which may do anything, set the scenes.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
from botocore.config import Config

from infra.local import cdk
from infra.local.deployed import DeployedStack
from infra.local.ministack import MiniStack
from session_datasets import Orchestrator, Workspace
from session_datasets.client.transport import DeployedTransport
from session_datasets.domain.names import LIVE_ALIAS, ORCHESTRATOR_VERBS, Verb, function_name
from session_datasets.domain.scope import Scope
from session_datasets.storage.narrowing import session_tags
from tests.support.deployed_cloud import DeployedCloud


@dataclass(frozen=True)
class Principal:
    """Keys, and the environment in which an AWS client finds them and the stack."""

    stack: DeployedStack
    access_key: str
    secret_key: str
    token: str | None = None

    @property
    def variables(self) -> dict[str, str]:
        keys = {"AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key}
        token = {"AWS_SESSION_TOKEN": self.token} if self.token else {}
        return {**self.stack.client_environment(), **keys, **token}

    def client(self, service: str) -> Any:
        return boto3.client(
            service,
            endpoint_url=self.stack.endpoint,
            verify=str(self.stack.certificate),
            region_name=self.stack.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            aws_session_token=self.token,
            config=Config(
                read_timeout=120,
                retries={"total_max_attempts": 1},
                signature_version="s3v4" if service == "s3" else "v4",
                request_checksum_calculation="when_required",
            ),
        )


class EnforcedCloud(DeployedCloud):
    """``tests.support.sessions.Cloud`` whose verbs are called by the user that may."""

    def __init__(self, stack: DeployedStack) -> None:
        super().__init__(stack)
        keys = stack.client_environment()
        self.account = Principal(stack, keys["AWS_ACCESS_KEY_ID"], keys["AWS_SECRET_ACCESS_KEY"])
        self.node = self._user("node", stack.outputs["NodePolicyArn"])
        self.orchestrator = self._user("orchestrator", stack.outputs["OrchestratorPolicyArn"])

    def client(self, service: str, **config: Any) -> Any:
        return self.account.client(service)

    @cached_property
    def iam(self) -> Any:
        return self.account.client("iam")

    @cached_property
    def _functions_of(self) -> Mapping[bool, Any]:
        return {True: self.orchestrator.client("lambda"), False: self.node.client("lambda")}

    def call(self, verb: str, body: Any) -> dict[str, Any]:
        functions = self._functions_of[Verb(verb) in ORCHESTRATOR_VERBS]
        return self.invoked(functions, Verb(verb), body)

    def invoked(self, functions: Any, verb: Verb, event: Any) -> dict[str, Any]:
        """What the verb's function answers to this client of Lambda; a function that fails, fails the test."""
        answer = functions.invoke(
            FunctionName=function_name(self.stack.name, verb), Qualifier=LIVE_ALIAS, Payload=json.dumps(event).encode()
        )
        payload = answer["Payload"].read()
        assert "FunctionError" not in answer, payload.decode()
        answered: dict[str, Any] = json.loads(payload)
        return answered

    def open(self, directory: Path, **scope: Any) -> Workspace:
        """A new session's workspace in the SDK: opened by the orchestrator, used by the node."""
        scope = {"owner": "acme", "node": "node", **scope}
        with patch.dict(os.environ, self.orchestrator.variables):
            session = Orchestrator(DeployedTransport(self.stack.name)).open_session(**scope)
        return Workspace(session.token, DeployedTransport(self.stack.name), directory)

    def caller_role(self, verb: Verb) -> str:
        """The ARN of the role that the verb's function puts on."""
        words = "".join(word.capitalize() for word in verb.split("_"))
        return self.stack.outputs[f"{words}CallerRoleArn"]

    def function_role(self, verb: Verb) -> str:
        """The ARN of the role of the verb's function."""
        found = self.functions.get_function_configuration(FunctionName=function_name(self.stack.name, verb))
        return str(found["Role"])

    def acting_for(self, verb: Verb, scope: Scope) -> Principal:
        """The credentials with which the verb's function works for this caller."""
        tags = [{"Key": key, "Value": value} for key, value in session_tags(scope).items()]
        return self._put_on(self.caller_role(verb), Tags=tags)

    def as_function(self, verb: Verb) -> Principal:
        """The credentials of the verb's function itself. Only an emulator lets the account have them."""
        return self._put_on(self.function_role(verb))

    def _put_on(self, role: str, **more: Any) -> Principal:
        issued = self.account.client("sts").assume_role(RoleArn=role, RoleSessionName="tried", **more)["Credentials"]
        return Principal(self.stack, issued["AccessKeyId"], issued["SecretAccessKey"], issued["SessionToken"])

    def _user(self, name: str, policy: str) -> Principal:
        self.iam.create_user(UserName=name)
        self.iam.attach_user_policy(UserName=name, PolicyArn=policy)
        key = self.iam.create_access_key(UserName=name)["AccessKey"]
        return Principal(self.stack, key["AccessKeyId"], key["SecretAccessKey"])

    @contextmanager
    def paused(self, verb: Verb) -> Iterator[None]:
        """While it lasts, the verb's function is handed nothing by its queue or stream."""
        mappings = self.functions.list_event_source_mappings(FunctionName=function_name(self.stack.name, verb))
        ids = [each["UUID"] for each in mappings["EventSourceMappings"]]
        assert ids, f"{verb} has neither queue nor stream"
        for each in ids:
            self.functions.update_event_source_mapping(UUID=each, Enabled=False)
        try:
            yield
        finally:
            for each in ids:
                self.functions.update_event_source_mapping(UUID=each, Enabled=True)

    @contextmanager
    def without(self, role: str, sid: str) -> Iterator[None]:
        """While it lasts, the live role lacks the statement of this Sid."""
        name = role.rsplit("/", 1)[-1]
        for policy in self.iam.list_role_policies(RoleName=name)["PolicyNames"]:
            document = self.iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
            kept = [each for each in document["Statement"] if each["Sid"] != sid]
            if len(kept) < len(document["Statement"]):
                break
        else:
            raise LookupError(f"{name} has no statement {sid}")
        self._put_policy(name, policy, {**document, "Statement": kept})
        try:
            yield
        finally:
            self._put_policy(name, policy, document)

    def _put_policy(self, role: str, policy: str, document: Mapping[str, Any]) -> None:
        if document["Statement"]:
            self.iam.put_role_policy(RoleName=role, PolicyName=policy, PolicyDocument=json.dumps(document))
        else:
            self.iam.delete_role_policy(RoleName=role, PolicyName=policy)


@contextmanager
def enforced_cloud() -> Iterator[EnforcedCloud]:
    """The stack, deployed by the CDK command line to an emulator that enforces policies; both end with it."""
    with tempfile.TemporaryDirectory(prefix="enforced-") as state, MiniStack(Path(state), enforcing=True) as emulator:
        yield EnforcedCloud(cdk.deploy(emulator.endpoint, certificate=emulator.certificate))
