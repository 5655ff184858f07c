"""The whole service in one paragraph."""

from __future__ import annotations

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from infra.constructs.artifact_function import ArtifactFunction
from infra.constructs.artifact_records_table import ArtifactRecordsTable
from infra.constructs.code_bundle import CodeBundles
from infra.constructs.function_role import Stores
from infra.constructs.node_access import NodeAccess
from infra.constructs.signing_key import SigningKey
from infra.constructs.watch import Watchtower
from infra.constructs.workspaces_bucket import WorkspacesBucket
from infra.environments import Environment
from infra.outputs import ENVIRONMENT_OUTPUT
from session_datasets.domain.names import Verb


class SessionDatasetsStack(Stack):
    """A bucket of files, a table of records, a key, one function per verb, who may call, who is told.

    ``name`` is the stack's name and the beginning of every name in it, so several live in one account.
    """

    def __init__(self, scope: Construct, name: str, *, environment: Environment) -> None:
        super().__init__(
            scope,
            name,
            description="Session Datasets: large data by reference, from node to node",
            termination_protection=environment.keeps_data,
        )
        stores = Stores(
            bucket=WorkspacesBucket(self, "Workspaces", environment=environment),
            table=ArtifactRecordsTable(self, "Records", table_name=name, environment=environment),
            signing_key=SigningKey(self, "SigningKey", stack=name, environment=environment),
        )
        bundles = CodeBundles(environment)
        functions = [
            ArtifactFunction(
                self,
                pascal_case(verb),
                stack=name,
                verb=verb,
                code=bundles.code_of(verb),
                stores=stores,
                environment=environment,
            )
            for verb in Verb
        ]
        access = NodeAccess(self, "Access", functions=functions)
        if environment.watch:
            Watchtower(self, "Watch", watch=environment.watch, functions=functions, table=stores.table)
        self._tell(environment, stores, functions, access)

    def _tell(
        self, environment: Environment, stores: Stores, functions: list[ArtifactFunction], access: NodeAccess
    ) -> None:
        outputs = {
            ENVIRONMENT_OUTPUT: environment.name,
            "BucketName": stores.bucket.bucket_name,
            "TableName": stores.table.table_name,
            "SigningKeyArn": stores.signing_key.secret_arn,
            "NodePolicyArn": access.node_policy.managed_policy_arn,
            "OrchestratorPolicyArn": access.orchestrator_policy.managed_policy_arn,
        } | {f"{pascal_case(each.verb)}Name": each.function.function_name for each in functions}
        for output, value in outputs.items():
            CfnOutput(self, output, value=value)


def pascal_case(verb: Verb) -> str:
    """``read_rows`` as CloudFormation spells names: ``ReadRows``."""
    return "".join(word.capitalize() for word in verb.split("_"))
