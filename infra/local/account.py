"""The account of the caller's credentials: what stands there, before a deploy and after it.

Credentials and region are looked for where the CDK command line looks for them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import boto3
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)

from infra.local.redrive import RedriveRefused, move_back, tell_again
from infra.outputs import ENVIRONMENT_OUTPUT
from session_datasets.domain.names import LIVE_ALIAS, Verb, function_name

# Where the CDK command line deploys when nothing names a region.
_DEFAULT_REGION = "us-east-1"
# Within this time every machine of Lambda knows that an alias was moved.
_ALIAS_MOVES = timedelta(minutes=1)

_SIGN_IN = (
    "Set AWS_PROFILE, or AWS_REGION and credentials as for the AWS command line; "
    "renew credentials or a sign-in that has expired."
)


class AccountError(Exception):
    """AWS refused, could not be asked, or was asked for what would do harm; the text says which."""


@dataclass(frozen=True)
class Version:
    """A published version of a function."""

    function: str
    number: str


def compare(stack: str, environment: str) -> None:
    """Raises AccountError when ``stack`` stands as another environment than ``environment``.

    A deploy of another one would turn the protections of its data off, or on for what was meant to be thrown away.
    """
    standing = _standing_environment(stack)
    if standing not in (None, environment):
        raise AccountError(
            f"The stack {stack} stands as {standing}, and is not deployed as {environment}: that would change what "
            f"protects its data. Say ENV={standing}, or deploy another stack beside it with STACK=another-name."
        )


def superseded(stack: str, now: datetime) -> list[Version]:
    """The versions of the stack's functions that no alias points at and no call can be in; raises AccountError.

    A function that was deployed less than its timeout ago may still be at work in the version before, so it is
    left out whole.
    """
    functions = _client("lambda")
    with _explained(f"list the versions of {stack}"):
        names = [function_name(stack, verb) for verb in Verb]
        return [
            version for name in names if _is_settled(functions, name, now) for version in _unaliased(functions, name)
        ]


def delete(version: Version) -> None:
    """Deletes one published version; raises AccountError."""
    with _explained(f"delete version {version.number} of {version.function}"):
        _client("lambda").delete_function(FunctionName=version.function, Qualifier=version.number)


# What lies with the dead letters, and the outputs of the stack that name where, and where from.
REDRIVEN = {
    "profiles": ("DeadLettersUrl", "ProfileQueueUrl"),
    "audits": ("AuditDeadLettersUrl", "AuditQueueUrl"),
    "events": ("EventDeadLettersUrl", ""),
}


def redrive(stack: str, what: str) -> str:
    """Has the dead letters of ``what`` (one of REDRIVEN) done once more, and says what came of it; raises
    AccountError."""
    with _explained(f"redrive the {what} of {stack}"):
        outputs = _outputs(stack)
        dead = outputs[REDRIVEN[what][0]]
        if what == "events":
            told = tell_again(_client("sqs"), _client("dynamodbstreams"), _client("lambda"), dead, stack)
            return (
                f"{told.told} dead letters told again; left: {told.too_old} older than the stream's day, "
                f"{told.failed} that failed once more (the log of publish_events says why)."
            )
        return (
            f"About {move_back(_client('sqs'), dead, outputs[REDRIVEN[what][1]])} dead letters are on their way back."
        )


def begin_audit(stack: str) -> None:
    """Asks for an audit of everything; raises AccountError."""
    with _explained(f"begin an audit of {stack}"):
        body = json.dumps({"v": 1, "sweep": {}})
        _client("sqs").send_message(QueueUrl=_outputs(stack)["AuditQueueUrl"], MessageBody=body)


def _standing_environment(stack: str) -> str | None:
    """What the stack was deployed as; None when there is none, or it never came to say so."""
    with _explained(f"see whether {stack} stands already"):
        return _outputs(stack).get(ENVIRONMENT_OUTPUT)


def _outputs(stack: str) -> dict[str, str]:
    return {each["OutputKey"]: str(each["OutputValue"]) for each in _described(stack).get("Outputs", [])}


def _described(stack: str) -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = _client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError as error:
        if "does not exist" not in str(error):
            raise
        return {}
    return found


def _is_settled(functions: Any, name: str, now: datetime) -> bool:
    number = functions.get_alias(FunctionName=name, Name=LIVE_ALIAS)["FunctionVersion"]
    live = functions.get_function_configuration(FunctionName=name, Qualifier=number)
    deployed = datetime.strptime(live["LastModified"], "%Y-%m-%dT%H:%M:%S.%f%z")
    return bool(deployed + timedelta(seconds=live["Timeout"]) + _ALIAS_MOVES <= now)


def _unaliased(functions: Any, name: str) -> Iterator[Version]:
    aliases = functions.get_paginator("list_aliases").paginate(FunctionName=name)
    wanted = {"$LATEST"} | {alias["FunctionVersion"] for page in aliases for alias in page["Aliases"]}
    for page in functions.get_paginator("list_versions_by_function").paginate(FunctionName=name):
        for version in page["Versions"]:
            if version["Version"] not in wanted:
                yield Version(name, version["Version"])


@contextmanager
def _explained(deed: str) -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise AccountError(f"Could not {deed}: the stack has no output {error}; is it deployed?") from error
    except (NoCredentialsError, PartialCredentialsError, ProfileNotFound, TokenRetrievalError) as error:
        raise AccountError(f"Could not {deed}: {error}. {_SIGN_IN}") from error
    except (ClientError, BotoCoreError, RedriveRefused) as error:
        raise AccountError(f"Could not {deed}: {error}") from error


def _client(service: str) -> Any:
    session = boto3.session.Session()
    return session.client(service, region_name=os.environ.get("AWS_REGION") or session.region_name or _DEFAULT_REGION)
