"""The bucket carries every protection."""

from __future__ import annotations

import pytest

from tests.infrastructure.synthesized import InEnvironment, Json, Synthesized, as_list


@pytest.fixture
def bucket(everywhere: Synthesized) -> Json:
    properties: Json = everywhere.only("AWS::S3::Bucket")["Properties"]
    return properties


@pytest.fixture
def refusals(everywhere: Synthesized) -> list[Json]:
    document = everywhere.only("AWS::S3::BucketPolicy")["Properties"]["PolicyDocument"]
    return [each for each in document["Statement"] if each["Effect"] == "Deny"]


def test_it_keeps_versions(bucket: Json) -> None:
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}


def test_public_access_is_blocked_in_all_four_ways(bucket: Json) -> None:
    assert bucket["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }


def test_objects_belong_to_the_account_whoever_writes_them(bucket: Json) -> None:
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}


def test_objects_are_encrypted_at_rest(bucket: Json) -> None:
    rule = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    assert bucket["BucketEncryption"] == {"ServerSideEncryptionConfiguration": [rule]}


def test_its_events_go_to_event_bridge(bucket: Json) -> None:
    expected = {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    assert bucket["NotificationConfiguration"] == expected


@pytest.mark.parametrize(("environment", "days"), [("local", 1), ("sandbox", 7), ("production", 7)])
def test_unfinished_uploads_expire(synthesized: InEnvironment, environment: str, days: int) -> None:
    bucket = synthesized(environment).only("AWS::S3::Bucket")["Properties"]
    assert bucket["LifecycleConfiguration"]["Rules"] == [
        {
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": days},
            "Id": "forget-unfinished-uploads",
            "Status": "Enabled",
        }
    ]


@pytest.mark.parametrize(
    "condition",
    [{"Bool": {"aws:SecureTransport": "false"}}, {"NumericLessThan": {"s3:TlsVersion": 1.2}}],
    ids=["plain HTTP", "TLS older than 1.2"],
)
def test_it_refuses(everywhere: Synthesized, refusals: list[Json], condition: Json) -> None:
    (bucket,) = everywhere.resources("AWS::S3::Bucket")
    (refusal,) = (each for each in refusals if each["Condition"] == condition)
    assert refusal["Principal"] == {"AWS": "*"}
    assert refusal["Action"] == "s3:*"
    covered = {everywhere.flat(each) for each in as_list(refusal["Resource"])}
    assert covered == {f"{bucket}.Arn", f"{bucket}.Arn/*"}
