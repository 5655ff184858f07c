"""A synthesized stack, read as the plain JSON that CloudFormation gets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aws_cdk import App

from app import create_app
from session_datasets.domain.names import (
    DEFAULT_STACK,
    ENV_AUDIT_QUEUE,
    ENV_CALLER_ROLE,
    ENV_PROFILE_QUEUE,
    Verb,
    function_name,
)

ROOT = Path(__file__).resolve().parents[2]

Json = dict[str, Any]


@dataclass(frozen=True)
class Synthesized:
    """One stack of a cloud assembly."""

    app: App
    folder: Path
    environment: str
    template: Json

    def resources(self, kind: str) -> dict[str, Json]:
        """Logical id -> resource, of one CloudFormation type."""
        return {name: each for name, each in self.template["Resources"].items() if each["Type"] == kind}

    def only(self, kind: str) -> Json:
        """The one resource of its type."""
        (resource,) = self.resources(kind).values()
        return resource

    def function(self, verb: Verb) -> Json:
        """The properties of one verb's function."""
        wanted = function_name(DEFAULT_STACK, verb)
        functions: list[Json] = [each["Properties"] for each in self.resources("AWS::Lambda::Function").values()]
        (found,) = (each for each in functions if each["FunctionName"] == wanted)
        return found

    def role(self, verb: Verb) -> Json:
        """The properties of the role that one verb's function assumes."""
        role: Json = self.template["Resources"][self.function(verb)["Role"]["Fn::GetAtt"][0]]
        properties: Json = role["Properties"]
        return properties

    def statements(self, verb: Verb) -> list[Json]:
        """Every statement that the role of one verb's function carries."""
        own = _statements_of(self.role(verb))
        name = self.function(verb)["Role"]["Fn::GetAtt"][0]
        added = self.resources("AWS::IAM::Policy").values()
        return own + [
            statement
            for policy in added
            if {"Ref": name} in policy["Properties"]["Roles"]
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        ]

    def caller_role(self, verb: Verb) -> Json | None:
        """The properties of the role that one verb's function puts on for a caller; None when it has none."""
        found = self.function(verb)["Environment"]["Variables"].get(ENV_CALLER_ROLE)
        if found is None:
            return None
        properties: Json = self.template["Resources"][found["Fn::GetAtt"][0]]["Properties"]
        return properties

    def caller_statements(self, verb: Verb) -> list[Json]:
        """Every statement that one verb's caller role carries."""
        role = self.caller_role(verb)
        return _statements_of(role) if role else []

    def flat(self, value: Any) -> str:
        """A value with references written as their logical id: ``Workspaces1234.Arn/*/runs/*``."""
        match value:
            case str():
                return value
            case {"Ref": str(name)}:
                return name
            case {"Fn::GetAtt": [name, attribute]}:
                return f"{name}.{attribute}"
            case {"Fn::Join": [separator, parts]}:
                return str(separator).join(self.flat(part) for part in parts)
        raise ValueError(f"cannot flatten {value}")

    def flat_dashboard(self) -> Json:
        """The dashboard's body, with references written as in ``flat``."""
        body: Json = json.loads(self.flat(self.only("AWS::CloudWatch::Dashboard")["Properties"]["DashboardBody"]))
        return body

    def validation_report(self) -> Json:
        """What the checks of the app said about it."""
        report: Json = json.loads((self.folder / "validation-report.json").read_text())
        return report


InEnvironment = Callable[[str], Synthesized]  # the name of an environment -> the stack in it


def synthesize(environment: str, folder: Path, stack: str = DEFAULT_STACK, **more: str) -> Synthesized:
    """Synthesize the app as ``cdk synth -c env=… -c stack=…`` does; raises when a check finds anything."""
    app = create_app(context=context(environment, stack) | more, outdir=str(folder))
    app.synth()
    template = json.loads((folder / f"{stack}.template.json").read_text())
    return Synthesized(app, folder, environment, template)


def context(environment: str, stack: str = DEFAULT_STACK) -> Json:
    """The context of cdk.json with what the command line adds to it."""
    pinned: Json = json.loads((ROOT / "cdk.json").read_text())["context"]
    return {**pinned, "env": environment, "stack": stack}


def as_list(value: Any) -> list[Any]:
    """IAM writes a list of one as the one."""
    return value if isinstance(value, list) else [value]


def policy_statements(template: Json) -> Iterator[Json]:
    """Every statement that allows something, in any identity's or resource's policy of the template."""
    for resource in template["Resources"].values():
        yield from (each for each in _statements_in(resource["Properties"]) if each["Effect"] == "Allow")


def _statements_in(value: Any) -> Iterator[Json]:
    if isinstance(value, dict):
        if "Effect" in value and "Action" in value:
            yield value
        for part in value.values():
            yield from _statements_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _statements_in(part)


def _statements_of(role: Json) -> list[Json]:
    return [statement for policy in role["Policies"] for statement in policy["PolicyDocument"]["Statement"]]


def profile_queue(stack: Synthesized) -> tuple[str, Json]:
    """Logical id and properties of the queue that profile_artifact works off."""
    return _queue_told(stack, Verb.PROFILE_ARTIFACT, ENV_PROFILE_QUEUE)


def audit_queue(stack: Synthesized) -> tuple[str, Json]:
    """Likewise of audit_records."""
    return _queue_told(stack, Verb.AUDIT_RECORDS, ENV_AUDIT_QUEUE)


def dead_letters_of(stack: Synthesized, queue: Json) -> str:
    """Logical id of the queue where its messages end."""
    logical_id: str = queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
    return logical_id


def mapping_of(stack: Synthesized, verb: Verb) -> Json:
    """The properties of what feeds the live version of the verb's function."""
    wanted = function_name(DEFAULT_STACK, verb)
    (function,) = (
        name
        for name, each in stack.resources("AWS::Lambda::Function").items()
        if each["Properties"]["FunctionName"] == wanted
    )
    (alias,) = (
        name
        for name, each in stack.resources("AWS::Lambda::Alias").items()
        if each["Properties"]["FunctionName"] == {"Ref": function}
    )
    (found,) = (
        each["Properties"]
        for each in stack.resources("AWS::Lambda::EventSourceMapping").values()
        if alias in str(each["Properties"]["FunctionName"])
    )
    return found


def _queue_told(stack: Synthesized, verb: Verb, variable: str) -> tuple[str, Json]:
    logical_id = stack.function(verb)["Environment"]["Variables"][variable]["Ref"]
    return logical_id, stack.template["Resources"][logical_id]["Properties"]
