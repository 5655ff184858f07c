"""A function tries what its verb does not need: listing reads a file, loading changes a record, anybody deletes.

AWS denies it, whatever the function's code would do: each verb has roles of its own, made from one table of grants, and
what they hold on data is narrowed to the caller besides. No action has a wildcard. (``tests/enforced`` takes each
statement away in turn, ``tests/infrastructure/test_grants.py`` holds the template to the table.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError

from infra.grants import NARROWED_VERBS, grants_of_caller, grants_of_function
from session_datasets.domain.names import PARTITION_KEY, RUN_INDEX, RUN_KEY, SORT_KEY, Verb
from session_datasets.domain.scope import Scope
from tests.support.contents import keys
from tests.support.enforced_cloud import EnforcedCloud
from tests.support.sessions import Answer, Session

# Those that a session or an orchestrator calls, and the worker that a session's message calls.
VERBS = [
    Verb.OPEN_SESSION,
    Verb.PREPARE_UPLOAD,
    Verb.REGISTER_ARTIFACT,
    Verb.LIST_ARTIFACTS,
    Verb.DESCRIBE_ARTIFACT,
    Verb.LOAD_ARTIFACT,
    Verb.READ_ROWS,
    Verb.READ_COLUMNS,
    Verb.PROFILE_ARTIFACT,
    Verb.END_RUN,
]


@dataclass(frozen=True)
class Scene:
    """A session with an artifact; what is tried is tried on its own data, so that only the verb stands in the way."""

    cloud: EnforcedCloud
    session: Session
    run_id: str
    reference: Answer
    derived: str

    @property
    def scope(self) -> Scope:
        return Scope("acme", self.session.session_id, None, self.run_id)

    @property
    def file(self) -> dict[str, str]:
        return {"Bucket": self.cloud.bucket, "Key": self.reference["key"]}

    @property
    def version(self) -> dict[str, str]:
        return {**self.file, "VersionId": self.reference["version_id"]}

    @property
    def derived_file(self) -> dict[str, str]:
        return {"Bucket": self.cloud.bucket, "Key": self.derived}

    @property
    def derived_version(self) -> dict[str, str]:
        return {**self.derived_file, "VersionId": self.cloud.s3.head_object(**self.derived_file)["VersionId"]}

    def item(self, sort_key: str) -> dict[str, Any]:
        return {PARTITION_KEY: {"S": f"acme#{self.session.session_id}"}, SORT_KEY: {"S": sort_key}}

    def query(self, index: str | None) -> dict[str, Any]:
        key, value = (RUN_KEY, f"acme#{self.run_id}") if index else (PARTITION_KEY, f"acme#{self.session.session_id}")
        return {
            "TableName": self.cloud.table,
            "KeyConditionExpression": "#key = :key",
            "ExpressionAttributeNames": {"#key": key},
            "ExpressionAttributeValues": {":key": {"S": value}},
            **({"IndexName": index} if index else {}),
        }


@pytest.fixture(scope="module")
def scene(enforced: EnforcedCloud) -> Scene:
    run_id = f"run-{uuid4().hex}"
    session = Session.open(enforced, run_id=run_id)
    reference = session.register()["reference"]
    (derived,) = [
        key for key in keys(enforced, "_derived/") if reference["artifact_id"] in key and key.endswith("rows")
    ]
    return Scene(enforced, session, run_id, reference, derived)


Call = Callable[[Scene, Any, Any], object]
READERS = {Verb.READ_ROWS, Verb.READ_COLUMNS}
FINDERS = {Verb.REGISTER_ARTIFACT, Verb.DESCRIBE_ARTIFACT, Verb.LOAD_ARTIFACT, *READERS}
# What is tried on the own data, and the verbs that need it: written out by hand, and not taken from the table.
TRIES: dict[str, tuple[Call, set[Verb]]] = {
    "read the newest file": (
        lambda scene, s3, _: s3.get_object(**scene.file),
        {Verb.PREPARE_UPLOAD, Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT},
    ),
    "read the registered version": (
        lambda scene, s3, _: s3.get_object(**scene.version),
        {Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT, Verb.PROFILE_ARTIFACT},
    ),
    "write a file": (
        lambda scene, s3, _: s3.put_object(**{**scene.file, "Key": f"{scene.session.workspace}datasets/x"}, Body=b"x"),
        {Verb.PREPARE_UPLOAD, Verb.LOAD_ARTIFACT},
    ),
    "read derived rows": (lambda scene, s3, _: s3.get_object(**scene.derived_version), READERS),
    "read the newest derived object": (
        lambda scene, s3, _: s3.get_object(**scene.derived_file),
        {Verb.DESCRIBE_ARTIFACT},
    ),
    "write a derived object": (
        lambda scene, s3, _: s3.put_object(**{**scene.derived_file, "Key": f"{scene.derived}-x"}, Body=b"x"),
        {Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT},
    ),
    "list files": (
        lambda scene, s3, _: s3.list_objects_v2(Bucket=scene.cloud.bucket, Prefix=scene.session.workspace),
        {Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT},
    ),
    "list the whole bucket": (lambda scene, s3, _: s3.list_objects_v2(Bucket=scene.cloud.bucket), set()),
    "mark a file deleted": (lambda scene, s3, _: s3.delete_object(**scene.file), set()),
    "change the bucket": (
        lambda scene, s3, _: s3.put_bucket_versioning(
            Bucket=scene.cloud.bucket, VersioningConfiguration={"Status": "Suspended"}
        ),
        set(),
    ),
    "tag a file": (
        lambda scene, s3, _: s3.put_object_tagging(**scene.file, Tagging={"TagSet": [{"Key": "a", "Value": "b"}]}),
        set(),
    ),
    "read a record": (
        lambda scene, _, table: table.get_item(
            TableName=scene.cloud.table, Key=scene.item(scene.reference["artifact_id"])
        ),
        {Verb.PREPARE_UPLOAD, Verb.PROFILE_ARTIFACT, Verb.END_RUN, *FINDERS},
    ),
    "write an item": (
        lambda scene, _, table: table.put_item(TableName=scene.cloud.table, Item=scene.item("handoff#x")),
        {Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT},
    ),
    "change an item": (
        lambda scene, _, table: table.update_item(TableName=scene.cloud.table, Key=scene.item("handoff#y")),
        {Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT, Verb.END_RUN},
    ),
    "delete an item": (
        lambda scene, _, table: table.delete_item(TableName=scene.cloud.table, Key=scene.item("handoff#z")),
        set(),
    ),
    "list the own records": (
        lambda scene, _, table: table.query(**scene.query(None)),
        {Verb.LIST_ARTIFACTS, Verb.END_RUN},
    ),
    "look into the run's index": (
        lambda scene, _, table: table.query(**scene.query(RUN_INDEX)),
        {Verb.LIST_ARTIFACTS, Verb.END_RUN, *FINDERS},
    ),
    "scan the table": (lambda scene, _, table: table.scan(TableName=scene.cloud.table), set()),
    "describe the table": (lambda scene, _, table: table.describe_table(TableName=scene.cloud.table), set()),
}


def allowed(call: Callable[[], object]) -> bool:
    try:
        call()
    except ClientError as error:
        if not error.response["Error"]["Code"].startswith("AccessDenied"):
            raise
        return False
    return True


@pytest.mark.parametrize("what", TRIES)
def test_only_the_verbs_that_need_it_may_do_it_even_with_the_callers_own_data(scene: Scene, what: str) -> None:
    call, needing = TRIES[what]
    may = set()
    for verb in VERBS:
        acting = scene.cloud.acting_for(verb, scene.scope)
        if allowed(partial(call, scene, acting.client("s3"), acting.client("dynamodb"))):
            may.add(verb)
    assert may == needing


OTHERS = {
    "sts": lambda client: client.get_caller_identity(),
    "iam": lambda client: client.list_roles(),
    "secretsmanager": lambda client: client.list_secrets(),
    "lambda": lambda client: client.list_functions(),
    "sqs": lambda client: client.list_queues(),
    "cloudformation": lambda client: client.describe_stacks(),
}


@pytest.mark.parametrize("service", [name for name in OTHERS if name != "sts"])
def test_with_a_callers_credentials_no_other_service_answers(scene: Scene, service: str) -> None:
    for verb in VERBS:
        client = scene.cloud.acting_for(verb, scene.scope).client(service)
        assert not allowed(partial(OTHERS[service], client)), verb


def test_a_function_without_a_caller_reaches_no_data(scene: Scene) -> None:
    """What it has by itself is its key, its queue, its log, and the right to act for a caller."""
    for verb in VERBS:
        own = scene.cloud.as_function(verb)
        for what in ("read the registered version", "write a file", "read a record", "write an item"):
            assert not allowed(partial(TRIES[what][0], scene, own.client("s3"), own.client("dynamodb"))), (verb, what)


def actions_of(cloud: EnforcedCloud, role: str) -> set[str]:
    """Every action that the live role's own policies name."""
    name = role.rsplit("/", 1)[-1]
    found: set[str] = set()
    for policy in cloud.iam.list_role_policies(RoleName=name)["PolicyNames"]:
        for statement in cloud.iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]["Statement"]:
            actions = statement["Action"]
            found |= {actions} if isinstance(actions, str) else set(actions)
    return found


# Of every function: its own log, and traces.
OF_ALL = ("logs:", "xray:")


@pytest.mark.parametrize("verb", NARROWED_VERBS)
def test_the_live_roles_name_the_actions_of_the_table_one_by_one(enforced: EnforcedCloud, verb: Verb) -> None:
    function = actions_of(enforced, enforced.function_role(verb))
    caller = actions_of(enforced, enforced.caller_role(verb))
    assert [action for action in function | caller if "*" in action] == []
    assert {action for action in function if not action.startswith(OF_ALL)} == {
        action for grant in grants_of_function(verb) for action in grant.actions
    }
    assert caller == {action for grant in grants_of_caller(verb) for action in grant.actions}
