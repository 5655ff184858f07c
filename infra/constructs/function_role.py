"""The role of one function: what it may do by itself, whoever calls."""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.constructs.grant_statements import Stores, acknowledge_prefixes, statements
from infra.grants import Resource, grants_of_function
from infra.nag import acknowledge
from session_datasets.domain.names import Verb

TRACING_POLICY = "AWSXrayWriteOnlyAccess"


class FunctionRole(iam.Role):
    """May do what the grants say a function does itself, write its own log and, when ``traced``, its own traces.

    The policy is part of the role, so a function never starts before it holds; but for the one statement about the
    caller role, which trusts this one and so can only be made after it.
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
        grants = [grant for grant in grants_of_function(verb) if grant.resource is not Resource.CALLER_ROLE]
        super().__init__(
            scope,
            construct_id,
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"What {verb} may do by itself",
            inline_policies={
                **({"grants": iam.PolicyDocument(statements=statements(grants, stores))} if grants else {}),
                "log": iam.PolicyDocument(statements=[_write_log(log_group)]),
            },
            managed_policies=[_write_traces()] if traced else None,
        )
        acknowledge_prefixes(self, grants, stores.bucket)
        if traced:
            self._acknowledge_tracing()

    def _acknowledge_tracing(self) -> None:
        acknowledge(
            self,
            f"AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{TRACING_POLICY}]",
            "The actions that write traces have no resource to name; AWS maintains the list of them.",
        )


def _write_log(log_group: logs.LogGroup) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        sid="WriteOwnLog",
        actions=["logs:CreateLogStream", "logs:PutLogEvents"],
        resources=[log_group.log_group_arn],
    )


def _write_traces() -> iam.IManagedPolicy:
    return iam.ManagedPolicy.from_aws_managed_policy_name(TRACING_POLICY)
