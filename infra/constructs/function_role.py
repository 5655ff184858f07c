"""The role of one function, generated from the table of grants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.grants import DERIVED_PATTERNS, INDEXES, WORKSPACE_PATTERNS, Grant, Resource, grants_of
from infra.nag import acknowledge
from session_datasets.domain.names import Verb

TRACING_POLICY = "AWSXrayWriteOnlyAccess"


@dataclass(frozen=True)
class Stores:
    """What the functions work on."""

    bucket: s3.Bucket
    table: dynamodb.Table
    signing_key: secretsmanager.Secret
    profile_queue: sqs.Queue

    def arns(self, resource: Resource) -> list[str]:
        """The ARNs that stand for one resource of the grants table."""
        match resource:
            case Resource.SIGNING_KEY:
                return [self.signing_key.secret_arn]
            case Resource.WORKSPACES:
                return [self.bucket.arn_for_objects(pattern) for pattern in WORKSPACE_PATTERNS]
            case Resource.WORKSPACE_LISTING | Resource.DERIVED_LISTING:
                return [self.bucket.bucket_arn]
            case Resource.DERIVED:
                return [self.bucket.arn_for_objects(pattern) for pattern in DERIVED_PATTERNS]
            case Resource.RECORDS:
                return [self.table.table_arn]
            case Resource.INDEXES:
                return [f"{self.table.table_arn}/index/{index}" for index in INDEXES]
            case Resource.PROFILE_QUEUE:
                return [self.profile_queue.queue_arn]


class FunctionRole(iam.Role):
    """May do what the grants say about ``verb``, write its own log and, when ``traced``, its own traces.

    The policy is part of the role, so a function never starts before it holds.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        verb: Verb,
        stores: Stores,
        log_group: logs.LogGroup,
        traced: bool,
    ) -> None:
        grants = grants_of(verb)
        super().__init__(
            scope,
            construct_id,
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"What {verb} may do",
            inline_policies={
                "grants": iam.PolicyDocument(statements=[_statement(grant, stores) for grant in grants]),
                "log": iam.PolicyDocument(statements=[_write_log(log_group)]),
            },
            managed_policies=[_write_traces()] if traced else None,
        )
        self._acknowledge_prefixes(grants, stores.bucket)
        if traced:
            self._acknowledge_tracing()

    def _acknowledge_prefixes(self, grants: Sequence[Grant], bucket: s3.Bucket) -> None:
        for grant in grants:
            for pattern in _patterns(grant.resource):
                finding = f"Resource::<{_logical_id(bucket)}.Arn>/{pattern}"
                acknowledge(self, f"AwsSolutions-IAM5[{finding}]", grant.why)

    def _acknowledge_tracing(self) -> None:
        acknowledge(
            self,
            f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{TRACING_POLICY}]",
            "The actions that write traces have no resource to name; AWS maintains the list of them.",
        )


def _statement(grant: Grant, stores: Stores) -> iam.PolicyStatement:
    listed = {Resource.WORKSPACE_LISTING: WORKSPACE_PATTERNS, Resource.DERIVED_LISTING: DERIVED_PATTERNS}
    prefixes = listed.get(grant.resource)
    return iam.PolicyStatement(
        sid=grant.name,
        actions=list(grant.actions),
        resources=stores.arns(grant.resource),
        conditions={"StringLike": {"s3:prefix": list(prefixes)}} if prefixes else None,
    )


def _write_log(log_group: logs.LogGroup) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        sid="WriteOwnLog",
        actions=["logs:CreateLogStream", "logs:PutLogEvents"],
        resources=[log_group.log_group_arn],
    )


def _write_traces() -> iam.IManagedPolicy:
    return iam.ManagedPolicy.from_aws_managed_policy_name(TRACING_POLICY)


def _patterns(resource: Resource) -> Sequence[str]:
    return {Resource.WORKSPACES: WORKSPACE_PATTERNS, Resource.DERIVED: DERIVED_PATTERNS}.get(resource, ())


def _logical_id(bucket: s3.Bucket) -> str:
    cfn_bucket = bucket.node.default_child
    assert isinstance(cfn_bucket, s3.CfnBucket)
    return bucket.stack.get_logical_id(cfn_bucket)
