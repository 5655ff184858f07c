"""Who may do what: the roles of the template are the table of grants, and the table is what we meant."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from infra.constructs.function_role import TRACING_POLICY
from infra.grants import (
    GRANTS,
    NARROWED_VERBS,
    OF_CALLERS,
    PLACES,
    Resource,
    grants_of,
    grants_of_caller,
    grants_of_function,
)
from session_datasets.domain.names import CALLER_TAGS, ENDING_VERBS, NODE_VERBS, Verb
from tests.infrastructure.synthesized import (
    InEnvironment,
    Json,
    Synthesized,
    as_list,
    audit_queue,
    dead_letters_of,
    policy_statements,
    profile_queue,
    synthesize,
)

each_verb = pytest.mark.parametrize("verb", Verb)
each_narrowed_verb = pytest.mark.parametrize("verb", NARROWED_VERBS)

OWNER, SESSION, CONVERSATION, RUN = (f"${{aws:PrincipalTag/{tag}}}" for tag in CALLER_TAGS)
RUN_WORKSPACE = f"{OWNER}/runs/{RUN}/{SESSION}/*"
CONVERSATION_WORKSPACE = f"{OWNER}/conversations/{CONVERSATION}/*"
WITHOUT_RUN = " without a run"

# Where a statement holds, as ``meaning`` tells it.
OWN_WORKSPACE = {f"object {RUN_WORKSPACE}", f"object {CONVERSATION_WORKSPACE}{WITHOUT_RUN}"}
OWN_WORKSPACE_LISTING = {f"prefix {RUN_WORKSPACE}", f"prefix {CONVERSATION_WORKSPACE}{WITHOUT_RUN}"}
OWNERS_WORKSPACES = {f"object {OWNER}/conversations/*", f"object {OWNER}/runs/*"}
OWNERS_WORKSPACES_LISTING = {f"prefix {OWNER}/conversations/*", f"prefix {OWNER}/runs/*"}
OWNERS_DERIVED = {f"object _derived/{OWNER}/*"}
OWNERS_DERIVED_LISTING = {f"prefix _derived/{OWNER}/*"}
OWN_PARTITION = {f"table {OWNER}#{SESSION}"}
OWNERS_PARTITIONS = {f"table {OWNER}#*"}
OWN_INDEXES = {f"conversation-index {OWNER}#{CONVERSATION}", f"run-index {OWNER}#{RUN}"}

OWN_LEASES = {f"table {OWNER}#conversations#{CONVERSATION}", f"table {OWNER}#runs#{RUN}"}
ENDING = (f"{OWNER}/conversations/{CONVERSATION}/*", f"{OWNER}/runs/{RUN}/*")
REMAINS = {*ENDING, *(f"_derived/{each}" for each in ENDING)}

KEY = {"secretsmanager:GetSecretValue": {"SigningKey"}}
QUEUE = {"ProfileQueue"}
CALLER_ROLE = {"sts:AssumeRole": {"CallerRole"}, "sts:TagSession": {"CallerRole"}}

# Written out by hand, so that a slip in the table of grants is not its own proof.
MEANT_FOR_FUNCTION: dict[Verb, dict[str, set[str]]] = dict.fromkeys(NODE_VERBS, KEY | CALLER_ROLE) | {
    Verb.OPEN_SESSION: KEY | CALLER_ROLE,
    # No key either: they look at no token.
    Verb.END_CONVERSATION: CALLER_ROLE,
    Verb.END_RUN: CALLER_ROLE,
    Verb.REGISTER_ARTIFACT: KEY | CALLER_ROLE | {"sqs:SendMessage": QUEUE},
    # No key: nobody calls it, so it checks no token.
    Verb.PROFILE_ARTIFACT: CALLER_ROLE
    | {
        "sqs:ReceiveMessage": QUEUE,
        "sqs:DeleteMessage": QUEUE,
        "sqs:GetQueueAttributes": QUEUE,
        "sqs:ChangeMessageVisibility": QUEUE,
    },
    # It asks for no data: the stream hands it what it tells.
    Verb.PUBLISH_EVENTS: {
        "dynamodb:DescribeStream": {"Records.StreamArn"},
        "dynamodb:GetRecords": {"Records.StreamArn"},
        "dynamodb:GetShardIterator": {"Records.StreamArn"},
        "dynamodb:ListStreams": {"Records.StreamArn"},
        "events:PutEvents": {"EventBus"},
        "sqs:SendMessage": {"EventDeadLetters"},
    },
    Verb.AUDIT_RECORDS: CALLER_ROLE
    | {
        "sqs:ReceiveMessage": {"AuditQueue"},
        "sqs:DeleteMessage": {"AuditQueue"},
        "sqs:GetQueueAttributes": {"AuditQueue"},
        "sqs:ChangeMessageVisibility": {"AuditQueue"},
        "sqs:SendMessage": {"AuditQueue"},
        "dynamodb:Scan": {"keys of table"},
        "s3:ListBucket": {"first level of bucket"},
    },
}

READS_ROWS = {
    "s3:GetObjectVersion": OWNERS_DERIVED,
    "s3:ListBucket": OWNERS_DERIVED_LISTING,
    "dynamodb:GetItem": OWNERS_PARTITIONS,
    "dynamodb:Query": OWN_INDEXES,
}
ENDS = {
    "s3:ListBucketVersions": {f"prefix {each}" for each in REMAINS},
    "s3:ListBucketMultipartUploads": {"all uploads"},
    "s3:DeleteObjectVersion": {f"object {each}" for each in REMAINS},
    "s3:AbortMultipartUpload": {f"object {each}" for each in REMAINS},
    "dynamodb:GetItem": OWNERS_PARTITIONS,
    "dynamodb:Query": OWNERS_PARTITIONS | OWN_INDEXES,
    "dynamodb:UpdateItem": OWNERS_PARTITIONS,
    "dynamodb:BatchWriteItem": OWNERS_PARTITIONS,
}
MEANT_FOR_CALLER: dict[Verb, dict[str, set[str]]] = {
    Verb.OPEN_SESSION: {"dynamodb:PutItem": OWN_LEASES, "dynamodb:UpdateItem": OWN_LEASES},
    Verb.END_CONVERSATION: ENDS,
    Verb.END_RUN: ENDS,
    Verb.PREPARE_UPLOAD: {
        "s3:PutObject": OWN_WORKSPACE,
        "s3:GetObject": OWN_WORKSPACE,
        "dynamodb:GetItem": OWN_PARTITION,
    },
    Verb.REGISTER_ARTIFACT: {
        "s3:GetObject": OWN_WORKSPACE,
        "s3:GetObjectVersion": OWN_WORKSPACE,
        "s3:ListBucket": OWN_WORKSPACE_LISTING,
        "s3:PutObject": OWNERS_DERIVED,
        "s3:AbortMultipartUpload": OWNERS_DERIVED,
        "dynamodb:GetItem": OWNERS_PARTITIONS,
        "dynamodb:PutItem": OWN_PARTITION,
        "dynamodb:ConditionCheckItem": OWN_PARTITION,
        "dynamodb:UpdateItem": OWN_PARTITION,
        "dynamodb:Query": OWN_INDEXES,
    },
    Verb.PROFILE_ARTIFACT: {
        "s3:GetObjectVersion": OWNERS_WORKSPACES,
        "s3:PutObject": OWNERS_DERIVED,
        "s3:AbortMultipartUpload": OWNERS_DERIVED,
        "dynamodb:GetItem": OWN_PARTITION,
        "dynamodb:UpdateItem": OWN_PARTITION,
    },
    Verb.LIST_ARTIFACTS: {"dynamodb:Query": OWN_PARTITION | OWN_INDEXES},
    Verb.DESCRIBE_ARTIFACT: {
        "s3:GetObject": OWNERS_DERIVED,
        "s3:ListBucket": OWNERS_DERIVED_LISTING,
        "dynamodb:GetItem": OWNERS_PARTITIONS,
        "dynamodb:Query": OWN_INDEXES,
    },
    Verb.LOAD_ARTIFACT: {
        "s3:GetObject": OWNERS_WORKSPACES,
        "s3:GetObjectVersion": OWNERS_WORKSPACES,
        "s3:ListBucket": OWNERS_WORKSPACES_LISTING,
        "s3:PutObject": OWN_WORKSPACE,
        "s3:AbortMultipartUpload": OWN_WORKSPACE,
        "dynamodb:GetItem": OWNERS_PARTITIONS,
        "dynamodb:PutItem": OWN_PARTITION,
        "dynamodb:ConditionCheckItem": OWN_PARTITION,
        "dynamodb:Query": OWN_INDEXES,
    },
    Verb.READ_ROWS: READS_ROWS,
    Verb.READ_COLUMNS: READS_ROWS,
    Verb.PUBLISH_EVENTS: {},
    Verb.AUDIT_RECORDS: {
        "s3:GetObject": OWNERS_WORKSPACES | OWNERS_DERIVED,
        "s3:GetObjectVersion": OWNERS_WORKSPACES | OWNERS_DERIVED,
        "s3:ListBucket": OWNERS_WORKSPACES_LISTING | OWNERS_DERIVED_LISTING,
        "s3:PutObject": {f"object _audit/{OWNER}/*"},
        "dynamodb:GetItem": OWNERS_PARTITIONS,
        "dynamodb:UpdateItem": OWNERS_PARTITIONS,
        "dynamodb:Query": OWNERS_PARTITIONS | {f"conversation-index {OWNER}#*"},
    },
}
# A row that names no owner shows nothing but names, and by them whose data is to be looked at in the owner's name.
NAMES_ONLY = {
    "keys of table": {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": ["owner_session", "artifact_id"]},
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        "Null": {"dynamodb:Attributes": "false"},
    },
    "first level of bucket": {"StringEquals": {"s3:prefix": "", "s3:delimiter": "/"}},
}
SEES_NAMES = {"dynamodb:Scan": "keys of table", "s3:ListBucket": "first level of bucket"}


def readable(stack: Synthesized, arn: object) -> str:
    """An ARN of the template with ``Workspaces``, ``Records``, ``SigningKey``, ``ProfileQueue`` for the logical ids."""
    text = stack.flat(arn)
    for kind, name in {
        "AWS::S3::Bucket": "Workspaces",
        "AWS::DynamoDB::Table": "Records",
        "AWS::SecretsManager::Secret": "SigningKey",
        "AWS::Events::EventBus": "EventBus",
    }.items():
        (logical_id,) = stack.resources(kind)
        text = text.replace(logical_id, name)
    queues = {"ProfileQueue": profile_queue(stack)[0], "AuditQueue": audit_queue(stack)[0]}
    (queues["EventDeadLetters"],) = (
        name for name in stack.resources("AWS::SQS::Queue") if name.startswith("EventsDeadLetters")
    )
    for name, logical_id in queues.items():
        # The whole id: that of the dead letters begins like that of their queue.
        text = f"{name}.Arn" if text == f"{logical_id}.Arn" else text
    return text


def meaning(stack: Synthesized, statement: Json, verb: Verb) -> set[str]:
    """Where a statement holds, conditions and all; raises for a condition that says anything else."""
    conditions = {key: dict(value) for key, value in statement.get("Condition", {}).items()}
    arns = [readable(stack, arn) for arn in as_list(statement["Resource"])]
    for name, condition in NAMES_ONLY.items():
        if conditions == condition:
            assert arns == ["Records.Arn" if name == "keys of table" else "Workspaces.Arn"]
            return {name}
    suffix = ""
    absent = conditions.pop("Null", {})
    if absent.pop("aws:PrincipalTag/run", None) == "true":
        suffix = WITHOUT_RUN
    if arns == ["Workspaces.Arn"] and as_list(statement["Action"]) == ["s3:ListBucketMultipartUploads"]:
        # Of all actions on the bucket, S3 knows a condition on the prefix for listing objects and versions only.
        places = {"all uploads"}
    elif arns == ["Workspaces.Arn"]:
        patterns = conditions.pop("StringLike").pop("s3:prefix")
        places = {f"prefix {pattern}" for pattern in patterns}
    elif arns[0].startswith("Records.Arn") and conditions:
        assert absent.pop("dynamodb:LeadingKeys") == "false"
        ((operator, keys),) = conditions.items()
        conditions = {}
        (patterns,) = keys.values()
        assert list(keys) == ["dynamodb:LeadingKeys"]
        assert operator == f"ForAllValues:String{'Like' if '*' in patterns[0] else 'Equals'}"
        where = {"Records.Arn": "table"}.get(arns[0], arns[0].removeprefix("Records.Arn/index/"))
        places = {f"{where} {pattern}" for pattern in patterns}
    else:
        places = {_object_or_name(stack, arn, verb) for arn in arns}
    assert not conditions
    assert not absent
    return {place + suffix for place in places}


def _object_or_name(stack: Synthesized, arn: str, verb: Verb) -> str:
    if arn.startswith("Workspaces.Arn/"):
        return "object " + arn.removeprefix("Workspaces.Arn/")
    variables = stack.function(verb)["Environment"]["Variables"]
    if arn == stack.flat(variables.get("SESSION_DATASETS_CALLER_ROLE", "")):
        return "CallerRole"
    return arn.removesuffix(".Arn")


def permissions(stack: Synthesized, statements: list[Json], verb: Verb) -> dict[str, set[str]]:
    """Action -> where, of everything but writing the function's own log."""
    found: dict[str, set[str]] = defaultdict(set)
    for statement in statements:
        if statement["Sid"] != "WriteOwnLog":
            for action in as_list(statement["Action"]):
                found[action] |= meaning(stack, statement, verb)
    return dict(found)


def all_permissions(stack: Synthesized, verb: Verb) -> dict[str, set[str]]:
    """Of both roles of the verb."""
    return permissions(stack, stack.statements(verb) + stack.caller_statements(verb), verb)


@each_verb
def test_a_function_may_do_by_itself_what_was_meant_and_nothing_else(everywhere: Synthesized, verb: Verb) -> None:
    assert permissions(everywhere, everywhere.statements(verb), verb) == MEANT_FOR_FUNCTION[verb]


@each_verb
def test_a_caller_role_may_do_what_was_meant_and_nothing_else(everywhere: Synthesized, verb: Verb) -> None:
    assert permissions(everywhere, everywhere.caller_statements(verb), verb) == MEANT_FOR_CALLER[verb]


@each_verb
def test_the_roles_have_one_statement_for_each_place_of_each_row(everywhere: Synthesized, verb: Verb) -> None:
    for grants, statements in (
        (grants_of_function(verb), everywhere.statements(verb)),
        (grants_of_caller(verb), everywhere.caller_statements(verb)),
    ):
        rows = {
            grant.name + place.called: sorted(grant.actions) for grant in grants for place in PLACES[grant.resource]
        }
        found = {each["Sid"]: sorted(as_list(each["Action"])) for each in statements if each["Sid"] != "WriteOwnLog"}
        assert found == rows


@each_verb
def test_no_function_role_reaches_data_but_names_and_a_stream(everywhere: Synthesized, verb: Verb) -> None:
    actions = permissions(everywhere, everywhere.statements(verb), verb)
    reaching = {action: places for action, places in actions.items() if action.startswith(("s3:", "dynamodb:"))}
    if verb is Verb.AUDIT_RECORDS:
        assert reaching == {action: {place} for action, place in SEES_NAMES.items()}
    else:
        assert {place for places in reaching.values() for place in places} <= {"Records.StreamArn"}
        assert verb is Verb.PUBLISH_EVENTS or not reaching


@each_narrowed_verb
def test_every_statement_on_data_names_the_callers_owner(everywhere: Synthesized, verb: Verb) -> None:
    places = permissions(everywhere, everywhere.caller_statements(verb), verb).values()
    assert {place for each in places for place in each if OWNER not in place} <= {"all uploads"}


@each_narrowed_verb
def test_a_caller_role_is_put_on_with_a_callers_tags_only(everywhere: Synthesized, verb: Verb) -> None:
    role = everywhere.caller_role(verb)
    assert role is not None
    for statement in role["AssumeRolePolicyDocument"]["Statement"]:
        assert statement["Effect"] == "Allow"
        assert statement["Action"] == ["sts:AssumeRole", "sts:TagSession"]
        assert statement["Condition"] == {
            "Null": {"aws:RequestTag/owner": "false", "aws:RequestTag/session": "false"},
            "ForAllValues:StringEquals": {"aws:TagKeys": ["owner", "session", "conversation", "run"]},
        }


def trusted(stack: Synthesized, verb: Verb) -> set[str]:
    role = stack.caller_role(verb)
    assert role is not None
    documents = role["AssumeRolePolicyDocument"]["Statement"]
    assert all(each["Principal"].keys() == {"AWS"} for each in documents)
    return {stack.flat(arn) for each in documents for arn in as_list(each["Principal"]["AWS"])}


@each_narrowed_verb
@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_a_caller_role_trusts_its_own_function_only(synthesized: InEnvironment, environment: str, verb: Verb) -> None:
    stack = synthesized(environment)
    assert trusted(stack, verb) == {stack.flat(stack.function(verb)["Role"])}


@each_narrowed_verb
def test_on_a_laptop_whoever_has_the_account_may_try_the_isolation(local: Synthesized, verb: Verb) -> None:
    account = "arn:AWS::Partition:iam::AWS::AccountId:root"
    assert trusted(local, verb) == {local.flat(local.function(verb)["Role"]), account}


def test_an_operator_that_a_deploy_names_is_trusted_beside_the_function(tmp_path: Path) -> None:
    operator = "arn:aws:iam::123456789012:role/operator"
    stack = synthesize("production", tmp_path, operator=operator)
    assert trusted(stack, Verb.LOAD_ARTIFACT) == {stack.flat(stack.function(Verb.LOAD_ARTIFACT)["Role"]), operator}


@each_verb
def test_every_function_but_the_one_that_asks_for_no_data_works_in_a_callers_name(
    everywhere: Synthesized, verb: Verb
) -> None:
    assert (everywhere.caller_role(verb) is None) is (verb is Verb.PUBLISH_EVENTS)


@each_narrowed_verb
def test_a_function_waits_until_it_may_act_for_callers(everywhere: Synthesized, verb: Verb) -> None:
    functions = everywhere.resources("AWS::Lambda::Function").values()
    (function,) = (each for each in functions if each["Properties"] == everywhere.function(verb))
    added = [
        name
        for name, policy in everywhere.resources("AWS::IAM::Policy").items()
        if policy["Properties"]["PolicyDocument"]["Statement"][0] in everywhere.statements(verb)
    ]
    assert len(added) == 1
    assert added[0] in function["DependsOn"]


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
    assert "ManagedPolicyArns" not in (stack.caller_role(verb) or {})


def test_nobody_has_a_role_but_the_functions_and_each_its_own_two(everywhere: Synthesized) -> None:
    roles = [everywhere.function(verb)["Role"]["Fn::GetAtt"][0] for verb in Verb]
    roles += [
        everywhere.function(verb)["Environment"]["Variables"]["SESSION_DATASETS_CALLER_ROLE"]["Fn::GetAtt"][0]
        for verb in NARROWED_VERBS
    ]
    assert len(set(roles)) == len(roles)
    assert everywhere.resources("AWS::IAM::Role").keys() == set(roles)


def test_nothing_is_added_to_a_role_but_the_way_to_its_caller_role(everywhere: Synthesized) -> None:
    added = everywhere.resources("AWS::IAM::Policy").values()
    sids = [each["Sid"] for policy in added for each in policy["Properties"]["PolicyDocument"]["Statement"]]
    assert sids == ["ActForCallers"] * len(NARROWED_VERBS)


def test_no_action_has_a_wildcard(everywhere: Synthesized) -> None:
    actions = {action for each in policy_statements(everywhere.template) for action in as_list(each["Action"])}
    assert [action for action in actions if "*" in action] == []


def test_no_identity_has_a_wildcard_resource_but_the_files_of_one_owner(everywhere: Synthesized) -> None:
    wild = {
        readable(everywhere, arn)
        for statement in identity_statements(everywhere)
        for arn in as_list(statement["Resource"])
        if "*" in everywhere.flat(arn)
    }
    assert wild == {
        f"Workspaces.Arn/{pattern}"
        for pattern in (
            RUN_WORKSPACE,
            CONVERSATION_WORKSPACE,
            f"{OWNER}/conversations/*",
            f"{OWNER}/runs/*",
            f"_derived/{OWNER}/*",
            f"_audit/{OWNER}/*",
            *REMAINS,
        )
    }


def test_nobody_can_delete_anything_but_what_ends_and_the_worker_its_messages(everywhere: Synthesized) -> None:
    removing = ("Delete", "BatchWrite")
    found = {
        (verb, action)
        for verb in Verb
        for action in all_permissions(everywhere, verb)
        if any(each in action for each in removing)
    }
    assert found == {
        (Verb.PROFILE_ARTIFACT, "sqs:DeleteMessage"),
        (Verb.AUDIT_RECORDS, "sqs:DeleteMessage"),
        *((verb, action) for verb in ENDING_VERBS for action in ("s3:DeleteObjectVersion", "dynamodb:BatchWriteItem")),
    }


@pytest.mark.parametrize("verb", ENDING_VERBS)
def test_an_end_reads_no_file_and_writes_none(everywhere: Synthesized, verb: Verb) -> None:
    actions = permissions(everywhere, everywhere.caller_statements(verb), verb)
    assert [action for action in actions if action.startswith(("s3:Get", "s3:Put"))] == []


def test_nobody_reaches_the_dead_letters(everywhere: Synthesized) -> None:
    reached = {place for verb in Verb for each in all_permissions(everywhere, verb).values() for place in each}
    queues = (profile_queue(everywhere), audit_queue(everywhere))
    dead_letters = [dead_letters_of(everywhere, properties) for _, properties in queues]
    assert not any(each in place for place in reached for each in dead_letters)


def test_only_registering_asks_for_profiles_and_only_profiling_takes_them(everywhere: Synthesized) -> None:
    sends, receives = (
        {verb: all_permissions(everywhere, verb).get(f"sqs:{action}Message", set()) for verb in Verb}
        for action in ("Send", "Receive")
    )
    senders = [verb for verb, places in sends.items() if places & QUEUE]
    receivers = [verb for verb, places in receives.items() if places & QUEUE]
    assert (senders, receivers) == ([Verb.REGISTER_ARTIFACT], [Verb.PROFILE_ARTIFACT])


@pytest.mark.parametrize("verb", [Verb.LIST_ARTIFACTS, Verb.DESCRIBE_ARTIFACT, Verb.READ_ROWS, Verb.READ_COLUMNS])
def test_a_reader_cannot_write(everywhere: Synthesized, verb: Verb) -> None:
    reading = ("s3:Get", "s3:List", "dynamodb:Get", "dynamodb:Query")
    actions = permissions(everywhere, everywhere.caller_statements(verb), verb)
    assert [action for action in actions if not action.startswith(reading)] == []


def test_no_verb_but_registering_and_profiling_writes_derived_objects(everywhere: Synthesized) -> None:
    writers = [verb for verb in Verb if all_permissions(everywhere, verb).get("s3:PutObject", set()) >= OWNERS_DERIVED]
    assert writers == [Verb.REGISTER_ARTIFACT, Verb.PROFILE_ARTIFACT]


@each_verb
def test_what_a_verb_writes_of_records_lies_in_the_callers_own_partition(everywhere: Synthesized, verb: Verb) -> None:
    written = all_permissions(everywhere, verb).get("dynamodb:PutItem", set())
    # A session that is opened writes its leases, and has no partition yet.
    assert written <= (OWN_LEASES if verb is Verb.OPEN_SESSION else OWN_PARTITION)


@each_verb
def test_a_verb_has_no_two_rows_of_the_same_name(verb: Verb) -> None:
    assert len({grant.name for grant in grants_of(verb)}) == len(grants_of(verb))


def test_every_row_gives_its_reason_in_a_sentence() -> None:
    assert [grant.name for grant in GRANTS if len(grant.why.split()) < 5 or not grant.why.endswith(".")] == []


def test_every_resource_is_granted_to_somebody() -> None:
    assert {grant.resource for grant in GRANTS} == set(Resource)


def test_every_place_of_a_caller_is_narrowed_to_the_owner_and_no_other_is() -> None:
    narrowed = {
        resource
        for resource, places in PLACES.items()
        if all(OWNER in pattern for place in places for pattern in place.patterns or ("",))
    }
    assert narrowed == OF_CALLERS - {Resource.UNFINISHED_UPLOADS}


def identity_statements(stack: Synthesized) -> list[Json]:
    """Every statement of a role or a policy to attach, as against those of a bucket, a topic or a key."""
    kinds = ("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")
    identities = {name: each for kind in kinds for name, each in stack.resources(kind).items()}
    return [each for each in policy_statements({"Resources": identities}) if "Resource" in each]
