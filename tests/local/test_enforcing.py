"""An enforcing MiniStack: what it allows and denies, above all by the two things that its release knows nothing of.

The variables of policies and ``dynamodb:LeadingKeys`` are put right by mends; what they are held to here is what AWS
documents of them.
"""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from infra.local.emulator import Emulator
from infra.local.ministack import MiniStack
from infra.local.surroundings import ACCOUNT, REGION
from tests.support.emulator_clients import Client, clients_of

BUCKET, TABLE = "tenants", "items"
OBJECTS, TABLE_ARN = f"arn:aws:s3:::{BUCKET}", f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{TABLE}"
OWNER = "${aws:PrincipalTag/owner}"
KEYS = "dynamodb:LeadingKeys"

Json = dict[str, Any]
# With statements and tags: clients of a role that has both.
As = Callable[..., Client]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with MiniStack(tmp_path_factory.mktemp("enforcing"), enforcing=True) as started:
        yield started


@pytest.fixture(scope="module")
def account(emulator: Emulator) -> Client:
    """Clients of the account itself, which may do anything; the bucket and the table are there."""
    client = clients_of(emulator)
    client("s3").create_bucket(Bucket=BUCKET)
    for key in ("acme/a", "acme/b/c", "other/a", "a*/a"):
        client("s3").put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    client("dynamodb").create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("who", "what", "group")],
        KeySchema=_key("who", "what"),
        GlobalSecondaryIndexes=[
            {"IndexName": "by-group", "KeySchema": _key("group", "what"), "Projection": {"ProjectionType": "ALL"}}
        ],
    )
    return client


@pytest.fixture
def as_role(emulator: Emulator, account: Client) -> As:
    """Clients with credentials of a new role that has these statements, put on with these session tags."""

    def make(*statements: Json, trust: Json | None = None, **tags: str) -> Client:
        name = f"role-{uuid4().hex}"
        trusted = {"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": ["sts:AssumeRole", "sts:TagSession"]}
        role = account("iam").create_role(
            RoleName=name, AssumeRolePolicyDocument=_policy({**trusted, **({"Condition": trust} if trust else {})})
        )["Role"]["Arn"]
        if statements:
            account("iam").put_role_policy(RoleName=name, PolicyName="grants", PolicyDocument=_policy(*statements))
        issued = account("sts").assume_role(
            RoleArn=role,
            RoleSessionName="tried",
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )["Credentials"]
        return lambda service: boto3.client(
            service,
            endpoint_url=emulator.endpoint,
            verify=str(emulator.certificate),
            region_name=REGION,
            aws_access_key_id=issued["AccessKeyId"],
            aws_secret_access_key=issued["SecretAccessKey"],
            aws_session_token=issued["SessionToken"],
            config=Config(retries={"total_max_attempts": 1}, signature_version="s3v4" if service == "s3" else "v4"),
        )

    return make


def _key(partition: str, sort: str) -> list[Json]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]


def _policy(*statements: Json) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def allow(action: str | list[str], resource: str | list[str], **conditions: Json) -> Json:
    condition = {"Condition": {name.replace("__", ":"): value for name, value in conditions.items()}}
    return {"Effect": "Allow", "Action": action, "Resource": resource, **(condition if conditions else {})}


def reads(pattern: str, **conditions: Json) -> Json:
    return allow("s3:GetObject", f"{OBJECTS}/{pattern}", **conditions)


def denied(call: Callable[..., Any], **arguments: Any) -> bool:
    try:
        call(**arguments)
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("AccessDenied", "AccessDeniedException"):
            raise
        return True
    return False


def may_read(client: Client, key: str) -> bool:
    return not denied(client("s3").get_object, Bucket=BUCKET, Key=key)


# --- enforcing at all ------------------------------------------------------------------------------------


def test_it_speaks_tls_with_a_certificate_of_its_own(emulator: Emulator) -> None:
    assert emulator.endpoint.startswith("https://")
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(emulator.endpoint, timeout=5)


def test_a_role_without_a_policy_may_do_nothing(as_role: As) -> None:
    assert not may_read(as_role(), "acme/a")


def test_a_role_may_do_what_its_policy_allows_and_no_more(as_role: As) -> None:
    client = as_role(reads("acme/*"))
    assert may_read(client, "acme/a")
    assert not may_read(client, "other/a")


def test_what_a_role_presigned_can_do_no_more_than_the_role(as_role: As, emulator: Emulator) -> None:
    trust = ssl.create_default_context(cafile=emulator.certificate)
    s3 = as_role(reads("acme/*"))("s3")
    urls = [s3.generate_presigned_url("get_object", {"Bucket": BUCKET, "Key": key}) for key in ("acme/a", "other/a")]
    assert urllib.request.urlopen(urls[0], timeout=5, context=trust).read() == b"acme/a"
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(urls[1], timeout=5, context=trust)


def test_a_role_that_asks_for_tags_cannot_be_put_on_without_them(as_role: As) -> None:
    wanted = {"Null": {"aws:RequestTag/owner": "false"}}
    as_role(trust=wanted, owner="acme")
    with pytest.raises(ClientError, match="AccessDenied"):
        as_role(trust=wanted)
    with pytest.raises(ClientError, match="AccessDenied"):
        as_role(trust=wanted, other="acme")


def test_a_role_that_knows_its_tags_cannot_be_put_on_with_another(as_role: As) -> None:
    known = {"ForAllValues:StringEquals": {"aws:TagKeys": ["owner", "session"]}}
    as_role(trust=known, owner="acme", session="s")
    with pytest.raises(ClientError, match="AccessDenied"):
        as_role(trust=known, owner="acme", run="r")


def test_many_versions_are_deleted_by_the_right_to_delete_versions_and_no_other(account: Client, as_role: As) -> None:
    account("s3").put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    versions = [
        {"Key": key, "VersionId": account("s3").put_object(Bucket=BUCKET, Key=key, Body=b"")["VersionId"]}
        for key in ("acme/1", "acme/2", "other/1")
    ]
    delete = as_role(allow("s3:DeleteObjectVersion", f"{OBJECTS}/acme/*"))("s3").delete_objects
    assert denied(delete, Bucket=BUCKET, Delete={"Objects": versions[1:]})
    assert denied(delete, Bucket=BUCKET, Delete={"Objects": versions[::-1]})
    assert denied(delete, Bucket=BUCKET, Delete={"Objects": [{"Key": "acme/1"}]})
    assert not denied(delete, Bucket=BUCKET, Delete={"Objects": versions[:2]})
    delete = as_role(allow("s3:DeleteObject", f"{OBJECTS}/*"))("s3").delete_objects
    assert denied(delete, Bucket=BUCKET, Delete={"Objects": versions[2:]})


def test_a_stream_is_read_by_who_may_read_that_one(account: Client, as_role: As) -> None:
    new = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    made = account("dynamodb").update_table(TableName=TABLE, StreamSpecification=new)["TableDescription"]
    stream = {"StreamArn": made["LatestStreamArn"]}
    (shard,) = account("dynamodbstreams").describe_stream(**stream)["StreamDescription"]["Shards"]
    begins = {**stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = account("dynamodbstreams").get_shard_iterator(**begins)["ShardIterator"]
    actions = ["dynamodb:DescribeStream", "dynamodb:GetShardIterator", "dynamodb:GetRecords"]
    for resource, refused in ((stream["StreamArn"], False), (f"{TABLE_ARN}/stream/other", True), (TABLE_ARN, True)):
        reader = as_role(allow(actions, resource))("dynamodbstreams")
        assert denied(reader.describe_stream, **stream) is refused
        assert denied(reader.get_shard_iterator, **begins) is refused
        assert denied(reader.get_records, ShardIterator=iterator) is refused


# --- variables of policies -------------------------------------------------------------------------------


def test_a_variable_in_a_resource_stands_for_the_sessions_tag(as_role: As) -> None:
    client = as_role(reads(f"{OWNER}/*"), owner="acme")
    assert may_read(client, "acme/b/c")
    assert not may_read(client, "other/a")


def test_two_sessions_of_one_role_have_each_its_own_value(as_role: As) -> None:
    statement = reads(f"{OWNER}/*")
    assert may_read(as_role(statement, owner="other"), "other/a")
    assert not may_read(as_role(statement, owner="acme"), "other/a")


def test_a_statement_whose_variable_has_no_value_matches_nothing(as_role: As) -> None:
    assert not may_read(as_role(reads(f"{OWNER}/*")), "acme/a")
    assert not may_read(as_role(reads(f"{OWNER}/*"), session="acme"), "acme/a")


def test_a_statement_matches_nothing_when_one_of_its_variables_has_no_value(as_role: As) -> None:
    both = allow("s3:GetObject", [f"{OBJECTS}/{OWNER}/*", f"{OBJECTS}/${{aws:PrincipalTag/run}}/*"])
    assert not may_read(as_role(both, owner="acme"), "acme/a")
    assert may_read(as_role(both, reads(f"{OWNER}/*"), owner="acme"), "acme/a")


def test_a_default_stands_where_the_variable_has_no_value(as_role: As) -> None:
    statement = reads("${aws:PrincipalTag/owner, 'other'}/*")
    assert may_read(as_role(statement), "other/a")
    assert not may_read(as_role(statement), "acme/a")
    assert may_read(as_role(statement, owner="acme"), "acme/a")


def test_the_star_itself_can_be_written(as_role: As) -> None:
    client = as_role(reads("a${*}/*"))
    assert may_read(client, "a*/a")
    assert not may_read(client, "acme/a")


def test_a_variable_in_a_condition_stands_for_the_sessions_tag(as_role: As) -> None:
    lists = allow("s3:ListBucket", OBJECTS, StringLike={"s3:prefix": [f"{OWNER}/*"]})
    client = as_role(lists, owner="acme")("s3")
    assert not denied(client.list_objects_v2, Bucket=BUCKET, Prefix="acme/b")
    assert denied(client.list_objects_v2, Bucket=BUCKET, Prefix="other/")
    assert denied(client.list_objects_v2, Bucket=BUCKET)


def test_a_variable_without_a_value_in_a_condition_makes_the_statement_match_nothing(as_role: As) -> None:
    client = as_role(reads("*", StringNotEquals={"aws:PrincipalTag/session": OWNER}), session="s")
    assert not may_read(client, "acme/a")


def test_whether_a_tag_is_there_can_be_asked(as_role: As) -> None:
    statement = reads("*", Null={"aws:PrincipalTag/run": "true"})
    assert may_read(as_role(statement, owner="acme"), "acme/a")
    assert not may_read(as_role(statement, owner="acme", run="r"), "acme/a")


def test_a_denial_with_a_variable_denies(as_role: As) -> None:
    client = as_role(reads("*"), {**reads(f"{OWNER}/*"), "Effect": "Deny"}, owner="other")
    assert may_read(client, "acme/a")
    assert not may_read(client, "other/a")


# --- partition keys --------------------------------------------------------------------------------------


def own(action: str | list[str], pattern: str = f"{OWNER}#${{aws:PrincipalTag/session}}", index: str = "") -> Json:
    return allow(action, TABLE_ARN + index, ForAllValues__StringLike={KEYS: [pattern]}, Null={KEYS: "false"})


MINE = {"owner": "acme", "session": "s"}


def item(who: str, what: str = "x", **more: str) -> Json:
    return {name: {"S": value} for name, value in {"who": who, "what": what, **more}.items()}


@pytest.mark.parametrize(("who", "refused"), [("acme#s", False), ("acme#t", True), ("other#s", True), ("acme", True)])
def test_one_item_is_got_put_changed_and_deleted_by_its_partition_key(as_role: As, who: str, refused: bool) -> None:
    actions = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"]
    table = as_role(own(actions), **MINE)("dynamodb")
    assert denied(table.put_item, TableName=TABLE, Item=item(who)) is refused
    for call in (table.get_item, table.update_item, table.delete_item):
        assert denied(call, TableName=TABLE, Key=item(who)) is refused


@pytest.mark.parametrize("who", ["acme#s", "other#s"])
@pytest.mark.parametrize(
    "condition", ["who = :who", "#w = :who", ":who = who", "#w = :who AND begins_with(what, :what)"]
)
def test_a_query_is_asked_about_by_the_partition_key_in_its_condition(as_role: As, condition: str, who: str) -> None:
    values = {":who": {"S": who}, **({":what": {"S": "acme#s"}} if ":what" in condition else {})}
    names = {"ExpressionAttributeNames": {"#w": "who"}} if "#w" in condition else {}
    query = as_role(own("dynamodb:Query"), **MINE)("dynamodb").query
    refused = denied(
        query, TableName=TABLE, KeyConditionExpression=condition, ExpressionAttributeValues=values, **names
    )
    assert refused is (who != "acme#s")


@pytest.mark.parametrize("group", ["acme#s", "acme#t"])
def test_a_query_of_an_index_is_asked_about_by_the_indexs_own_partition_key(as_role: As, group: str) -> None:
    query = as_role(own("dynamodb:Query", index="/index/by-group"), **MINE)("dynamodb").query
    refused = denied(
        query,
        TableName=TABLE,
        IndexName="by-group",
        KeyConditionExpression="#g = :g AND what = :w",
        ExpressionAttributeNames={"#g": "group"},
        ExpressionAttributeValues={":g": {"S": group}, ":w": {"S": "acme#s"}},
    )
    assert refused is (group != "acme#s")


def test_a_scan_names_no_partition_and_so_is_denied_where_one_is_wanted(as_role: As) -> None:
    table = as_role(own(["dynamodb:Scan", "dynamodb:GetItem"]), **MINE)("dynamodb")
    assert denied(table.scan, TableName=TABLE)
    # Of no values, all are whatever is wanted: only the other condition denies it.
    table = as_role(allow("dynamodb:Scan", TABLE_ARN, ForAllValues__StringLike={KEYS: ["acme"]}), **MINE)("dynamodb")
    assert not denied(table.scan, TableName=TABLE)


def test_a_pattern_of_an_owner_takes_all_its_sessions_and_no_other_owner(as_role: As) -> None:
    table = as_role(own("dynamodb:GetItem", f"{OWNER}#*"), owner="acme")("dynamodb")
    refused = {who: denied(table.get_item, TableName=TABLE, Key=item(who)) for who in ("acme#t", "acme2#t", "acme")}
    assert refused == {"acme#t": False, "acme2#t": True, "acme": True}


def test_each_item_of_a_transaction_is_asked_about_by_itself(as_role: As) -> None:
    checks = own("dynamodb:ConditionCheckItem", f"{OWNER}#*")
    write = as_role(own("dynamodb:PutItem"), checks, **MINE)("dynamodb").transact_write_items

    def put(who: str) -> Json:
        return {"Put": {"TableName": TABLE, "Item": item(who, uuid4().hex)}}

    check = {"TableName": TABLE, "Key": item("acme#t"), "ConditionExpression": "attribute_not_exists(who)"}
    assert not denied(write, TransactItems=[put("acme#s"), put("acme#s"), {"ConditionCheck": check}])
    assert denied(write, TransactItems=[put("acme#s"), put("acme#t")])
    assert denied(write, TransactItems=[put("acme#s"), {"ConditionCheck": {**check, "Key": item("other#s")}}])


@pytest.mark.parametrize("other", ["acme#s", "acme#t"])
def test_all_items_of_a_batch_must_be_allowed(as_role: As, other: str) -> None:
    table = as_role(own(["dynamodb:BatchGetItem", "dynamodb:BatchWriteItem"]), **MINE)("dynamodb")
    keys = [item("acme#s", "1"), item(other, "2")]
    puts = [{"PutRequest": {"Item": key}} for key in keys]
    assert denied(table.batch_get_item, RequestItems={TABLE: {"Keys": keys}}) is (other != "acme#s")
    assert denied(table.batch_write_item, RequestItems={TABLE: puts}) is (other != "acme#s")
