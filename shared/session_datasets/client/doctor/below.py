"""What is tried below the doors: S3 and DynamoDB themselves, with the credentials with which a function works.

Whoever examines must be named by the deploy (``-c operator=ARN``) to have them. With the credentials of one caller,
another's data must be denied by AWS, whatever a function's code would do.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from session_datasets.client.doctor.attempt import Attempt, judged, untried
from session_datasets.client.doctor.scene import Party, Scene
from session_datasets.domain.names import (
    DERIVED_PREFIX,
    PARTITION_KEY,
    RUN_INDEX,
    RUN_KEY,
    SORT_KEY,
    TAG_OWNER,
    TAG_RUN,
    TAG_SESSION,
    Verb,
)

# Makes a client of a service: with these credentials or, without them, with those of whoever examines.
MakeClient = Callable[..., Any]

DENIED = "denied by AWS"
NOT_ENFORCED = "not enforced here: an emulator that allows everything"
_ALLOWED = "allowed"
_NAMED = "deploy with -c operator=ARN to let these credentials try"
_DENIALS = ("AccessDenied", "AccessDeniedException", "403")
_ROLE_SUFFIX = "CallerRoleArn"


@dataclass(frozen=True)
class Stack:
    """As its outputs tell it; ``roles`` are the caller roles of the verbs."""

    bucket: str
    table: str
    roles: Mapping[Verb, str]

    @classmethod
    def of(cls, outputs: Mapping[str, str]) -> Stack:
        roles = {
            verb: outputs[_pascal(verb) + _ROLE_SUFFIX] for verb in Verb if _pascal(verb) + _ROLE_SUFFIX in outputs
        }
        return cls(outputs["BucketName"], outputs["TableName"], roles)


def is_enforced(client: MakeClient) -> bool:
    """Whether policies have a say here. AWS answers nobody with keys that were never issued; the emulator of a laptop
    takes any, and allows everything."""
    keys = {"aws_access_key_id": "AKIA" + "NOBODY" * 2 + "4444", "aws_secret_access_key": secrets.token_hex(20)}
    try:
        client("sts", keys).get_caller_identity()
    except Exception:
        return True
    return False


def below_the_doors(scene: Scene, name: str, client: MakeClient) -> Iterator[Attempt]:
    """Every attempt as it is made, of the stack that is called ``name``."""
    stack = _described(name, client)
    if isinstance(stack, str):
        yield untried("these credentials", f"the caller roles of {name}", DENIED, stack)
        return
    sts = client("sts")
    for verb, role in stack.roles.items():
        yield from _putting_on(scene, verb, role, sts)
        strangers = _put_on(role, _tags(scene.stranger), sts)
        if isinstance(strangers, str):
            who = f"{verb} for {scene.stranger.called}"
            yield untried(who, "S3 and DynamoDB of the owner", DENIED, f"{strangers}; {_NAMED}")
            continue
        yield from _as(f"{verb} for {scene.stranger.called}", strangers, client, _calls(scene, stack))
        neighbours = _put_on(role, _tags(scene.neighbour), sts)
        if not isinstance(neighbours, str):
            # What the owner's sessions have is the owner's; what each writes is its own.
            who = f"{verb} for {scene.neighbour.called}"
            yield from _as(who, neighbours, client, _writes(scene, stack))


def _described(name: str, client: MakeClient) -> Stack | str:
    try:
        found = client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]["Outputs"]
        return Stack.of({each["OutputKey"]: each["OutputValue"] for each in found})
    except Exception as error:
        return f"its outputs could not be read ({_code(error)})"


def _putting_on(scene: Scene, verb: Verb, role: str, sts: Any) -> Iterator[Attempt]:
    """Without a caller's tags nobody may have the role at all."""
    whole = _tags(scene.stranger)
    for what, tags in (
        ("without tags", {}),
        ("without a session", {TAG_OWNER: scene.stranger.owner}),
        ("without an owner", {TAG_SESSION: scene.stranger.session_id}),
        ("with a tag more", {**whole, "role": "admin"}),
    ):
        put_on = _put_on(role, tags, sts)
        came = DENIED if isinstance(put_on, str) else "put on"
        yield judged("these credentials", f"the role of {verb} {what}", [DENIED], came)


def _put_on(role: str, tags: Mapping[str, str], sts: Any) -> Mapping[str, str] | str:
    """Credentials; or why there are none."""
    wanted = [{"Key": key, "Value": value} for key, value in tags.items()]
    try:
        issued = sts.assume_role(RoleArn=role, RoleSessionName="doctor", Tags=wanted)["Credentials"]
    except Exception as error:
        return f"the role could not be put on ({_code(error)})"
    return {
        "aws_access_key_id": issued["AccessKeyId"],
        "aws_secret_access_key": issued["SecretAccessKey"],
        "aws_session_token": issued["SessionToken"],
    }


Calls = Mapping[str, Callable[[Any, Any], Any]]


def _as(who: str, keys: Mapping[str, str], client: MakeClient, calls: Calls) -> Iterator[Attempt]:
    s3, dynamodb = client("s3", keys), client("dynamodb", keys)
    for what, call in calls.items():
        try:
            call(s3, dynamodb)
        except Exception as error:
            code = _code(error)
            if code in _DENIALS:
                yield judged(who, what, [DENIED], DENIED)
            else:
                yield untried(who, what, DENIED, f"answered {code}")
        else:
            yield judged(who, what, [DENIED], _ALLOWED)


def _calls(scene: Scene, stack: Stack) -> Calls:
    """All of the owner's data that there is."""
    owner, run = scene.owner, f"{scene.owner.owner}#{scene.owner.run_id}"
    own = {PARTITION_KEY: {"S": f"{owner.owner}#{owner.session_id}"}}
    lists = {"Bucket": stack.bucket, "MaxKeys": 1}
    return {
        "S3 GetObject of the owner's file": lambda s3, _: s3.get_object(Bucket=stack.bucket, Key=scene.key),
        "S3 GetObject of its version": lambda s3, _: s3.get_object(
            Bucket=stack.bucket, Key=scene.key, VersionId=scene.reference["version_id"]
        ),
        "S3 ListObjects of the owner's workspace": lambda s3, _: s3.list_objects_v2(Prefix=owner.workspace, **lists),
        "S3 ListObjects of the owner's derived objects": lambda s3, _: s3.list_objects_v2(
            Prefix=f"{DERIVED_PREFIX}/{owner.owner}/", **lists
        ),
        "S3 ListObjects of the whole bucket": lambda s3, _: s3.list_objects_v2(**lists),
        "DynamoDB GetItem of the owner's record": lambda _, table: table.get_item(
            TableName=stack.table, Key={**own, SORT_KEY: {"S": scene.artifact_id}}
        ),
        "DynamoDB Query of the owner's session": lambda _, table: _query(
            table, stack, PARTITION_KEY, own[PARTITION_KEY]
        ),
        "DynamoDB Query of the owner's run": lambda _, table: _query(
            table, stack, RUN_KEY, {"S": run}, IndexName=RUN_INDEX
        ),
        "DynamoDB Scan": lambda _, table: table.scan(TableName=stack.table, Limit=1),
        **_writes(scene, stack),
    }


def _writes(scene: Scene, stack: Stack) -> Calls:
    """Into the owner's own; what got through goes with the run when it is ended."""
    partition = {"S": f"{scene.owner.owner}#{scene.owner.session_id}"}
    key = f"{scene.owner.workspace}datasets/of-the-doctor"
    return {
        "S3 PutObject into the owner's workspace": lambda s3, _: s3.put_object(Bucket=stack.bucket, Key=key, Body=b""),
        "DynamoDB PutItem into the owner's session": lambda _, table: table.put_item(
            TableName=stack.table, Item={PARTITION_KEY: partition, SORT_KEY: {"S": "handoff#of-the-doctor"}}
        ),
    }


def _query(table: Any, stack: Stack, key: str, value: Mapping[str, str], **more: Any) -> Any:
    return table.query(
        TableName=stack.table,
        KeyConditionExpression="#key = :value",
        ExpressionAttributeNames={"#key": key},
        ExpressionAttributeValues={":value": value},
        Limit=1,
        **more,
    )


def _tags(party: Party) -> dict[str, str]:
    return {TAG_OWNER: party.owner, TAG_SESSION: party.session_id, TAG_RUN: party.run_id}


def _code(error: Exception) -> str:
    """AWS's own word, or the error's kind."""
    response = getattr(error, "response", None)
    found = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    return str(found or type(error).__name__)


def _pascal(verb: Verb) -> str:
    return "".join(word.capitalize() for word in verb.split("_"))
