"""Where alarms go: a topic that people and pagers subscribe to."""

from __future__ import annotations

from aws_cdk import Aws, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

CLOUDWATCH = "cloudwatch.amazonaws.com"

# What the account itself may do with the key: look after it, but neither encrypt nor decrypt.
KEY_CARE = [
    "kms:CancelKeyDeletion",
    "kms:CreateGrant",
    "kms:DescribeKey",
    "kms:DisableKey",
    "kms:DisableKeyRotation",
    "kms:EnableKey",
    "kms:EnableKeyRotation",
    "kms:GetKeyPolicy",
    "kms:GetKeyRotationStatus",
    "kms:ListGrants",
    "kms:ListKeyPolicies",
    "kms:ListResourceTags",
    "kms:PutKeyPolicy",
    "kms:RevokeGrant",
    "kms:ScheduleKeyDeletion",
    "kms:TagResource",
    "kms:UntagResource",
    "kms:UpdateKeyDescription",
]


class AlarmTopic(sns.Topic):
    """Encrypted with a key of its own, because CloudWatch may not use the one AWS manages for SNS."""

    def __init__(self, scope: Construct, construct_id: str) -> None:
        key = kms.Key(
            scope,
            f"{construct_id}Key",
            description="Encrypts alarms on their way to whoever is called",
            enable_key_rotation=True,
            policy=_key_policy(),
            # Nothing that it encrypts is kept, so neither is the key.
            removal_policy=RemovalPolicy.DESTROY,
        )
        super().__init__(scope, construct_id, enforce_ssl=True, master_key=key)
        self.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsPublish",
                principals=[iam.ServicePrincipal(CLOUDWATCH)],
                actions=["sns:Publish"],
                resources=[self.topic_arn],
                conditions=_own_account(),
            )
        )


def _key_policy() -> iam.PolicyDocument:
    # In a key's own policy the resource "*" means this key.
    return iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                sid="AccountCares", principals=[iam.AccountRootPrincipal()], actions=KEY_CARE, resources=["*"]
            ),
            iam.PolicyStatement(
                sid="AlarmsEncrypt",
                principals=[iam.ServicePrincipal(CLOUDWATCH)],
                actions=["kms:Decrypt", "kms:GenerateDataKey"],
                resources=["*"],
                conditions=_own_account(),
            ),
        ]
    )


def _own_account() -> dict[str, object]:
    return {"StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID}}
