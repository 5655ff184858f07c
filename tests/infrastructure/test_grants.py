"""Who may do what: the roles of the template are the table of grants, and the table is what we meant."""

from __future__ import annotations

from collections import defaultdict

import pytest

from infra.constructs.function_role import TRACING_POLICY
from infra.grants import GRANTS, Resource, grants_of
from session_datasets.domain.names import Verb
from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized, as_list, policy_statements, profile_queue

each_verb = pytest.mark.parametrize("verb", Verb)

WORKSPACES = {"Workspaces.Arn/*/conversations/*", "Workspaces.Arn/*/runs/*"}
DERIVED = {"Workspaces.Arn/_derived/*"}
INDEXES = {"Records.Arn/index/conversation-index", "Records.Arn/index/run-index"}
QUEUE = {"ProfileQueue.Arn"}
KEY = {"secretsmanager:GetSecretValue": {"SigningKey"}}

# Written out by hand, so that a slip in the table of grants is not its own proof.
MEANT: dict[Verb, dict[str, set[str]]] = {
    Verb.OPEN_SESSION: KEY,
    Verb.PREPARE_UPLOAD: KEY | {"s3:PutObject": WORKSPACES, "s3:GetObject": WORKSPACES},
    Verb.REGISTER_ARTIFACT: KEY
    | {
        "s3:GetObject": WORKSPACES,
        "s3:GetObjectVersion": WORKSPACES,
        "s3:ListBucket": {"Workspaces.Arn"},
        "s3:PutObject": DERIVED,
        "s3:AbortMultipartUpload": DERIVED,
        "dynamodb:GetItem": {"Records.Arn"},
        "dynamodb:PutItem": {"Records.Arn"},
        "dynamodb:Query": INDEXES,
        "sqs:SendMessage": QUEUE,
    },
    # No key: nobody calls it, so it checks no token.
    Verb.PROFILE_ARTIFACT: {
        "s3:GetObject": WORKSPACES,
        "s3:GetObjectVersion": WORKSPACES,
        "s3:PutObject": DERIVED,
        "s3:AbortMultipartUpload": DERIVED,
        "dynamodb:GetItem": {"Records.Arn"},
        "dynamodb:PutItem": {"Records.Arn"},
        "sqs:ReceiveMessage": QUEUE,
        "sqs:DeleteMessage": QUEUE,
        "sqs:GetQueueAttributes": QUEUE,
        "sqs:ChangeMessageVisibility": QUEUE,
    },
    Verb.LIST_ARTIFACTS: KEY | {"dynamodb:Query": {"Records.Arn"} | INDEXES},
    Verb.DESCRIBE_ARTIFACT: KEY
    | {
        "dynamodb:GetItem": {"Records.Arn"},
        "dynamodb:Query": INDEXES,
        "s3:GetObject": DERIVED,
        "s3:ListBucket": {"Workspaces.Arn"},
    },
    Verb.LOAD_ARTIFACT: KEY
    | {
        "s3:GetObject": WORKSPACES,
        "s3:GetObjectVersion": WORKSPACES,
        "s3:PutObject": WORKSPACES,
        "s3:AbortMultipartUpload": WORKSPACES,
        "s3:ListBucket": {"Workspaces.Arn"},
        "dynamodb:GetItem": {"Records.Arn"},
        "dynamodb:PutItem": {"Records.Arn"},
        "dynamodb:Query": INDEXES,
    },
    **{
        verb: KEY
        | {
            "s3:GetObjectVersion": DERIVED,
            "s3:ListBucket": {"Workspaces.Arn"},
            "dynamodb:GetItem": {"Records.Arn"},
            "dynamodb:Query": INDEXES,
        }
        for verb in (Verb.READ_ROWS, Verb.READ_COLUMNS)
    },
}


def readable(stack: Synthesized, arn: object) -> str:
    """An ARN of the template with ``Workspaces``, ``Records``, ``SigningKey``, ``ProfileQueue`` for the logical ids."""
    text = stack.flat(arn)
    for kind, name in {
        "AWS::S3::Bucket": "Workspaces",
        "AWS::DynamoDB::Table": "Records",
        "AWS::SecretsManager::Secret": "SigningKey",
    }.items():
        (logical_id,) = stack.resources(kind)
        text = text.replace(logical_id, name)
    return text.replace(profile_queue(stack)[0], "ProfileQueue")


def permissions(stack: Synthesized, verb: Verb) -> dict[str, set[str]]:
    """Action -> resources, of everything a verb's role may do but write its log."""
    found: dict[str, set[str]] = defaultdict(set)
    for statement in stack.statements(verb):
        if statement["Sid"] != "WriteOwnLog":
            for action in as_list(statement["Action"]):
                found[action] |= {readable(stack, arn) for arn in as_list(statement["Resource"])}
    return dict(found)


@each_verb
def test_a_role_may_do_what_was_meant_and_nothing_else(everywhere: Synthesized, verb: Verb) -> None:
    assert permissions(everywhere, verb) == MEANT[verb]


@each_verb
def test_a_role_has_one_statement_for_each_row_of_the_table(everywhere: Synthesized, verb: Verb) -> None:
    rows = {grant.name: sorted(grant.actions) for grant in grants_of(verb)}
    statements = {each["Sid"]: sorted(as_list(each["Action"])) for each in everywhere.statements(verb)}
    del statements["WriteOwnLog"]
    assert statements == rows


@each_verb
def test_listing_is_for_the_prefixes_that_the_verb_reads_only(everywhere: Synthesized, verb: Verb) -> None:
    for statement in everywhere.statements(verb):
        if "s3:ListBucket" in as_list(statement["Action"]):
            reads_workspaces = verb in (Verb.REGISTER_ARTIFACT, Verb.LOAD_ARTIFACT)
            patterns = ["*/conversations/*", "*/runs/*"] if reads_workspaces else ["_derived/*"]
            assert statement["Condition"] == {"StringLike": {"s3:prefix": patterns}}
        else:
            assert "Condition" not in statement


@each_verb
def test_a_function_writes_its_own_log_and_no_other(everywhere: Synthesized, verb: Verb) -> None:
    (statement,) = (each for each in everywhere.statements(verb) if each["Sid"] == "WriteOwnLog")
    group = everywhere.function(verb)["LoggingConfig"]["LogGroup"]["Ref"]
    assert statement["Resource"] == {"Fn::GetAtt": [group, "Arn"]}
    assert statement["Action"] == ["logs:CreateLogStream", "logs:PutLogEvents"]


@each_verb
@pytest.mark.parametrize(("environment", "managed"), [("local", 0), ("sandbox", 1), ("production", 1)])
def test_the_only_policy_of_aws_is_the_one_that_writes_traces(
    synthesized: InEnvironment, environment: str, managed: int, verb: Verb
) -> None:
    stack = synthesized(environment)
    arns = [stack.flat(arn) for arn in stack.role(verb).get("ManagedPolicyArns", [])]
    assert arns == [f"arn:AWS::Partition:iam::aws:policy/{TRACING_POLICY}"] * managed


def test_nobody_has_a_role_but_the_functions_and_each_its_own(everywhere: Synthesized) -> None:
    roles = {everywhere.function(verb)["Role"]["Fn::GetAtt"][0] for verb in Verb}
    assert len(roles) == len(Verb)
    assert everywhere.resources("AWS::IAM::Role").keys() == roles


def test_nothing_is_added_to_a_role_beside_the_table(everywhere: Synthesized) -> None:
    assert everywhere.resources("AWS::IAM::Policy") == {}


def test_no_action_has_a_wildcard(everywhere: Synthesized) -> None:
    actions = {action for each in policy_statements(everywhere.template) for action in as_list(each["Action"])}
    assert [action for action in actions if "*" in action] == []


def test_no_identity_has_a_wildcard_resource_but_a_prefix_of_the_bucket(everywhere: Synthesized) -> None:
    wild = {
        readable(everywhere, arn)
        for statement in identity_statements(everywhere)
        for arn in as_list(statement["Resource"])
        if "*" in everywhere.flat(arn)
    }
    assert wild == WORKSPACES | DERIVED


def test_nobody_can_delete_anything_but_the_worker_its_messages(everywhere: Synthesized) -> None:
    deleting = {(verb, action) for verb in Verb for action in permissions(everywhere, verb) if "Delete" in action}
    assert deleting == {(Verb.PROFILE_ARTIFACT, "sqs:DeleteMessage")}


def test_nobody_reaches_the_dead_letters(everywhere: Synthesized) -> None:
    reached = {resource for verb in Verb for each in permissions(everywhere, verb).values() for resource in each}
    (dead_letters,) = everywhere.resources("AWS::SQS::Queue").keys() - {profile_queue(everywhere)[0]}
    assert not any(dead_letters in resource for resource in reached)


def test_only_registering_asks_for_profiles_and_only_profiling_takes_them(everywhere: Synthesized) -> None:
    senders = [verb for verb in Verb if "sqs:SendMessage" in permissions(everywhere, verb)]
    receivers = [verb for verb in Verb if "sqs:ReceiveMessage" in permissions(everywhere, verb)]
    assert (senders, receivers) == ([Verb.REGISTER_ARTIFACT], [Verb.PROFILE_ARTIFACT])


@pytest.mark.parametrize("verb", [Verb.LIST_ARTIFACTS, Verb.DESCRIBE_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS])
def test_a_reader_cannot_write(everywhere: Synthesized, verb: Verb) -> None:
    reading = ("secretsmanager:Get", "s3:Get", "s3:List", "dynamodb:Get", "dynamodb:Query")
    assert [action for action in permissions(everywhere, verb) if not action.startswith(reading)] == []


def test_no_verb_but_registering_and_profiling_writes_derived_objects(everywhere: Synthesized) -> None:
    writers = [verb for verb in Verb if permissions(everywhere, verb).get("s3:PutObject", set()) >= DERIVED]
    assert writers == [Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT]


@each_verb
def test_a_verb_has_no_two_rows_of_the_same_name(verb: Verb) -> None:
    assert len({grant.name for grant in grants_of(verb)}) == len(grants_of(verb))


def test_every_row_gives_its_reason_in_a_sentence() -> None:
    assert [grant.name for grant in GRANTS if len(grant.why.split()) < 5 or not grant.why.endswith(".")] == []


def test_every_resource_is_granted_to_somebody() -> None:
    assert {grant.resource for grant in GRANTS} == set(Resource)


def identity_statements(stack: Synthesized) -> list[Json]:
    """Every statement of a role or a policy to attach, as against those of a bucket, a topic or a key."""
    identities = stack.resources("AWS::IAM::Role") | stack.resources("AWS::IAM::ManagedPolicy")
    roles_are_assumed = "sts:AssumeRole"
    found = policy_statements({"Resources": identities})
    return [each for each in found if each["Action"] != roles_are_assumed]
